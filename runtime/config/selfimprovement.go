package config

import (
	"fmt"
	"strconv"
	"strings"
)

// SelfImprovement are the settings of the tools by which an agent changes itself. They exist when it is enabled.
type SelfImprovement struct {
	Enabled     bool        `json:"enabled"`
	Personality Personality `json:"personality"`
	Skills      Skills      `json:"skills"`
	Workflows   Workflows   `json:"workflows"`
	SelfEval    SelfEval    `json:"selfEval"`
}

// Personality bounds how far an agent may change its traits.
type Personality struct {
	MaxDeltaPerSession     float64 `json:"maxDeltaPerSession" range:"0..1"` // sum of absolute changes of one trait
	MaxMutationsPerSession int     `json:"maxMutationsPerSession" range:"1..1000"`
	PersistWithDecay       bool    `json:"persistWithDecay"`
	DecayRate              float64 `json:"decayRate" range:"0..1"` // strength that a cycle takes away
	Reload                 bool    `json:"reload"`                 // at the start of a session
}

// Skills says which skills an agent may enable.
type Skills struct {
	// Allowlist holds exact ids, "category:NAME" and "*". Where it is not given it is empty, or "*" when approval is not
	// required.
	Allowlist                       []string `json:"allowlist"`
	RequireApprovalForNewCategories bool     `json:"requireApprovalForNewCategories"`
}

// checkSkills holds the allowlist to what can be on it.
func (c *Config) checkSkills() error {
	for i, item := range c.EmergentConfig.SelfImprovement.Skills.Allowlist {
		if name, is := strings.CutPrefix(item, "category:"); is && strings.TrimSpace(name) == "" {
			return wrong(fmt.Sprintf("emergentConfig.selfImprovement.skills.allowlist: %q names no category", item), "write category:NAME, or * for all skills",
				"emergentConfig", "selfImprovement", "skills", "allowlist", strconv.Itoa(i))
		}
	}
	return nil
}

// Workflows bounds what an agent may chain.
type Workflows struct {
	MaxSteps     int      `json:"maxSteps" range:"1..100"`
	AllowedTools []string `json:"allowedTools"` // names, or "*"
}

// SelfEval says what follows from an agent's judgement of itself.
type SelfEval struct {
	AutoAdjust               bool     `json:"autoAdjust"`
	AdjustableParams         []string `json:"adjustableParams" oneof:"temperature verbosity personality openness conscientiousness emotionality extraversion agreeableness honesty"`
	MaxEvaluationsPerSession int      `json:"maxEvaluationsPerSession" range:"1..1000"`
	EvaluationModel          string   `json:"evaluationModel"` // "" is a small one of the provider's
	ApplyToSession           bool     `json:"applyToSession"`
}

func defaultSelfImprovement() SelfImprovement {
	return SelfImprovement{
		Personality: Personality{MaxDeltaPerSession: 0.15, MaxMutationsPerSession: 5, PersistWithDecay: true, DecayRate: 0.05, Reload: true},
		Skills:      Skills{RequireApprovalForNewCategories: true},
		Workflows:   Workflows{MaxSteps: 10, AllowedTools: []string{"*"}},
		SelfEval: SelfEval{
			AutoAdjust: true, AdjustableParams: []string{"temperature", "verbosity", "personality"}, MaxEvaluationsPerSession: 10,
		},
	}
}
