package tool_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestRoot(t *testing.T) {
	t.Parallel()
	for persona, want := range map[string]string{
		"ann": "ann", "ann/helper": "ann", "ann/helper/critic": "ann", "anna": "anna", "ann/": "ann", "/": "/", "/helper": "/helper", "": "",
	} {
		if got := tool.Root(persona); got != want {
			t.Errorf("%q: got %q, want %q", persona, got, want)
		}
	}
}

func TestCallersShowThemselves(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"s": true, "a b/c:1": true, "Zoë 東京": true, strings.Repeat("s", 200): true,
		"": false, strings.Repeat("s", 201): false, "\xff": false, "a\x00": false, "a\nb": false, " a": false, "a\u200b": false, "\u202ea": false,
	} {
		for path, c := range map[string]tool.Caller{
			"/tenant":  {Tenant: text, Persona: "p", Session: "s"},
			"/persona": {Tenant: "t", Persona: text, Session: "s"},
			"/session": {Tenant: "t", Persona: "p", Session: text},
		} {
			switch e := tool.AsError(c.Validate()); {
			case fine && e != nil:
				t.Errorf("%q: %v", text, e)
			case !fine && (!errors.Is(e, tool.InvalidRequest) || e.Path != path || e.Hint == ""):
				t.Errorf("%q: %+v", text, e)
			}
		}
	}
}
