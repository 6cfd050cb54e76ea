package modeltest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/model/modeltest"
)

// TestRefusals asks as no client should. %s stands for the messages.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","max_tokens":1,"messages":[%s]}`
	server := modeltest.Start()
	defer server.Close()
	for name, c := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"nowhere":         {"/v2/chat", "{}", 404, "no such path"},
		"not JSON":        {"/v1/chat/completions", "{", 400, "could not parse"},
		"no model":        {"/v1/chat/completions", "{}", 400, "model"},
		"no messages":     {"/v1/chat/completions", fmt.Sprintf(body, ""), 400, "empty array"},
		"no content":      {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"user"}`), 400, "content"},
		"result unasked":  {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"tool","tool_call_id":"1","content":""}`), 400, "must answer"},
		"call unanswered": {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}`), 400, "not answered"},
		"call passed":     {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"user","content":"a"}`), 400, "must be followed"},
		"odd call":        {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f!","arguments":"{}"}}]}`), 400, "invalid tool_calls"},
		"all well":        {"/v1/chat/completions", fmt.Sprintf(body, `{"role":"user","content":"a"}`), 400, "none of the 0 steps"},

		"anthropic, not JSON":        {"/v1/messages", "{", 400, "not valid JSON"},
		"anthropic, no model":        {"/v1/messages", "{}", 400, "model"},
		"anthropic, no max":          {"/v1/messages", `{"model":"m"}`, 400, "max_tokens"},
		"anthropic, no messages":     {"/v1/messages", fmt.Sprintf(body, ""), 400, "first message"},
		"anthropic, empty text":      {"/v1/messages", fmt.Sprintf(body, `{"role":"user","content":[{"type":"text","text":""}]}`), 400, "non-empty"},
		"anthropic, result unasked":  {"/v1/messages", fmt.Sprintf(body, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1"}]}`), 400, "unexpected"},
		"anthropic, call unanswered": {"/v1/messages", fmt.Sprintf(body, `{"role":"user","content":[]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}`), 400, "blocks after"},
		"anthropic, call passed":     {"/v1/messages", fmt.Sprintf(body, `{"role":"user","content":[]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]},{"role":"user","content":[]}`), 400, "immediately after"},
		"anthropic, odd call":        {"/v1/messages", fmt.Sprintf(body, `{"role":"user","content":[]},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f"}]}`), 400, "needs id"},
	} {
		header := http.Header{"Authorization": {"Bearer " + modeltest.Key}, "X-Api-Key": {modeltest.Key}, "Anthropic-Version": {"2023-06-01"}}
		status, text := post(t, server.URL+c.path, header, c.body)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: status %d, %s; want %d that says %q", name, status, text, c.status, c.says)
		}
	}
	for path, want := range map[string]int{"/v1/messages": 401, "/v1/chat/completions": 401} {
		if status, text := post(t, server.URL+path, http.Header{"Authorization": {"Bearer x"}}, "{}"); status != want {
			t.Errorf("%s with a wrong key: status %d, %s", path, status, text)
		}
	}
}

func post(t *testing.T, url string, header http.Header, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}
