package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Report is a case with what became of it.
type Report struct {
	Case    Case
	OK      bool
	Reason  string // why it is not; may hold text of the guest
	Outcome Outcome
	Output  json.RawMessage // when the outcome is OK
	Err     *tool.Error     // when it is not
	Stats   wasmjs.Stats
	Took    time.Duration // from the call to its return, loading included
}

// grace is how long after its deadline a run may return.
const grace = time.Second

// judge fills in whether the case passed, and why not. Without a gate, "error:invalid_source" among the right outcomes stands for any: nothing
// stopped the source, so all that counts is that the run ended in a typed way and in time.
func (r *Report) judge(opt Options) {
	r.OK = true
	limit := r.Case.Limits.WithDefaults().Timeout
	switch {
	case r.Outcome == Failure(tool.Internal):
		r.fail("the host itself failed: %v", r.Err)
	case r.Took > limit+grace:
		r.fail("returned after %v with a limit of %v", r.Took.Round(time.Millisecond), limit)
	case opt.NoGate && slices.Contains(r.Case.Expect, Failure(tool.InvalidSource)):
	case !slices.Contains(r.Case.Expect, r.Outcome):
		r.fail("got %s, want %s", r.ending(), list(r.Case.Expect))
	case r.Outcome == OK && !r.Case.AnyOK && !slices.ContainsFunc(r.Case.Outputs, r.equals):
		r.fail("got output %s, want %s", cut(string(r.Output)), cut(list(r.Case.Outputs)))
	}
}

func (r *Report) fail(format string, args ...any) {
	r.OK, r.Reason = false, fmt.Sprintf(format, args...)
}

func (r *Report) equals(want json.RawMessage) bool { return Equal(r.Output, want) }

// ending is the outcome with what it gave.
func (r *Report) ending() string {
	if r.Outcome == OK {
		return "ok with output " + cut(string(r.Output))
	}
	return string(r.Outcome) + " (" + cut(r.Err.Message) + ")"
}

func list[T ~string | ~[]byte](all []T) string {
	var texts []string
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return strings.Join(texts, " or ")
}

// cut shortens text to a readable length.
func cut(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
