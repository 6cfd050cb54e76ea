package server_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// A tool is called by its id where its caller sees it, and is not there elsewhere.
func TestCallsById(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(annKey, "add_numbers")
	path := "/v1/tools/" + id + "/call"
	const input = `{"a":1,"b":2}`
	if got := w.ok(nil, annKey, "POST", path, input); !strings.Contains(string(got.body), `"output":{"sum":3}`) {
		t.Errorf("got %s", got.body)
	}
	for name, c := range map[string][]string{
		"another persona":  {bobKey, path},
		"an administrator": {graceKey, path},
		"another tenant":   {otherKey, path},
		"another session":  {annKey, path, "Toolsmith-Session", "other"},
		"no such tool":     {annKey, "/v1/tools/emergent:nothing/call"},
	} {
		p, _ := w.refused(404, tool.NotFound, c[0], "POST", c[1], input, c[2:]...)
		if !strings.Contains(p.Hint, "in its own session") {
			t.Errorf("%s: %s", name, p.Hint)
		}
	}
	again := w.forge(annKey, "add_numbers") // in the place of the first
	w.refused(404, tool.NotFound, annKey, "POST", path, input)
	w.ok(nil, annKey, "POST", "/v1/tools/"+again+"/call", input)
}

// Hints say what to do, whatever the caller does it with.
func TestHintsNameNoVerbs(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	for name, c := range map[string][3]string{
		"a tool of nothing":      {"GET", "/v1/tools/nothing", ""},
		"a call of nothing":      {"POST", "/v1/tools/nothing/call", "{}"},
		"a tool of the host":     {"GET", "/v1/tools/text_template", ""},
		"a version of nothing":   {"GET", "/v1/tools/add_numbers/diff?from=9", ""},
		"a session of nothing":   {"DELETE", "/v1/sessions/ann/nothing", ""},
		"a tool to be suspended": {"POST", "/v1/tools/nothing/suspend", "{}"},
	} {
		p, _ := w.refused(404, tool.NotFound, annKey, c[0], c[1], c[2])
		if p.Hint == "" || strings.Contains(p.Hint, "tool list") || strings.Contains(p.Hint, "tool search") || strings.Contains(p.Hint, "versions lists") ||
			strings.Contains(p.Hint, "session list") {
			t.Errorf("%s: %s", name, p.Hint)
		}
	}
}
