package compose

import (
	"encoding/json"
	"slices"
)

// Spec is a pipeline as it is written.
type Spec struct {
	Steps []Step `json:"steps"`
}

// Step is one call.
type Step struct {
	Name         string          `json:"name"` // for references; unique; a letter, then letters, digits, _ and -
	Tool         string          `json:"tool"`
	InputMapping json.RawMessage `json:"inputMapping,omitempty"` // an object of literals and references; empty means {}
	Condition    string          `json:"condition,omitempty"`    // empty means always
}

// Rules are what a host asks of pipelines. A zero field means its default.
type Rules struct {
	Self     string // the name of the tool that is being made, which no step may call
	MaxSteps int    // default 20
}

// Bounds of a pipeline's text.
const (
	DefaultMaxSteps = 20
	MaxBytes        = 256 << 10 // of the whole implementation
	maxMappingBytes = 64 << 10  // of one inputMapping
)

// Pipeline is a list of steps that may run. It does not change and is safe for concurrent use.
type Pipeline struct{ steps []step }

// step is a Step that was read.
type step struct {
	Step
	arguments  expression
	condition  condition // nil: always
	references []Reference
}

// Spec returns the pipeline as it was written.
func (p *Pipeline) Spec() Spec {
	spec := Spec{Steps: make([]Step, len(p.steps))}
	for i, s := range p.steps {
		spec.Steps[i] = s.Step
		spec.Steps[i].InputMapping = slices.Clone(s.InputMapping)
	}
	return spec
}

// Tools returns the names of the tools that the pipeline calls, each once, in the order of their first use.
func (p *Pipeline) Tools() []string {
	var names []string
	for _, s := range p.steps {
		if !slices.Contains(names, s.Tool) {
			names = append(names, s.Tool)
		}
	}
	return names
}

// References returns what a step refers to, in arguments and condition, in the order of its text.
func (p *Pipeline) References(step int) []Reference { return slices.Clone(p.steps[step].references) }

// References returns what each step of a pipeline refers to, as Pipeline.References has it, whatever else is wrong with it.
func References(spec Spec) (all [][]Reference) {
	var c checker
	for i, s := range spec.Steps {
		c.step(s, i, nil)
		all = append(all, c.steps[i].references)
	}
	return all
}

// New checks a pipeline. The error is a *tool.Error of code InvalidRequest whose cause is Problems, all of them.
func New(spec Spec, rules Rules) (*Pipeline, error) {
	c := checker{rules: rules}
	if c.count(len(spec.Steps)) {
		for i, s := range spec.Steps {
			c.step(s, i, nil)
		}
	}
	return c.pipeline()
}
