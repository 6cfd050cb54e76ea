package syntax_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// notOurs is what the engine takes and we do not: HTML-like comments, in which one could hide what the other sees.
func notOurs(code string) bool {
	return strings.Contains(code, "<!--") || strings.Contains(code, "-->")
}

// TestTheEngineAgrees holds the lists of this package against the authority on syntax.
func TestTheEngineAgrees(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starting the engine takes a second")
	}
	engine, err := wasmjs.New(t.Context(), wasmjs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	takes := func(code string) bool { // what it does when run is of no interest
		_, err := engine.Load(t.Context(), wasmjs.Source{Code: code + "\n;function execute() {}"}, tool.Limits{Fuel: 1e7})
		return !errors.Is(err, tool.InvalidSource)
	}
	for _, code := range modern {
		if !takes(code) {
			t.Errorf("the engine refuses %q", code)
		}
	}
	for code := range broken {
		if code = strings.Replace(code, "^", "", 1); takes(code) && !notOurs(code) {
			t.Errorf("the engine takes %q", code)
		}
	}
}
