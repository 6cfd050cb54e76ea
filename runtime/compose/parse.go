package compose

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Parse reads and checks a pipeline from JSON: {"mode": "compose", "steps": [...]}, where the mode may be left out. The text is
// not kept. The error is a *tool.Error of code InvalidRequest; when the text is JSON its cause is Problems, all of them.
func Parse(text []byte, rules Rules) (*Pipeline, error) {
	if len(text) > MaxBytes {
		return nil, tool.Errorf(tool.InvalidRequest, "the pipeline has %d bytes: at most %d are read", len(text), MaxBytes)
	}
	v, err := newValue(text)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidRequest, "the pipeline cannot be read: %w", err)
	}
	r := reader{checker{rules: rules}}
	r.spec(v)
	return r.pipeline()
}

// reader is a checker that takes JSON.
type reader struct{ checker }

func (r *reader) spec(v *value) {
	m := r.members(v, "", "a pipeline", "mode", "steps")
	if mode, ok := r.text(m["mode"], "/mode"); ok && mode != "" && mode != "compose" {
		r.problems.add("/mode", fmt.Sprintf("the mode %q is not that of a pipeline", clip(mode)), `write "compose"`)
	}
	steps := m["steps"]
	switch {
	case m == nil:
	case steps == nil:
		r.count(0)
	case steps.kind() != '[':
		r.problems.add("/steps", "the steps are "+kinds[steps.kind()]+" where a list belongs", "")
	case r.count(steps.len()):
		for i := range steps.len() {
			r.read(&value{text: steps.item(i)}, i)
		}
	}
}

// read reads the step at an index.
func (r *reader) read(v *value, index int) {
	at := "/steps/" + strconv.Itoa(index)
	m := r.members(v, at, "a step", "name", "tool", "inputMapping", "condition")
	broken := map[string]bool{}
	field := func(name string) string {
		text, ok := r.text(m[name], at+"/"+name)
		broken[name] = m == nil || !ok
		return text
	}
	s := Step{Name: field("name"), Tool: field("tool"), Condition: field("condition")}
	if mapping := m["inputMapping"]; mapping != nil {
		s.InputMapping = json.RawMessage(mapping.text)
	}
	r.step(s, index, broken)
}

// members returns the members of an object, nil when v is none.
func (r *reader) members(v *value, at, what string, known ...string) map[string]*value {
	if v.kind() != '{' {
		r.problems.add(at, what+" is an object, and this is "+kinds[v.kind()], "")
		return nil
	}
	m := map[string]*value{}
	for key, item := range v.all() {
		name, _ := unquote(string(key[1 : len(key)-1]))
		switch {
		case m[name] != nil:
			r.problems.add(below(at, name), "this key is given twice", "keep one of them")
		case !slices.Contains(known, name):
			r.problems.add(below(at, name), fmt.Sprintf("unknown key %q", clip(name)), "the keys here are "+strings.Join(known, ", "))
		}
		m[name] = &value{text: item}
	}
	return m
}

// text returns the text of a string, which is empty when it is not there; it is false when v is no string.
func (r *reader) text(v *value, at string) (string, bool) {
	switch {
	case v == nil:
		return "", true
	case v.kind() != '"':
		r.problems.add(at, "this is "+kinds[v.kind()]+" where a string belongs", "")
		return "", false
	}
	return v.string(), true
}
