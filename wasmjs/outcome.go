package wasmjs

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// report is what the guest tells of a thrown value (guest/shim/report.h).
type report struct {
	Error   bool            `json:"error"`
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Stack   string          `json:"stack"`
	Hint    string          `json:"hint"`
	Value   json.RawMessage `json:"value"`
}

// readReport reads a report. One that memory did not suffice for reads as empty.
func readReport(text []byte) report {
	var r report
	if json.Unmarshal(text, &r) != nil {
		return report{}
	}
	return r
}

// summary is the report in one line.
func (r report) summary() string {
	switch {
	case r.Name != "" && r.Message != "":
		return r.Name + ": " + r.Message
	case r.Name != "":
		return r.Name
	case r.Message != "":
		return r.Message
	case len(r.Value) > 0:
		return string(r.Value)
	}
	return "a value that cannot be shown"
}

// outcome turns a status other than waiting into the call's error; nil for statusDone.
func (in *instance) outcome(st status) error {
	limits := &in.job.budget.limits
	switch st {
	case statusDone:
		return nil
	case statusThrew:
		return thrown(readReport(in.output()), in.shared32(sharedMark))
	case statusUnsettled:
		return &tool.Error{
			Code: tool.Unsettled, Message: "the promise that the tool returned can never settle: no timer, job or host call is pending",
			Hint: "make sure that every path resolves or rejects it",
		}
	case statusRefusedOutput:
		return refused(in.output())
	case statusLargeOutput:
		return &tool.Error{
			Code: tool.OutputTooLarge, Message: "the result has more than " + strconv.Itoa(limits.OutputBytes) + " bytes of JSON or more than 1000 levels",
			Hint: "return less, or in parts",
		}
	case statusBadInput:
		return tool.Errorf(tool.InvalidInput, "the input cannot be read: %s", readReport(in.output()).summary())
	case statusBadSource:
		return invalidSource(readReport(in.output()))
	case statusNoEntry:
		return &tool.Error{
			Code: tool.InvalidSource, Message: "the tool must define execute(input) or run(input)",
			Hint: "write it as a top-level function: function execute(input) { … }",
		}
	case statusWaiting:
	}
	return tool.Errorf(tool.Internal, "the sandbox answered with the unknown status %d", st)
}

// thrown is the error for a value that reached the host uncaught. Only the engine's own error objects carry a mark.
func thrown(r report, mark uint32) *tool.Error {
	code := tool.GuestError
	switch mark {
	case markOutOfMemory:
		code = tool.OutOfMemory
	case markStackOverflow:
		code = tool.StackOverflow
	case markDenied:
		code = tool.Denied
	case markLimit:
		code = tool.Limit
	}
	e := &tool.Error{Code: code, Message: r.summary(), Name: r.Name, Stack: r.Stack, Value: r.Value}
	if r.Error && r.Message != "" {
		e.Message = r.Message
	}
	e.Line, e.Column = position(r.Stack)
	if e.Hint = hint(code, r); e.Hint == "" && mark != markNone {
		e.Hint = r.Hint // of the host's own error
	}
	return e
}

func refused(output []byte) *tool.Error {
	var r struct{ Path, Message string }
	if json.Unmarshal(output, &r) != nil {
		return tool.Errorf(tool.InvalidOutput, "the result cannot be carried as JSON")
	}
	place := "the result"
	if r.Path != "" {
		place = "the result at " + r.Path
	}
	what, mend, _ := strings.Cut(r.Message, "; ")
	return &tool.Error{Code: tool.InvalidOutput, Message: place + " is " + what + ", which JSON cannot hold", Path: r.Path, Hint: mend}
}

func invalidSource(r report) *tool.Error {
	e := &tool.Error{Code: tool.InvalidSource, Message: r.summary(), Name: r.Name}
	if r.Message != "" {
		e.Message = r.Message
	}
	e.Line, e.Column = position(r.Stack)
	return e
}

var stackPlace = regexp.MustCompile(`:(\d+):(\d+)\)?$`)

// position finds the line and column of the first frame of a stack that has one.
func position(stack string) (line, column int) {
	for frame := range strings.Lines(stack) {
		if m := stackPlace.FindStringSubmatch(strings.TrimSpace(frame)); m != nil && !strings.Contains(frame, "toolsmith:") {
			line, _ = strconv.Atoi(m[1])
			column, _ = strconv.Atoi(m[2])
			return line, column
		}
	}
	return 0, 0
}

// snippetLength is how much of a source line an error shows.
const snippetLength = 120

// locate adds the offending source line to an error that names a place.
func locate(err error, src Source) error {
	e := tool.AsError(err)
	if e.Line < 1 {
		return e
	}
	lines := strings.Split(src.Code, "\n")
	if e.Line > len(lines) {
		return e
	}
	e.Snippet = strings.TrimRight(lines[e.Line-1], "\r")
	if len(e.Snippet) > snippetLength {
		e.Snippet = strings.ToValidUTF8(e.Snippet[:snippetLength], "") + "…"
	}
	return e
}

// missing are names that tools look for in vain, with what to do instead.
var missing = map[string]string{
	"Intl":           "Intl is not available in the sandbox: format numbers and dates by hand",
	"require":        "there are no modules in the sandbox: put what you need into the source",
	"module":         "there are no modules in the sandbox: define function execute(input)",
	"exports":        "there are no modules in the sandbox: define function execute(input)",
	"process":        "there is no process in the sandbox: pass what you need in the input",
	"Buffer":         "use Uint8Array, TextEncoder, TextDecoder, atob and btoa instead of Buffer",
	"window":         "there is no browser in the sandbox; globals are on globalThis",
	"document":       "there is no browser in the sandbox",
	"XMLHttpRequest": "ask for fetch in the allowlist",
	"fetch":          "ask for fetch in the allowlist",
	"fs":             "ask for fs.readFile in the allowlist",
	"crypto":         "ask for crypto in the allowlist",
	"setImmediate":   "use setTimeout or queueMicrotask",
}

var notDefined = regexp.MustCompile(`^'?(\w+)'? is not defined$`)

// hint says how to mend what the tool threw, where that is known.
func hint(code tool.Code, r report) string {
	if code == tool.OutOfMemory {
		return "keep less in memory at a time, or raise the memory limit"
	}
	if code == tool.StackOverflow {
		return "recurse less deep, or use a loop"
	}
	if m := notDefined.FindStringSubmatch(r.Message); m != nil {
		return missing[m[1]]
	}
	return ""
}

// isStopped reports whether a call was ended from outside, which leaves the guest in the middle of something.
func isStopped(err error) bool {
	var s *stoppedError
	return errors.As(err, &s)
}

// stoppedError is the cause within the error of a call that the host ended or that trapped.
type stoppedError struct{ cause error }

func (s *stoppedError) Error() string { return s.cause.Error() }
func (s *stoppedError) Unwrap() error { return s.cause }

// stopped is the error of a call that did not come back from the guest by itself.
func (in *instance) stopped(err error) error {
	limits := &in.job.budget.limits
	e := &tool.Error{Code: tool.Internal, Cause: &stoppedError{err}}
	var s stop
	switch {
	case !errors.As(err, &s):
		e.Message, _, _ = strings.Cut(err.Error(), "\n")
		e.Message = "the sandbox engine failed: " + e.Message
		if strings.Contains(e.Message, "stack overflow") {
			e.Code, e.Message = tool.StackOverflow, "the native stack is exhausted"
		}
		return e
	case s.code == tool.Timeout:
		e.Message = "timed out after " + strconv.FormatInt(limits.Timeout.Milliseconds(), 10) + " ms"
		e.Hint = "do less per call, or raise the timeout"
	case s.code == tool.OutOfFuel:
		e.Message = "used up its " + strconv.FormatUint(limits.Fuel, 10) + " units of fuel"
		e.Hint = "do less per call, or raise the fuel limit"
	case errors.Is(in.job.ctx.Err(), context.DeadlineExceeded):
		e.Code, e.Message = tool.Timeout, "the caller's own deadline passed"
		return e
	case s.code == tool.Canceled:
		e.Message = "the caller canceled the call"
	}
	e.Code = s.code
	return e
}
