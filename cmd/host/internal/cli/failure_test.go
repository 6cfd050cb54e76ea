package cli

import (
	"errors"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// Hints that name flags of run and cases name the configuration where there are no such flags; others stay as they are.
func TestAsConfigured(t *testing.T) {
	t.Parallel()
	const add = "add to the policy of the persona, in the configuration (policies.default unless it has another): "
	for hint, want := range map[string]string{
		"run with --allow crypto, or add to the policy: permissions: {}": add + "permissions: {}",
		"add to the policy: permissions: {}":                             add + "permissions: {}",
		"mend the code":                                                  "mend the code",
		"":                                                               "",
	} {
		e := &tool.Error{Code: tool.Denied, Hint: hint}
		if _ = asConfigured(asConfigured(e)); e.Hint != want {
			t.Errorf("%q became %q", hint, e.Hint)
		}
	}
	misuse := errors.New("no flag")
	if !errors.Is(asConfigured(misuse), misuse) || asConfigured(nil) != nil {
		t.Error("an error that is none of ours was changed")
	}
}
