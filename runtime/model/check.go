package model

import (
	"bytes"
	"encoding/json"
	"regexp"

	"example.com/toolsmith/runtime/tool"
)

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check says what in a request no provider takes, before anything is sent.
func (r Request) check() error {
	switch {
	case len(r.Messages) == 0:
		return tool.Errorf(tool.InvalidRequest, "a request to a model needs at least one message")
	case r.size() > MaxRequestBytes:
		return tool.Errorf(tool.InvalidRequest, "the request to the model is longer than %d bytes", MaxRequestBytes)
	case r.MaxTokens < 0:
		return tool.Errorf(tool.InvalidRequest, "the most tokens of a reply cannot be %d", r.MaxTokens)
	case r.Temperature != nil && !(*r.Temperature >= 0 && *r.Temperature <= 2): // catches NaN, too
		return tool.Errorf(tool.InvalidRequest, "a temperature is from 0 to 2, not %v", *r.Temperature)
	case len(r.JSONSchema) > 0 && !isObject(r.JSONSchema):
		return tool.Errorf(tool.InvalidRequest, "the schema of the reply is not a JSON object")
	}
	for i, t := range r.Tools {
		if !toolName.MatchString(t.Name) {
			return tool.Errorf(tool.InvalidRequest, "tool %d: models take names of 1 to 64 letters, digits, _ and -, not %q", i, clip(t.Name))
		}
		if len(t.Schema) > 0 && !isObject(t.Schema) {
			return tool.Errorf(tool.InvalidRequest, "the schema of the tool %s is not a JSON object", t.Name)
		}
	}
	return r.checkMessages()
}

// checkMessages sees to it that each tool call is answered once, right after it was made: providers refuse a conversation
// with loose ends, each in words of its own.
func (r Request) checkMessages() error {
	open := map[string]bool{}
	for i, m := range r.Messages {
		if m.Role != Tool && len(open) > 0 {
			return tool.Errorf(tool.InvalidRequest, "message %d: tool calls before it have no result", i)
		}
		switch m.Role {
		case User:
			if m.Text == "" {
				return tool.Errorf(tool.InvalidRequest, "message %d: a message of the user needs text", i)
			}
		case Assistant:
			if m.Text == "" && len(m.ToolCalls) == 0 {
				return tool.Errorf(tool.InvalidRequest, "message %d: a message of the assistant needs text or tool calls", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || open[c.ID] || !isObject(c.arguments()) {
					return tool.Errorf(tool.InvalidRequest, "message %d: a tool call needs an id of its own, and an object of arguments", i)
				}
				open[c.ID] = true
			}
		case Tool:
			if !open[m.CallID] {
				return tool.Errorf(tool.InvalidRequest, "message %d: the result answers no open tool call (%q)", i, clip(m.CallID))
			}
			delete(open, m.CallID)
		default:
			return tool.Errorf(tool.InvalidRequest, "message %d: the role is user, assistant or tool, not %q", i, clip(string(m.Role)))
		}
	}
	if len(open) > 0 {
		return tool.Errorf(tool.InvalidRequest, "the last tool calls have no result yet")
	}
	return nil
}

// size is about how many bytes a request has.
func (r Request) size() int {
	n := len(r.System) + len(r.JSONSchema)
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.CallID)
		for _, c := range m.ToolCalls {
			n += len(c.ID) + len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'{'}) && json.Valid(text)
}
