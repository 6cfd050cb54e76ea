package forge

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestEdges(t *testing.T) {
	t.Parallel()
	const object = `{"properties":{"n":{"type":"number","minimum":-7},"text":{"type":"string"}},"required":["n"]}`
	got := edges(json.RawMessage(`{"n":3,"text":"\u00e9t\u00e9"}`), json.RawMessage(object))
	for what, want := range map[string]string{
		"the least":                           `{"n":-7,"text":"\u00e9t\u00e9"}`,
		"a number that is no binary fraction": `{"n":0.1,"text":"\u00e9t\u00e9"}`,
		"the empty text":                      `{"n":3,"text":""}`,
		"a run that ends otherwise":           `{"n":3,"text":"` + strings.Repeat("\u00e9", runLength) + `!"}`,
		"without what is optional":            `{"n":3}`,
	} {
		if !slices.ContainsFunc(got, func(input json.RawMessage) bool { _, same := equal(json.RawMessage(want), input, false); return same }) {
			t.Errorf("%s: %s is not among %s", what, want, got)
		}
	}
}

// A member has no run when it is no text, has none to begin with, or is not there.
func TestNoRun(t *testing.T) {
	t.Parallel()
	for _, from := range []string{`{"text":1}`, `{"text":""}`, `{"text":null}`, `{}`, `[]`, `null`, ``} {
		if got := run(json.RawMessage(from), "text"); got != nil {
			t.Errorf("%s: got %s", from, got)
		}
	}
}
