package cli

import (
	"fmt"

	"example.com/toolsmith/runtime/cases"
)

// tally counts what became of the cases.
type tally struct{ passed, failed, skipped, total int }

func (t *tally) add(r cases.Report) {
	switch r.Status {
	case cases.Passed:
		t.passed++
	case cases.Failed:
		t.failed++
	case cases.Skipped:
		t.skipped++
	}
}

func (t tally) done() int { return t.passed + t.failed + t.skipped }

// String is the last line of `host cases`.
func (t tally) String() string {
	text := fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped (they need powers, which this version does not grant)", t.skipped)
	}
	return text
}
