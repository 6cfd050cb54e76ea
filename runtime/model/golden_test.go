package model_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"example.com/toolsmith/runtime/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const golden = "testdata/requests.txtar"

// transport answers without a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// TestRequests compares what is sent with testdata/requests.txtar.
func TestRequests(t *testing.T) {
	t.Parallel()
	call := model.ToolCall{ID: "call_1", Name: "add", Arguments: json.RawMessage(`{"a":1,"b":2}`)}
	bad := model.ToolCall{ID: "call_2", Name: "now", Arguments: json.RawMessage(`"{oops"`), Malformed: true}
	requests := map[string]model.Request{
		"plain": {Messages: []model.Message{model.Ask("hello")}},
		"whole": {
			System: "You add.",
			Messages: []model.Message{
				model.Ask("What is 1 + 2, and when?"),
				{Role: model.Assistant, Text: "Let me see.", ToolCalls: []model.ToolCall{call, bad}},
				call.Result("3"), bad.Failure("the arguments are not JSON"),
				model.Ask("Well?"),
			},
			Tools: []model.ToolSpec{
				{Name: "add", Description: "adds", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"}}}`)},
				{Name: "now"},
			},
			MaxTokens: 300, Temperature: new(0.0), Seed: new(int64(7)),
			JSONSchema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
		},
		"warm": {Messages: []model.Message{model.Ask("hello")}, MaxTokens: 5, Temperature: new(1.5)},
		"silent result": {Messages: []model.Message{
			model.Ask("go"), {Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "x", Name: "f"}}}, {Role: model.Tool, CallID: "x"},
		}},
	}
	specs := map[string]model.Spec{
		"openai":           {Provider: model.OpenAI},
		"openai reasoning": {Provider: model.OpenAI, Model: "gpt-5-mini"},
		"compatible":       {Provider: model.OpenAI, Model: "local", BaseURL: "http://127.0.0.1:1234/v1/"},
		"groq":             {Provider: model.Groq},
		"anthropic":        {Provider: model.Anthropic},
		"anthropic proxy":  {Provider: model.Anthropic, BaseURL: "https://proxy.example/claude/v1"},
	}
	got := &txtar.Archive{Comment: []byte("What is sent to each provider. go test ./runtime/model -run TestRequests -update writes it.\n\n")}
	for name, what := range map[string]string{
		"openai": "plain, whole, warm, silent result", "openai reasoning": "warm", "compatible": "warm",
		"groq": "whole", "anthropic": "plain, whole, warm, silent result", "anthropic proxy": "plain",
	} {
		for what := range strings.SplitSeq(what, ", ") {
			got.Files = append(got.Files, txtar.File{Name: name + ": " + what, Data: sent(t, specs[name], requests[what])})
		}
	}
	slices.SortFunc(got.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	if *update {
		if err := os.WriteFile(golden, txtar.Format(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// sent is a request as it goes out.
func sent(t *testing.T, spec model.Spec, req model.Request) []byte {
	t.Helper()
	var out bytes.Buffer
	capture := transport(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s %s\n", r.Method, r.URL)
		if err := r.Header.Write(&out); err != nil {
			return nil, err
		}
		out.WriteString("\n")
		if err := json.Indent(&out, body, "", "  "); err != nil {
			return nil, err
		}
		out.WriteString("\n")
		return answer(400, `{}`), nil
	})
	m, err := model.Open(spec, model.Options{Transport: capture, Getenv: func(string) string { return "KEY" }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Chat(t.Context(), req); err == nil {
		t.Error("status 400 is no error")
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\r"), nil)
}
