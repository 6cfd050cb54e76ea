package server_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// wrongs are requests with which something is wrong, whatever they ask for.
var wrongs = map[string]struct {
	key, query, body string
	headers          []string
}{
	"no key":           {},
	"another key":      {key: "no-such-key"},
	"a small key":      {key: lookKey, body: `{}`},
	"another tenant":   {key: otherKey, body: `{"to":"agent","version":"1","reason":"x"}`},
	"another page":     {key: graceKey, headers: []string{"Origin", "http://evil.example"}},
	"another host":     {key: graceKey, headers: []string{"Host", "evil.example"}},
	"an encoding":      {key: graceKey, body: `{}`, headers: []string{"Content-Encoding", "gzip"}},
	"another type":     {key: graceKey, body: `{}`, headers: []string{"Content-Type", "text/plain"}},
	"a long session":   {key: graceKey, headers: []string{server.SessionHeader, strings.Repeat("s", 201)}},
	"an empty key":     {key: graceKey, headers: []string{"Idempotency-Key", " "}},
	"a long key":       {key: graceKey, headers: []string{"Idempotency-Key", strings.Repeat("k", 201)}},
	"another query":    {key: graceKey, query: "?nothing=1"},
	"no query":         {key: graceKey, query: "?%zz"},
	"a twofold query":  {key: graceKey, query: "?limit=1&limit=2"},
	"no body":          {key: graceKey},
	"a cut body":       {key: graceKey, body: `[1,2`},
	"a list":           {key: graceKey, body: `[1,2]`},
	"a number":         {key: graceKey, body: `7`},
	"nothing":          {key: graceKey, body: `null`},
	"nothing known":    {key: graceKey, body: `{"nothing":1}`},
	"the wrong types":  {key: graceKey, body: `{"to":1,"reason":1,"version":1,"owner":1,"a":"x","name":1}`},
	"a double key":     {key: graceKey, body: `{"to":"agent","to":"agent"}`},
	"no UTF-8":         {key: graceKey, body: "\"\xff\""},
	"a deep body":      {key: graceKey, body: strings.Repeat("[", 5000)},
	"a number beyond":  {key: graceKey, body: `{"a":1e999,"b":1}`},
	"a tag":            {key: graceKey, body: `{"to":"agent","version":"1","reason":"x"}`, headers: []string{"If-Match", `"x"`}},
	"a version":        {key: graceKey, body: `{"version":"99"}`},
	"an approver":      {key: graceKey, body: `{"to":"agent","approvedBy":"eve"}`},
	"a tier too far":   {key: graceKey, body: `{"to":"shared"}`},
	"a tier too near":  {key: graceKey, body: `{"to":"session"}`},
	"what is no event": {key: graceKey, headers: []string{"Last-Event-ID", "x"}},
}

// Whatever is refused, by whichever operation, says how it is mended.
func TestHints(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(graceKey, "add_numbers")
	w.ok(nil, graceKey, "POST", "/v1/tools/"+id+"/suspend", `{"reason":"under review"}`)
	var doc spec
	w.ok(&doc, "", "GET", "/openapi.json", "")
	for template, methods := range doc.Paths {
		for method := range methods {
			for name, wrong := range wrongs {
				for _, named := range []string{id, "nothing"} {
					path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(template, named)
					if path == template && named != id {
						continue // which was asked for
					}
					if template == "/v1/events" && wrong.key == graceKey && wrong.query == "" && len(wrong.headers) == 0 || method == "delete" && named == id {
						continue // a stream does not end, and what is deleted is refused nothing any more
					}
					checkHint(t, name, w.ask(wrong.key, strings.ToUpper(method), path+wrong.query, wrong.body, wrong.headers...))
				}
			}
			checkHint(t, "another method", w.ask(graceKey, http.MethodPut, template, ""))
		}
	}
}

// checkHint checks what was answered, if it is a problem.
func checkHint(t *testing.T, name string, got reply) {
	t.Helper()
	if got.status == http.StatusOK {
		return
	}
	var p struct {
		server.Problem

		Result struct {
			Error    *tool.Error
			Problems []tool.Error
		} `json:"result"`
	}
	if err := json.Unmarshal(got.body, &p); err != nil || p.Hint == "" || p.Result.Error != nil && p.Result.Error.Hint == "" {
		t.Errorf("%s: %d %s", name, got.status, got.body)
	}
	for _, e := range p.Result.Problems {
		if e.Hint == "" {
			t.Errorf("%s: a problem without a hint: %+v", name, e)
		}
	}
}
