package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
)

// FuzzReply reads whatever a server may answer. It is an error of the few kinds, or a reply that can go back into the
// conversation and be sent.
func FuzzReply(f *testing.F) {
	for _, step := range []modeltest.Step{
		modeltest.Text("hi"), modeltest.Calls("f", `{"a":1}`), modeltest.Calls("f", `{"a"`), modeltest.Fault(429, "slow"), modeltest.Fault(400, page),
	} {
		server := modeltest.Start(step, step)
		for _, path := range []string{"/v1/chat/completions", "/v1/messages"} {
			status, body := fetch(f, server, path)
			f.Add(status, body)
		}
		server.Close()
	}
	f.Add(200, []byte(`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"tool_calls":[{"function":{}}]},"finish_reason":null}],"usage":{"prompt_tokens":-1}}`))
	f.Add(200, []byte(`{"type":"message","content":[{"type":"tool_use","input":null}],"usage":{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 999 {
			t.Skip("net/http gives no such status")
		}
		for _, provider := range all[:2] {
			again := false
			m, err := model.Open(model.Spec{Provider: provider}, model.Options{
				Getenv: func(string) string { return modeltest.Key },
				Sleep:  noSleep,
				Transport: transport(func(r *http.Request) (*http.Response, error) {
					if again {
						return answer(200, string(body)), nil
					}
					return answer(status, string(body)), nil
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			reply, err := m.Chat(t.Context(), hello)
			if err != nil {
				checkKind(t, err)
				continue
			}
			checkReply(t, reply)
			req := model.Request{Messages: []model.Message{model.Ask("hello"), reply.Message(), model.Ask("go on")}}
			if reply.Text == "" && len(reply.ToolCalls) == 0 {
				continue
			}
			for _, c := range reply.ToolCalls {
				req.Messages = slices.Insert(req.Messages, len(req.Messages)-1, c.Result("done"))
			}
			again = true
			if _, err := m.Chat(t.Context(), req); err != nil {
				t.Errorf("the reply cannot be sent back: %v", err)
			}
		}
	})
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// fetch asks a server for its next step.
func fetch(tb testing.TB, server *modeltest.Server, path string) (int, []byte) {
	tb.Helper()
	body := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`
	if path == "/v1/messages" {
		body = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[]}]}`
	}
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, server.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header = http.Header{"X-Api-Key": {modeltest.Key}, "Anthropic-Version": {"x"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return resp.StatusCode, text
}

func checkKind(t *testing.T, err error) {
	t.Helper()
	kinds := []tool.Code{tool.Unavailable, tool.OverQuota, tool.Timeout, tool.Canceled, tool.InvalidRequest}
	if !slices.Contains(kinds, code(err)) || len(err.Error()) > 2000 {
		t.Errorf("error %v", err)
	}
}

func checkReply(t *testing.T, r model.Reply) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if min(r.Usage.InputTokens, r.Usage.OutputTokens, r.Usage.CachedTokens) < 0 {
		t.Errorf("usage below zero: %+v", r.Usage)
	}
	for _, c := range r.ToolCalls {
		var object map[string]any
		var text string
		if c.ID == "" || c.Malformed && json.Unmarshal(c.Arguments, &text) != nil || !c.Malformed && json.Unmarshal(c.Arguments, &object) != nil {
			t.Errorf("tool call %+v", c)
		}
	}
}

// FuzzReadScript reads any script: it is refused as a request is, or its models say what they can.
func FuzzReadScript(f *testing.F) {
	f.Add([]byte(`{"a": ["text", {"error": "down", "code": "timeout"}, {"x": [1]}, {"text": "", "toolCalls": [{"name": "f", "arguments": "{"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		models, err := model.ReadScript(text, "a")
		if err != nil {
			if code(err) != tool.InvalidRequest {
				t.Error(err)
			}
			return
		}
		for models["a"].Left() > 0 {
			if reply, err := models["a"].Chat(t.Context(), hello); err == nil {
				checkReply(t, reply)
			}
		}
	})
}
