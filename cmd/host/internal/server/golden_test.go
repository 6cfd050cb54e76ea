package server_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The problems that clients meet, as they go over the wire. Whoever changes one changes a contract.
func TestProblems(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	w.forge(annKey, "thrower")
	w.ok(nil, annKey, "POST", "/v1/tools/thrower/suspend", `{"reason":"under review"}`)
	var out strings.Builder
	for _, c := range []struct{ key, method, path, body string }{
		{"", "GET", "/v1/tools", ""},
		{lookKey, "POST", "/v1/forge", "{}"},
		{annKey, "GET", "/v1/nothing", ""},
		{annKey, "PUT", "/v1/tools", "{}"},
		{annKey, "GET", "/v1/tools?limit=1000&tier=none", ""},
		{annKey, "GET", "/v1/tools/nothing", ""},
		{annKey, "POST", "/v1/tools/nothing/call", "{}"},
		{annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":"two"}`},
		{annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,`},
		{annKey, "POST", "/v1/tools/thrower/call", `{"a":1,"b":2}`},
		{annKey, "POST", "/v1/tools/add_numbers/demote", `{"reason":" "}`},
		{annKey, "POST", "/v1/tools/add_numbers/demote", `{"why":"x"}`},
		{graceKey, "POST", "/v1/tools/add_numbers/promote", `{"to":"session"}`},
		{annKey, "POST", "/v1/forge", `{"name":"x"}`},
		{annKey, "POST", "/v1/forge", `[]`},
	} {
		got := w.ask(c.key, c.method, c.path, c.body)
		fmt.Fprintf(&out, "> %s\n%d %s\n%s", strings.TrimSpace(c.method+" "+c.path+" "+c.body), got.status, got.header.Get("Content-Type"), got.body)
	}
	text := regexp.MustCompile(`"durationMs":[0-9.e-]+`).ReplaceAllString(out.String(), `"durationMs":0`)
	text = regexp.MustCompile(`emergent:[0-9a-f-]{36}`).ReplaceAllString(text, "emergent:ID")
	const file = "testdata/problems.golden"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
