package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Every number has a range that its default lies in, and every field is called what its key is.
func TestLeaves(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Models.Caps = map[string]Cap{"judge": {Calls: 1, Tokens: 1, Cost: 1, Per: wire.Period(1e9)}}
	c.Models.Prices = map[string]Price{"gpt": {1, 1}}
	c.Personas = map[string]Persona{"ann": {Traits: map[string]float64{"honesty": 1}}}
	all, names := c.leaves(), map[string]bool{}
	for _, l := range all {
		if l.value.Kind() == reflect.Map {
			all = append(all, l.inside()...)
		}
	}
	for _, l := range all {
		if number := l.value.CanInt() || l.value.CanUint() || l.value.CanFloat(); number && l.tag.Get("range") == "" {
			t.Errorf("%s has no range", l.key())
		}
		if err := l.check(); err != nil {
			t.Error(err)
		}
		if name := variableOf(l.path); names[name] {
			t.Errorf("two keys have the variable %s", name)
		} else {
			names[name] = true
		}
	}
	for _, of := range []any{c, c.EmergentConfig, c.EmergentConfig.SelfImprovement, c.Limits, c.Models, Model{}, Persona{}} {
		for field := range reflect.TypeOf(of).Fields() {
			if key := field.Tag.Get("json"); field.IsExported() && !strings.EqualFold(key, field.Name) {
				t.Errorf("the field %s has the key %q", field.Name, key)
			}
		}
	}
}

// The tags repeat what other packages say.
func TestTagsAreThoseOfOthers(t *testing.T) {
	t.Parallel()
	c := Default()
	c.Limits = Limits{
		Wall: wire.Period(tool.MaxLimits.Timeout), Fuel: wire.Quantity(tool.MaxLimits.Fuel), Memory: wire.Quantity(tool.MaxLimits.MemoryBytes),
		Source: quantity(tool.MaxLimits.SourceBytes), Input: quantity(tool.MaxLimits.InputBytes), Output: quantity(tool.MaxLimits.OutputBytes),
		Logs: quantity(tool.MaxLimits.LogBytes), HostCalls: quantity(tool.MaxLimits.HostCalls),
	}
	e := &c.EmergentConfig
	e.SandboxTimeoutMs, e.SandboxMemoryMB = int(tool.MaxLimits.Timeout.Milliseconds()), number(wire.Quantity(tool.MaxLimits.MemoryBytes)/mib)
	e.SandboxMaxOutputBytes, e.FSMaxFileBytes = tool.MaxLimits.OutputBytes, policy.MaxFSLimits.MaxFileBytes
	e.FetchMaxResponseBytes, e.FetchMaxRedirects = policy.MaxFetchLimits.MaxResponseBytes, policy.MaxFetchLimits.MaxRedirects
	if err := c.Validate(); err != nil {
		t.Errorf("a maximum is not taken: %v", err)
	}
	for _, l := range c.leaves() {
		_, high, ok := strings.Cut(l.tag.Get("range"), "..")
		beyond := l.path[0] == "limits" || strings.HasPrefix(l.key(), "emergentConfig.sandbox") || strings.HasPrefix(l.key(), "emergentConfig.f")
		if ok && beyond && size(l.value) != l.bound(high) {
			t.Errorf("%s goes up to %s", l.key(), high)
		}
	}
	if methods, _ := reflect.TypeFor[Emergent]().FieldByName("FetchMethods"); methods.Tag.Get("oneof") != strings.Join(policy.Methods(), " ") {
		t.Errorf("the methods are %s", policy.Methods())
	}
}

func TestVariableOf(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"data":                             "TOOLSMITH_DATA",
		"emergentConfig.maxSessionTools":   "TOOLSMITH_EMERGENT_CONFIG_MAX_SESSION_TOOLS",
		"emergentConfig.sandboxMemoryMB":   "TOOLSMITH_EMERGENT_CONFIG_SANDBOX_MEMORY_MB",
		"emergentConfig.maxFailuresInARow": "TOOLSMITH_EMERGENT_CONFIG_MAX_FAILURES_IN_A_ROW",
		"allowedSandboxAPIs":               "TOOLSMITH_ALLOWED_SANDBOX_APIS",
		"models.judge.apiKeyEnv":           "TOOLSMITH_MODELS_JUDGE_API_KEY_ENV",
		"models.selfEval.baseUrl":          "TOOLSMITH_MODELS_SELF_EVAL_BASE_URL",
	} {
		if got := variableOf(strings.Split(key, ".")); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

// What a value is shown as, the environment takes.
func TestShownIsSet(t *testing.T) {
	t.Parallel()
	c, again := Default(), Config{}
	for i, l := range again.leaves() {
		was := c.leaves()[i]
		var text string
		switch shown := was.shown().(type) {
		case []string:
			if len(shown) == 0 {
				continue
			}
			text = strings.Join(shown, ", ")
		default:
			text = fmt.Sprint(shown)
		}
		if err := l.set(text); err != nil {
			t.Errorf("%s: %q: %v", l.key(), text, err)
		}
	}
	if !reflect.DeepEqual(c, again) {
		t.Errorf("got %+v, want %+v", again, c)
	}
}
