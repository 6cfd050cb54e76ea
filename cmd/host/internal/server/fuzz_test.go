package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// Whatever is sent, the answer is JSON that says what it is, and no fault of the host.
func FuzzBody(f *testing.F) {
	w := open(f, "", nil)
	w.forge(annKey, "add_numbers")
	for _, body := range []string{
		`{"a":1,"b":2}`, `{"a":1e400,"b":-0}`, `{`, ``, `[]`, `null`, `"x"`, "\xff", `{"a":1,"a":2}`, `{"__proto__":{}}`, strings.Repeat("[", 1000), `{"reason":"x"}`,
		`{"to":"agent"}`, `{"version":"1"}`, `{"name":"add","implementation":{"mode":"sandbox","code":"function execute(){}"}}`,
	} {
		for _, path := range []string{"call", "forge", "suspend", "promote", "import"} {
			f.Add(path, []byte(body), "application/json", "")
		}
	}
	f.Add("call", []byte(`{}`), "text/plain", "text/event-stream")
	f.Add("suspend", []byte(`{}`), "application/json", ";,0")
	f.Fuzz(func(t *testing.T, path string, body []byte, kind, accept string) {
		at := "/v1/tools/add_numbers/" + path
		switch path {
		case "forge", "import":
			at = "/v1/" + path
		case "call", "suspend", "promote", "resume", "revert", "demote":
		default:
			t.Skip()
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+at, strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer "+annKey)
		r.Header["Content-Type"], r.Header["Accept"] = []string{kind}, []string{accept}
		answer := httptest.NewRecorder()
		w.server.Handler().ServeHTTP(answer, r)
		switch got := answer.Header().Get("Content-Type"); {
		case got == "application/json" && answer.Code == http.StatusOK && json.Valid(answer.Body.Bytes()):
		case got == "text/event-stream" && answer.Code == http.StatusOK:
		case got == "application/problem+json":
			var p server.Problem
			if err := json.Unmarshal(answer.Body.Bytes(), &p); err != nil || p.Status != answer.Code || !p.Code.Known() || p.Code == tool.Internal {
				t.Errorf("%d %s: %v", answer.Code, answer.Body, err)
			}
		default:
			t.Errorf("%d %s %s", answer.Code, got, answer.Body)
		}
	})
}
