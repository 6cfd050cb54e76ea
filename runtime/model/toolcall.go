package model

import (
	"encoding/json"
	"fmt"
)

// newCall reads a tool call as a model wrote it. What is no JSON object is kept as text and marked.
func newCall(id, name, arguments string) ToolCall {
	c := ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
	switch {
	case arguments == "":
		c.Arguments = json.RawMessage("{}")
	case !isObject(c.Arguments):
		c.Arguments, c.Malformed = quote(arguments), true
	}
	return c
}

// identify gives an id to each call that has none, or one that another has, too.
func identify(calls []ToolCall) {
	taken := map[string]bool{"": true}
	for i := range calls {
		c := &calls[i]
		for n := i + 1; taken[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d", n)
		}
		taken[c.ID] = true
	}
}

// name is what goes back to a provider: most refuse the names of tools that cannot be, even where a model made them up.
func (c ToolCall) name() string {
	if toolName.MatchString(c.Name) {
		return c.Name
	}
	return "malformed"
}

// arguments is what goes back to a provider: always an object, for most refuse anything else.
func (c ToolCall) arguments() json.RawMessage {
	switch {
	case c.Malformed:
		return json.RawMessage(`{"malformed":` + string(c.Arguments) + `}`)
	case len(c.Arguments) == 0:
		return json.RawMessage("{}")
	}
	return c.Arguments
}

// schema is the schema of a tool's arguments.
func (t ToolSpec) schema() json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

func quote(text string) json.RawMessage {
	quoted, _ := json.Marshal(text) // a string always has a JSON form
	return quoted
}
