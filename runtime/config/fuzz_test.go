package config_test

import (
	"errors"
	"testing"
	"time"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

// A configuration that is read is valid and decides without failing, and an error is one that the operator can mend.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "# nothing", "emergent: true\nemergentConfig: {maxSessionTools: 3, promotionThreshold: {confidence: 1e-1}}",
		"limits: {wall: 2s, memory: 64Mi}\nsessionTools: {fuel: 1M}\nsourceAtRest: none",
		"emergentConfig: {fsReadRoots: [/srv], fetchDomainAllowlist: ['*'], allowedSandboxAPIs: [fetch, crypto]}",
		"models: {judge: {provider: openai, baseUrl: 'http://m.example'}, caps: {a: {cost: 1}}, prices: {a/b: {input: 1}}}",
		"policies: {default: {version: '1.0'}, p: {version: '1.0', permissions: {crypto: {allow: ['*']}}}}\npersonas: {ann: {policy: p, traits: {honesty: 0.3}}}",
		"listen: '[::1]:0'\nlog: {level: off}\ndata: ':memory:'", "emergentConfig: {sandboxMemoryMB: 4}\nlimits: {memory: 4200k}",
	} {
		f.Add([]byte(text), "ann")
	}
	f.Fuzz(func(t *testing.T, text []byte, persona string) {
		start := time.Now()
		c, err := config.Parse(text)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		if err != nil {
			if e := tool.AsError(err); !errors.Is(err, tool.InvalidRequest) || e.Message == "" || len(e.Message) > 16<<10 {
				t.Errorf("%T %v", err, err)
			}
			return
		}
		if err := c.Validate(); err != nil {
			t.Errorf("read, and not valid: %v", err)
		}
		if err := c.CallLimits().Validate(); err != nil {
			t.Error(err)
		}
		if p, err := c.Policy(persona); err != nil || p == nil {
			t.Errorf("the policy of %q: %v", persona, err)
		}
		if _, _, err := c.Model(config.JudgeModel, func(string) string { return "" }); err != nil {
			t.Error(err)
		}
		for _, v := range c.Values() {
			if v.From == "" || v.Value == nil {
				t.Errorf("%+v", v)
			}
		}
	})
}
