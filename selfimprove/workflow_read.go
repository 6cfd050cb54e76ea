package selfimprove

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// ReadWorkflow reads a plan from JSON. The error is a *tool.Error of code InvalidRequest with the JSON pointer of the first member
// that is not known, is given twice or is of another type.
func ReadWorkflow(text []byte) (plan WorkflowPlan, err error) {
	if _, err := wire.FindPlaces(text); err != nil {
		return plan, err
	}
	if err := onlyMembers(text, "", "a workflow", "name", "description", "steps"); err != nil {
		return plan, err
	}
	var parts struct{ Steps []json.RawMessage }
	if json.Unmarshal(text, &parts) != nil {
		return plan, unreadable("/steps", "steps is no list", `give [{"tool": NAME, "args": {…}}]`)
	}
	for i, step := range parts.Steps {
		if err := onlyMembers(step, fmt.Sprintf("/steps/%d", i), "a step", "tool", "args", "condition"); err != nil {
			return plan, err
		}
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		at := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = "/" + strings.ReplaceAll(wrong.Field, ".", "/")
		}
		return plan, unreadable(at, "name, description, tool and condition are texts", "give texts in quotes")
	}
	return plan, nil
}

// onlyMembers returns nil when a text is an object that has no members but those that are known.
func onlyMembers(text []byte, at, what string, known ...string) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(text, &given) != nil || given == nil {
		return unreadable(at, what+" is an object", "its members are "+strings.Join(known, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			return unreadable(at+"/"+name, fmt.Sprintf("%s has no member %s", what, tool.Quote(name)), "its members are "+strings.Join(known, ", "))
		}
	}
	return nil
}

func unreadable(at, message, hint string) error {
	return &tool.Error{Code: tool.InvalidRequest, Path: at, Message: message, Hint: hint}
}
