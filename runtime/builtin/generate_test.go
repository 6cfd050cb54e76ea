package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
)

// open is a model that answers with the steps, without trying again.
func open(t *testing.T, steps ...modeltest.Step) (model.Model, *modeltest.Server) {
	t.Helper()
	server := modeltest.Start(steps...)
	t.Cleanup(server.Close)
	m, err := model.Open(model.Spec{Provider: model.OpenAI, Model: "small", BaseURL: server.URL + "/v1"}, model.Options{Getenv: server.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	return m, server
}

func TestGenerateText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		step modeltest.Step
		row
		sent string // part of the request
	}{
		"text":        {modeltest.Text("Tea & <ink>"), row{input: `{"prompt": "a title"}`, output: `{"text": "Tea & <ink>", "model": "test-model", "stopReason": "end"}`}, `"max_tokens":1024`},
		"all of it":   {modeltest.Text("a"), row{input: `{"prompt": "a title", "system": "be brief", "maxTokens": 4096}`, output: `{"text": "a", "model": "test-model", "stopReason": "end"}`}, "be brief"},
		"cut":         {modeltest.Step{Text: "a", Stop: "length"}, row{input: `{"prompt": "a", "maxTokens": 1}`, output: `{"text": "a", "model": "test-model", "stopReason": "length"}`}, `"max_tokens":1`},
		"nothing":     {modeltest.Step{}, row{input: `{"prompt": "a"}`, output: `{"text": "", "model": "test-model", "stopReason": "end"}`}, ""},
		"bad request": {modeltest.Fault(400, "too long"), row{input: `{"prompt": "a"}`, code: tool.Unavailable, message: "too long", hint: "try again"}, ""},
		"no key":      {modeltest.Fault(401, "no"), row{input: `{"prompt": "a"}`, code: tool.Unavailable, message: "key"}, ""},
		"not JSON":    {modeltest.Step{Body: "<html>"}, row{input: `{"prompt": "a"}`, code: tool.Unavailable}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, server := open(t, c.step)
			got, e := call(t, builtin.GenerateText(m, nil), nil, c.input)
			c.check(t, got, e)
			if seen := server.Seen(); len(seen) == 0 || !strings.Contains(string(seen[0].Body), c.sent) {
				t.Errorf("the server saw %v", seen)
			}
		})
	}
}

// Whatever the model says about why, the caller of a tool sees that it is not there; quotas and ends stay what they are.
func TestGenerateTextFails(t *testing.T) {
	t.Parallel()
	for code, want := range map[tool.Code]tool.Code{
		tool.InvalidRequest: tool.Unavailable, tool.Internal: tool.Unavailable, tool.Unavailable: tool.Unavailable, tool.Denied: tool.Unavailable,
		tool.OverQuota: tool.OverQuota, tool.Limit: tool.Limit, tool.Timeout: tool.Timeout, tool.Canceled: tool.Canceled,
	} {
		_, e := call(t, builtin.GenerateText(model.NewScripted(model.Fail(code, "no")), nil), nil, `{"prompt": "a"}`)
		if e == nil || e.Code != want || e.Message != "no" {
			t.Errorf("%s: got %v", code, e)
		}
	}
}

// What a session and its persona have goes into the request; what cannot be prepared is not asked.
func TestGenerateTextIsPrepared(t *testing.T) {
	t.Parallel()
	m := model.NewScripted(model.Say("tea"))
	warm, ann := 0.4, tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}
	one := builtin.GenerateText(m, func(_ context.Context, c tool.Caller, req *model.Request) error {
		if c != ann {
			return &tool.Error{Code: tool.Denied, Message: "who is that?", Hint: "be ann"}
		}
		req.System += " and kind"
		req.Temperature = &warm
		return nil
	})
	input := json.RawMessage(`{"prompt": "a drink", "system": "be brief"}`)
	if _, err := one.Run(t.Context(), &runtime.Invocation{Caller: ann, Input: input}); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Run(t.Context(), &runtime.Invocation{Input: input}); !errors.Is(err, tool.Denied) {
		t.Errorf("got %v, want what prepare said", err)
	}
	asked := m.Asked()
	if len(asked) != 1 || asked[0].System != "be brief and kind" || asked[0].Temperature == nil || *asked[0].Temperature != warm {
		t.Errorf("the model was asked %+v", asked)
	}
}
