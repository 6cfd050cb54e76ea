package hierarchy

import "cmp"

// judgeModels are small models that judge, by provider.
var judgeModels = map[string]string{
	"openai": "gpt-4o-mini", "anthropic": "claude-haiku-4-5-20251001", "gemini": "gemini-2.5-flash", "groq": "llama-3.3-70b-versatile",
}

// JudgeModel is the model that reviews specialists: the planner's, else a small one of the agency's provider, else the
// agency's own. The provider follows from a model that is one of the small ones; else it is the agency's, "" for the one that
// is configured.
func (s Spec) JudgeModel() (provider, name string) {
	name = cmp.Or(s.Emergent.Planner.JudgeModel, judgeModels[s.Provider], s.Model, judgeModels["openai"])
	for provider, small := range judgeModels {
		if name == small {
			return provider, name
		}
	}
	return s.Provider, name
}
