package selfimprove

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// ReadWorkflow reads a plan from JSON, as far as it can be read. What is wrong with its members is misread, for Create, which tells
// it together with all else. The error is a *tool.Error of code InvalidRequest: the text is no JSON object, or gives a member twice.
func ReadWorkflow(text []byte) (plan WorkflowPlan, misread compose.Problems, err error) {
	if _, err := wire.FindPlaces(text); err != nil {
		return plan, nil, err
	}
	var f findings
	given := f.members(text, "", "a workflow", "name", "description", "steps")
	if given == nil {
		return plan, nil, f.failure()
	}
	plan.Name, plan.Description = f.text(given, "", "name"), f.text(given, "", "description")
	var steps []json.RawMessage
	if given["steps"] != nil && json.Unmarshal(given["steps"], &steps) != nil {
		f.add(wholeSteps, "steps is no list", stepsHint)
	}
	for i, step := range steps {
		plan.Steps = append(plan.Steps, f.step(step, fmt.Sprintf("%s/%d", wholeSteps, i)))
	}
	return plan, compose.Problems(f), nil
}

// step reads one step.
func (f *findings) step(text []byte, at string) WorkflowStep {
	given := f.members(text, at, "a step", "tool", "args", "condition")
	return WorkflowStep{Tool: f.text(given, at, "tool"), Args: given["args"], Condition: f.text(given, at, "condition")}
}

// members are those of an object, of which those that are not known are found; nil when the text is none.
func (f *findings) members(text []byte, at, what string, known ...string) (given map[string]json.RawMessage) {
	hint := "its members are " + strings.Join(known, ", ")
	if json.Unmarshal(text, &given) != nil || given == nil {
		f.add(at, what+" is an object", hint)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			f.add(member(at, name), fmt.Sprintf("%s has no member %s", what, tool.Quote(name)), hint)
		}
	}
	return given
}

// text is a member that is a text.
func (f *findings) text(given map[string]json.RawMessage, at, name string) (text string) {
	if given[name] != nil && json.Unmarshal(given[name], &text) != nil {
		f.add(member(at, name), name+" is a text", "give a text in quotes")
	}
	return text
}
