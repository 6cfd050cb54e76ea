package hierarchy

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Spec is an agency as its operator writes it: a manager and the members of its team. A zero value means the default where
// one is named. It is a plain value, whose lists are shared by copies and are not to be changed once it is in use.
type Spec struct {
	Name         string   `json:"name"`
	Strategy     Strategy `json:"strategy"`     // "" is Hierarchical
	Adaptive     bool     `json:"adaptive"`     // the manager chooses how the team works; Strategy is what it is told to prefer
	Instructions string   `json:"instructions"` // of the manager, behind those that every manager gets
	Model        string   `json:"model"`        // of all agents that name none; "" is the provider's usual one
	Provider     string   `json:"provider"`     // the same; "" is the configured one
	Persona      string   `json:"persona"`      // the manager's; "" is the caller's
	Tools        []string `json:"tools"`        // names of tools of the host that all agents may call
	Agents       []Agent  `json:"agents"`       // at least one
	Limits       Limits   `json:"limits"`
	Emergent     Emergent `json:"emergent"`
	HITL         HITL     `json:"hitl"`
}

// Agent is a member of the team.
type Agent struct {
	Name         string   `json:"name"`        // becomes part of the name of the tool that delegates to it
	Description  string   `json:"description"` // for whoever delegates
	Instructions string   `json:"instructions"`
	Model        string   `json:"model"`     // "" is the agency's
	Provider     string   `json:"provider"`  // the same
	Persona      string   `json:"persona"`   // "" is its name
	Tools        []string `json:"tools"`     // besides those of the agency
	Delegates    []string `json:"delegates"` // the members that it may delegate to itself
	MaxSteps     Count    `json:"maxSteps"`  // 0 is Limits.AgentSteps
}

// Strategy is how the members of a team work together.
type Strategy string

// The strategies. Only Hierarchical can be run; the others are known by name.
const (
	Hierarchical Strategy = "hierarchical" // a manager delegates
	Sequential   Strategy = "sequential"
	Parallel     Strategy = "parallel"
	Debate       Strategy = "debate"
	ReviewLoop   Strategy = "review-loop"
)

var strategies = []Strategy{Hierarchical, Sequential, Parallel, Debate, ReviewLoop}

// Emergent says whether the manager may spawn specialists during a run, and for how long they are there.
type Emergent struct {
	Enabled bool      `json:"enabled"`
	Tier    tool.Tier `json:"tier"`  // session: until the run ends, the default; agent: as long as the Agency; shared: stored
	Judge   *bool     `json:"judge"` // nil is true: a judge reads every specialist before it exists
	Planner Planner   `json:"planner"`
}

// Judged reports whether a judge is asked about specialists.
func (e Emergent) Judged() bool { return e.Judge == nil || *e.Judge }

// Planner bounds the specialists of one run.
type Planner struct {
	MaxSpecialists        Count  `json:"maxSpecialists"` // that are spawned; default 5
	RequireJustification  bool   `json:"requireJustification"`
	MaxJudgeCalls         Count  `json:"maxJudgeCalls"`         // default twice MaxSpecialists
	JudgeModel            string `json:"judgeModel"`            // "" is the configured judge, else a small one of the provider's
	MaxInstructionsLength Count  `json:"maxInstructionsLength"` // characters; default 8192
	DefaultModel          string `json:"defaultModel"`          // of specialists; "" is the agency's
	DefaultProvider       string `json:"defaultProvider"`       // the same
}

// HITL says what a person is asked about first.
type HITL struct {
	Approvals Approvals   `json:"approvals"`
	Timeout   wire.Period `json:"timeout"` // no answer by then is a no; default 5m, at most 1h
}

// Approvals are what waits for a person.
type Approvals struct {
	BeforeEmergent bool     `json:"beforeEmergent"` // every specialist
	BeforeAgent    []string `json:"beforeAgent"`    // each task that is delegated to one of these members
}

// Any reports whether somebody has to be there to be asked.
func (a Approvals) Any() bool { return a.BeforeEmergent || len(a.BeforeAgent) > 0 }

// maxApproval is the longest that a person is waited for.
const maxApproval = wire.Period(time.Hour)

// WithDefaults returns s with its defaults in the place of zero values. The caller's persona, the provider and the models
// stay open: they are not the agency's to know.
func (s Spec) WithDefaults() Spec {
	s.Strategy = cmp.Or(s.Strategy, Hierarchical)
	s.Limits = s.Limits.WithDefaults()
	s.Emergent.Tier = cmp.Or(s.Emergent.Tier, tool.SessionTier)
	for _, b := range s.Emergent.Planner.bounds() {
		*b.value = cmp.Or(*b.value, b.usual)
	}
	s.HITL.Timeout = cmp.Or(s.HITL.Timeout, wire.Period(5*time.Minute))
	s.Agents = slices.Clone(s.Agents)
	for i := range s.Agents {
		a := &s.Agents[i]
		a.Persona, a.MaxSteps = cmp.Or(a.Persona, a.Name), cmp.Or(a.MaxSteps, s.Limits.AgentSteps)
	}
	return s
}

// Parse reads a Spec from YAML (docs/agencies.md describes it), strictly. The error is a *tool.Error of code InvalidRequest;
// unless the text is not YAML, its cause are the Problems, with line and column: first those of reading, then what is not valid.
// With providers given, models of others are among them.
func Parse(text []byte, providers ...string) (Spec, error) {
	type document Spec // without Validate: all that is wrong is told at once
	var d document
	err := wire.YAMLAll(text, &d)
	mistakes, gathered := errors.AsType[wire.Mistakes](err)
	if err != nil && !gathered {
		return Spec{}, err
	}
	s, problems := Spec(d), Problems(mistakes)
	for _, p := range append(s.problems(), s.strangers(providers)...) {
		if !follows(p, Problems(mistakes)) {
			problems = append(problems, p)
		}
	}
	if places, err := wire.FindPlaces(text); err == nil {
		problems.place(places)
	}
	if err := problems.failure(); err != nil {
		return Spec{}, err
	}
	return s, nil
}
