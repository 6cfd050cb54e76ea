package tool_test

import (
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
