package hierarchy

import "testing"

func TestT320JudgeModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec            Spec
		provider, model string
	}{
		"the planner's":                {Spec{Provider: "openai", Emergent: Emergent{Planner: Planner{JudgeModel: "strict-1"}}}, "openai", "strict-1"},
		"one of another's":             {Spec{Provider: "openai", Emergent: Emergent{Planner: Planner{JudgeModel: "claude-haiku-4-5-20251001"}}}, "anthropic", "claude-haiku-4-5-20251001"},
		"openai's":                     {Spec{Provider: "openai", Model: "gpt-4o"}, "openai", "gpt-4o-mini"},
		"anthropic's":                  {Spec{Provider: "anthropic"}, "anthropic", "claude-haiku-4-5-20251001"},
		"groq's":                       {Spec{Provider: "groq"}, "groq", "llama-3.3-70b-versatile"},
		"the agency's":                 {Spec{Provider: "ollama", Model: "llama3.2"}, "ollama", "llama3.2"},
		"of the configured":            {Spec{Model: "large-1"}, "", "large-1"},
		"a provider, not in the table": {Spec{Provider: "openrouter"}, "openai", "gpt-4o-mini"},
	} {
		if provider, model := c.spec.JudgeModel(); provider != c.provider || model != c.model {
			t.Errorf("%s: %s of %q", name, model, provider)
		}
	}
}
