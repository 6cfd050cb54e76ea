package model_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestScripted(t *testing.T) {
	t.Parallel()
	m := model.NewScripted(model.Say("one"), model.Fail(tool.Timeout, "slow"), model.Step{Err: context.Canceled}, model.Call("f", `{"a":1}`))
	var got []string
	for range 5 {
		reply, err := m.Chat(t.Context(), hello)
		got = append(got, reply.Text+string(reply.StopReason)+string(code(err)))
	}
	if diff := cmp.Diff([]string{"oneend", "timeout", "canceled", "tool_use", "unavailable"}, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if len(m.Asked()) != 4 || m.Left() != 0 {
		t.Errorf("asked %d times, %d left", len(m.Asked()), m.Left())
	}
	if _, err := m.Chat(t.Context(), model.Request{}); code(err) != tool.InvalidRequest {
		t.Errorf("an empty request: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := model.NewScripted(model.Say("one")).Chat(ended, hello); code(err) != tool.Canceled {
		t.Errorf("an ended context: %v", err)
	}
}

func TestReadScript(t *testing.T) {
	t.Parallel()
	models, err := model.ReadScript([]byte(`{
		"creation": ["text", {"error": "down"}, {"error": "slow", "code": "timeout"}, {"safety": {"passed": true}}, [1], null],
		"safety": [{"text": "x", "toolCalls": [{"name": "f", "arguments": {"a": 1}}, {"id": "7", "name": "g", "arguments": "{oops"}, {"name": "h"}]}]
	}`), "creation", "safety", "correctness")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 7 {
		reply, err := models["creation"].Chat(t.Context(), hello)
		got = append(got, reply.Text+string(code(err)))
	}
	want := []string{"text", "unavailable", "timeout", `{"safety": {"passed": true}}`, "[1]", "null", "unavailable"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("creation (-want +got):\n%s", diff)
	}
	reply, err := models["safety"].Chat(t.Context(), hello)
	calls := []model.ToolCall{
		{ID: "call_1", Name: "f", Arguments: json.RawMessage(`{"a": 1}`)},
		{ID: "7", Name: "g", Arguments: json.RawMessage(`"{oops"`), Malformed: true},
		{ID: "call_3", Name: "h", Arguments: json.RawMessage(`{}`)},
	}
	if diff := cmp.Diff(calls, reply.ToolCalls); diff != "" || err != nil {
		t.Errorf("safety: %v (-want +got):\n%s", err, diff)
	}
	if _, err := models["correctness"].Chat(t.Context(), hello); code(err) != tool.Unavailable {
		t.Errorf("correctness has nothing to say, but: %v", err)
	}
}

func TestBadScripts(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		``:                                      "",
		`[]`:                                    "",
		`null`:                                  "",
		`{"creation": "yes"}`:                   "",
		`{"creaton": []}`:                       "/creaton",
		`{"creation": ["a", {"error": 7}]}`:     "/creation/1",
		`{"creation": [{"error": "", "x": 1}]}`: "/creation/0",
		`{"creation": [{"error": "", "code": "boom"}]}`: "/creation/0",
		`{"creation": [{"text": "", "calls": []}]}`:     "/creation/0",
		strings.Repeat(" ", 5<<20):                      "",
	} {
		_, err := model.ReadScript([]byte(text), "creation")
		if code(err) != tool.InvalidRequest || tool.AsError(err).Path != path {
			t.Errorf("%.60s: error %v, want one at %q", text, err, path)
		}
	}
}
