package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// fileError is an error with the name of the file that its line and column count in.
type fileError struct {
	file    string
	text    string // of the file
	columns bool   // columns count in text, not in what became of it
	err     error
}

func (e *fileError) Error() string { return e.file + ": " + e.err.Error() }

func (e *fileError) Unwrap() error { return e.err }

// plain words an error for a line that says in its own words what kind of failure it is.
func plain(err error) string { return tool.AsError(err).Message }

// asConfigured words the hint of a power that was refused for verbs that have no flags to grant it: the configuration does.
func asConfigured(err error) error {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e == nil {
		return err
	}
	if _, rule, ok := strings.Cut(e.Hint, "add to the policy: "); ok {
		e.Hint = "add to the policy of the persona, in the configuration (policies.default unless it has another): " + rule
	}
	return err
}

// failureReport is the JSON form of a verb that failed.
type failureReport struct {
	OK    bool        `json:"ok"`
	Error *tool.Error `json:"error"`
}

// failed prints a failure where results are JSON, and returns what is left to say of it.
func (f *face) failed(err error) error {
	failure, ok := errors.AsType[*tool.Error](err)
	if !ok || f.format != asJSON {
		return err
	}
	f.printJSON(failureReport{Error: failure})
	return done(failure.Code.ExitStatus())
}

// explain writes a failure to standard error: the code, where, what, the source line, and how to mend it.
func (f *face) explain(err error) {
	e, place := tool.AsError(err), ""
	where, ok := errors.AsType[*fileError](err)
	if ok && e.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d: ", escape(called(where.file)), e.Line, e.Column)
	}
	f.sayf("%s: %s%s", e.Code, place, what(e))
	if ok {
		f.showLine(where, e)
	}
	for line := range strings.Lines(e.Stack) {
		f.asidef("    %s\n", escape(strings.TrimSpace(line)))
	}
	if e.Hint != "" {
		f.asidef("  hint: %s\n", escape(e.Hint))
	}
}

// what is the message with the name of what the tool threw and the place in the data.
func what(e *tool.Error) string {
	text := escape(e.Message)
	if e.Name != "" && e.Code == tool.GuestError {
		text = escape(e.Name) + ": " + text
	}
	if e.Path != "" && !strings.Contains(e.Message, e.Path) {
		text += " (at " + escape(e.Path) + ")"
	}
	return text
}

// lineWidth is how much of a source line is shown.
const lineWidth = 100

// showLine shows the line of the file that an error speaks of, with a mark under the column.
func (f *face) showLine(where *fileError, e *tool.Error) {
	lines := strings.SplitN(where.text, "\n", e.Line+1)
	if e.Line < 1 || e.Line > len(lines) {
		return
	}
	runes := []rune(strings.ReplaceAll(strings.TrimRight(lines[e.Line-1], "\r"), "\t", " "))
	at := max(0, min(e.Column-1, len(runes)))
	from := max(0, at-lineWidth/2)
	before, after := escape(string(runes[from:at])), escape(string(runes[at:min(len(runes), from+lineWidth)]))
	f.asidef("  | %s%s\n", before, after)
	if where.columns {
		f.asidef("  | %*s^\n", utf8.RuneCountInString(before), "")
	}
}
