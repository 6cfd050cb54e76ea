package cli

import (
	"fmt"

	"example.com/toolsmith/runtime/cases"
)

// tally counts what became of the cases.
type tally struct{ passed, failed, total int }

func (t *tally) add(r cases.Report) {
	if r.OK {
		t.passed++
	} else {
		t.failed++
	}
}

func (t tally) done() int { return t.passed + t.failed }

// String is the last line of `host cases`.
func (t tally) String() string { return fmt.Sprintf("%d passed, %d failed", t.passed, t.failed) }
