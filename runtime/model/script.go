package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// maxScriptBytes bounds the text of a script.
const maxScriptBytes = 4 << 20

// ReadScript reads the script of several models: a JSON object with a list of answers for each purpose, as in
//
//	{"creation": [{"safety": {"passed": true}}], "safety": ["no JSON"], "correctness": [{"error": "it is down"}]}
//
// A text is a reply. An object of text, toolCalls, usage, model and stopReason is a whole Reply; an object of error, and code
// if it is not to be unavailable, is a failure; any other JSON is a reply that consists of it. Purposes are those that may
// stand in the script; each gets a model, which has nothing to say if the script does not name it. The error is
// InvalidRequest.
func ReadScript(text []byte, purposes ...string) (map[string]*Scripted, error) {
	if len(text) > maxScriptBytes {
		return nil, badScript("", "it is longer than %d bytes", maxScriptBytes)
	}
	var lists map[string][]json.RawMessage
	if err := json.Unmarshal(text, &lists); err != nil || lists == nil {
		return nil, badScript("", "it is not a JSON object of lists")
	}
	models := map[string]*Scripted{}
	for _, purpose := range purposes {
		models[purpose] = NewScripted()
	}
	for _, purpose := range slices.Sorted(maps.Keys(lists)) {
		if models[purpose] == nil {
			return nil, badScript("/"+purpose, "there is no model for %q; there is one for %s", clip(purpose), strings.Join(purposes, ", "))
		}
		for i, raw := range lists[purpose] {
			step, err := readStep(raw)
			if err != nil {
				return nil, badScript(fmt.Sprintf("/%s/%d", purpose, i), "%w", err)
			}
			models[purpose].steps = append(models[purpose].steps, step)
		}
	}
	return models, nil
}

func badScript(path, format string, args ...any) error {
	e := tool.Errorf(tool.InvalidRequest, "the script of the models cannot be used: "+format, args...)
	e.Path = path
	e.Hint = `write it as {"creation": ["a reply", {"error": "a failure"}]}`
	return e
}

// readStep reads one answer.
func readStep(raw json.RawMessage) (Step, error) {
	if text, ok := asText(raw); ok {
		return Say(text), nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // a list or a number has none
	switch {
	case has(members, "error"):
		return readFailure(raw)
	case has(members, "text"), has(members, "toolCalls"):
		return readReply(raw)
	}
	return Say(string(raw)), nil
}

func has(members map[string]json.RawMessage, name string) bool { _, ok := members[name]; return ok }

func readFailure(raw json.RawMessage) (Step, error) {
	failure := struct {
		Error string
		Code  tool.Code
	}{Code: tool.Unavailable}
	if err := strictly(raw, &failure); err != nil {
		return Step{}, err
	}
	if !failure.Code.Known() {
		return Step{}, fmt.Errorf("there is no code %q", clip(string(failure.Code)))
	}
	return Fail(failure.Code, failure.Error), nil
}

func readReply(raw json.RawMessage) (Step, error) {
	var step Step
	err := strictly(raw, &step.Reply)
	for i, c := range step.Reply.ToolCalls {
		arguments, ok := asText(c.Arguments) // a text stands for what the model wrote
		if !ok {
			arguments = string(c.Arguments)
		}
		step.Reply.ToolCalls[i] = newCall(c.ID, c.Name, arguments)
	}
	return step, err
}

// asText returns the text that a JSON string stands for.
func asText(raw json.RawMessage) (text string, ok bool) {
	ok = bytes.HasPrefix(raw, []byte{'"'}) && json.Unmarshal(raw, &text) == nil
	return text, ok
}

func strictly(raw json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
