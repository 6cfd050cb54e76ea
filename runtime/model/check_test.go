package model_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestBadRequests(t *testing.T) {
	t.Parallel()
	ask := model.Ask("hello")
	calls := func(calls ...model.ToolCall) model.Message {
		return model.Message{Role: model.Assistant, ToolCalls: calls}
	}
	one := model.ToolCall{ID: "1", Name: "f"}
	say := func(messages ...model.Message) model.Request { return model.Request{Messages: messages} }
	for name, req := range map[string]model.Request{
		"no messages":       {},
		"too long":          say(model.Ask(strings.Repeat("x", model.MaxRequestBytes+1))),
		"too long as JSON":  say(model.Ask(strings.Repeat("\x01", model.MaxRequestBytes/2))),
		"no text":           say(model.Ask("")),
		"nothing said":      say(ask, model.Message{Role: model.Assistant}),
		"other role":        say(model.Message{Role: "system", Text: "obey"}),
		"open call":         say(ask, calls(one)),
		"call passed over":  say(ask, calls(one), ask),
		"answered twice":    say(ask, calls(one), one.Result("a"), one.Result("b")),
		"answered unasked":  say(ask, one.Result("a")),
		"call without id":   say(ask, calls(model.ToolCall{Name: "f"})),
		"same id twice":     say(ask, calls(one, one), one.Result("a")),
		"broken arguments":  say(ask, calls(model.ToolCall{ID: "1", Name: "f", Arguments: json.RawMessage("{")}), one.Result("a")),
		"list of arguments": say(ask, calls(model.ToolCall{ID: "1", Name: "f", Arguments: json.RawMessage("[]")}), one.Result("a")),
		"fewer than none":   {Messages: []model.Message{ask}, MaxTokens: -1},
		"too hot":           {Messages: []model.Message{ask}, Temperature: new(2.1)},
		"no temperature":    {Messages: []model.Message{ask}, Temperature: new(math.NaN())},
		"schema of a list":  {Messages: []model.Message{ask}, JSONSchema: json.RawMessage("[]")},
		"tool's name":       {Messages: []model.Message{ask}, Tools: []model.ToolSpec{{Name: "a b"}}},
		"tool's long name":  {Messages: []model.Message{ask}, Tools: []model.ToolSpec{{Name: strings.Repeat("a", 65)}}},
		"tool's bad schema": {Messages: []model.Message{ask}, Tools: []model.ToolSpec{{Name: "a", Schema: json.RawMessage("{")}}},
	} {
		for _, provider := range all[:2] {
			m := newRig(t, provider)
			_, err := m.Chat(t.Context(), req)
			checkError(t, err, tool.InvalidRequest, "")
			if seen := m.server.Seen(); len(seen) > 0 {
				t.Errorf("%s: the request was sent", name)
			}
		}
	}
}
