package builtin_test

import (
	"strings"
	"testing"

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
			got, e := call(t, builtin.GenerateText(m), nil, c.input)
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
		_, e := call(t, builtin.GenerateText(model.NewScripted(model.Fail(code, "no"))), nil, `{"prompt": "a"}`)
		if e == nil || e.Code != want || e.Message != "no" {
			t.Errorf("%s: got %v", code, e)
		}
	}
}
