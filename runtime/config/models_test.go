package config_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestModel(t *testing.T) {
	t.Parallel()
	openai := map[string]string{"OPENAI_API_KEY": "k"}
	anthropic := map[string]string{"ANTHROPIC_API_KEY": "k"}
	for name, c := range map[string]struct {
		text, purpose string
		env           map[string]string
		want          model.Spec
		ok            bool
	}{
		"none":                     {"", "judge", nil, model.Spec{}, false},
		"environment, judge":       {"", "judge", openai, model.Spec{Provider: "openai", Model: "gpt-4o-mini"}, true},
		"environment, promotion":   {"", "promotion", openai, model.Spec{Provider: "openai", Model: "gpt-4o"}, true},
		"environment, manager":     {"", "manager", openai, model.Spec{Provider: "openai"}, true},
		"another provider":         {"", "promotion", anthropic, model.Spec{Provider: "anthropic"}, true},
		"another provider, named":  {"emergentConfig: {judgeModel: claude}", "judge", anthropic, model.Spec{Provider: "anthropic", Model: "claude"}, true},
		"named":                    {"emergentConfig: {judgeModel: gpt-5}", "judge", openai, model.Spec{Provider: "openai", Model: "gpt-5"}, true},
		"self-evaluation":          {"", "selfEval", anthropic, model.Spec{Provider: "anthropic"}, true},
		"self-evaluation, named":   {"emergentConfig: {selfImprovement: {selfEval: {evaluationModel: m}}}", "selfEval", anthropic, model.Spec{Provider: "anthropic", Model: "m"}, true},
		"file without a model":     {"models: {judge: {provider: openai}}", "judge", anthropic, model.Spec{Provider: "openai", Model: "gpt-4o-mini"}, true},
		"file, other provider":     {"models: {judge: {provider: ollama}}", "judge", openai, model.Spec{Provider: "ollama"}, true},
		"file, of another purpose": {"models: {judge: {provider: ollama}}", "promotion", nil, model.Spec{}, false},
		"file": {
			"models: {judge: {provider: openai, model: m, baseUrl: 'https://m.example/v1', apiKeyEnv: M_KEY}}", "judge", anthropic,
			model.Spec{Provider: "openai", Model: "m", BaseURL: "https://m.example/v1", APIKeyEnv: "M_KEY"},
			true,
		},
		"file, address of the environment": {
			"models: {judge: {provider: openai, model: m}}", "judge",
			map[string]string{"OPENAI_BASE_URL": "https://e.example/v1", "ANTHROPIC_BASE_URL": "https://a.example"},
			model.Spec{Provider: "openai", Model: "m", BaseURL: "https://e.example/v1"},
			true,
		},
		"file, address of the environment, anthropic": {
			"models: {manager: {provider: anthropic}}", "manager",
			map[string]string{"OPENAI_BASE_URL": "https://e.example/v1", "ANTHROPIC_BASE_URL": "https://a.example"},
			model.Spec{Provider: "anthropic", BaseURL: "https://a.example"},
			true,
		},
		"file, its own address wins": {
			"models: {judge: {provider: openai, model: m, baseUrl: 'https://m.example/v1'}}", "judge",
			map[string]string{"OPENAI_BASE_URL": "https://e.example/v1"},
			model.Spec{Provider: "openai", Model: "m", BaseURL: "https://m.example/v1"},
			true,
		},
	} {
		got, ok, err := parse(t, c.text).Model(c.purpose, func(name string) string { return c.env[name] })
		if err != nil || ok != c.ok || got != c.want {
			t.Errorf("%s: %+v, %v, %v, want %+v, %v", name, got, ok, err, c.want, c.ok)
		}
	}
}

func TestModelRefuses(t *testing.T) {
	t.Parallel()
	if _, _, err := config.Default().Model("poetry", func(string) string { return "" }); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a purpose that there is not: %v", err)
	}
	if _, _, err := config.Default().Model("judge", func(name string) string { return map[string]string{"OLLAMA_HOST": "http://["}[name] }); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a host that is none: %v", err)
	}
}

func TestNamesJudge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "models: {manager: {provider: openai}}": false, "models: {judge: {provider: openai}}": true, "emergentConfig: {judgeModel: strict-1}": true,
	} {
		if got := parse(t, text).NamesJudge(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	got := parse(t, "models: {caps: {judge: {calls: 5, tokens: 1M, cost: 2.5, per: 1h}, manager: {calls: 1}}, prices: {'openai/gpt-4o': {input: 2.5, output: 0}}}").Meter()
	want := model.MeterOptions{
		Caps:   map[string]model.Cap{"judge": {Calls: 5, Tokens: 1e6, Cost: 2.5, Per: time.Hour}, "manager": {Calls: 1}},
		Prices: model.Prices{"openai/gpt-4o": {Input: 2.5}},
	}
	if diff := cmp.Diff(want.Caps, got.Caps); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(want.Prices, got.Prices); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := model.NewMeter(got); err != nil {
		t.Error(err)
	}
}
