package compose

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// checker builds a pipeline and collects what is wrong with it.
type checker struct {
	rules    Rules
	steps    []step
	problems Problems
}

// pipeline is the result.
func (c *checker) pipeline() (*Pipeline, error) {
	if err := c.problems.failure(); err != nil {
		return nil, err
	}
	return &Pipeline{c.steps}, nil
}

// count checks how many steps there are. It is false when they are too many to look at.
func (c *checker) count(steps int) bool {
	most := c.rules.MaxSteps
	if most <= 0 {
		most = DefaultMaxSteps
	}
	switch {
	case steps > most:
		c.problems.add("/steps", fmt.Sprintf("the pipeline has %d steps: maxStepsPerTool is %d", steps, most), "make several tools of it")
		return false
	case steps == 0:
		c.problems.add("/steps", "the pipeline has no steps", "give at least one")
	}
	return true
}

// step checks the step at an index and adds it. What is wrong with the fields that are named in broken was said before.
func (c *checker) step(s Step, index int, broken map[string]bool) {
	at := "/steps/" + strconv.Itoa(index)
	if len(s.InputMapping) == 0 {
		s.InputMapping = json.RawMessage("{}")
	}
	if !broken["name"] {
		c.name(s.Name, at+"/name")
	}
	if !broken["tool"] {
		c.tool(s.Tool, index, at+"/tool")
	}
	read := step{Step: s}
	part := compiler{earlier: c.steps, problems: &c.problems}
	if !broken["inputMapping"] {
		read.arguments = c.mapping(&part, s.InputMapping, at+"/inputMapping")
	}
	if !broken["condition"] && s.Condition != "" {
		read.condition = part.condition(s.Condition, at+"/condition")
	}
	read.references = part.references
	c.steps = append(c.steps, read)
}

func (c *checker) name(name, at string) {
	if why := nameMistake(name); why != "" {
		c.problems.add(at, fmt.Sprintf("%q cannot name a step: %s", clip(name), why), "a name is a letter, then letters, digits, _ and -, at most 200")
		return
	}
	for i, s := range c.steps {
		if s.Name == name {
			c.problems.add(at, fmt.Sprintf("the name %q is that of step %d already", clip(name), i), "every step has its own name")
			return
		}
	}
}

func (c *checker) tool(name string, index int, at string) {
	switch {
	case strings.TrimSpace(name) == "":
		c.problems.add(at, fmt.Sprintf("the step at index %d names no tool", index), "give the name of a registered tool")
	case len(name) > maxNameBytes:
		c.problems.add(at, fmt.Sprintf("%q is longer than a tool's name can be", clip(name)), "give the name of a registered tool")
	case name == c.rules.Self:
		c.problems.add(at, fmt.Sprintf("the tool %q would call itself", clip(name)), "a composed tool cannot contain itself, directly or through another")
	case Meta(name):
		c.problems.add(at, fmt.Sprintf("%q may not be a step: it changes the agent itself, or hands work to another", clip(name)), "call it directly")
	}
}

// mapping compiles an inputMapping.
func (c *checker) mapping(part *compiler, text []byte, at string) expression {
	if len(text) > maxMappingBytes {
		c.problems.add(at, fmt.Sprintf("the inputMapping has %d bytes: at most %d are taken", len(text), maxMappingBytes), "")
		return nil
	}
	v, err := newValue(text)
	switch {
	case err != nil:
		c.problems.add(at, "the inputMapping cannot be read: "+err.Error(), "")
		return nil
	case v.kind() != '{':
		c.problems.add(at, "the inputMapping is "+kinds[v.kind()]+" where an object belongs", `map each argument to its value: {"text": "$input.text"}`)
		return nil
	}
	return part.compile(v, at, 1)
}

// condition reads a step's condition.
func (c *compiler) condition(text, at string) condition {
	read, err := parseCondition(text, func(text string) (Reference, error) {
		r, err := scan(text, c.earlier)
		if r.Text == "" {
			return r, nil
		}
		r.At = at
		switch {
		case err != nil:
		case !r.known():
			err = errors.New(r.unresolved())
		case r.Root == "prev" && len(r.Path) > 0 && len(c.earlier) == 0: // without a path it is null
			err = fmt.Errorf("%s refers to a step, and no step comes before this one", clip(r.Text))
		}
		c.references = append(c.references, r)
		return r, err
	})
	if err != nil {
		c.problems.add(at, err.Error(), conditionHint)
		return nil
	}
	return read
}

const conditionHint = "a condition has references, literals, == != (not === and !==) < <= > >= && || !, parentheses, and .length of strings and lists"
