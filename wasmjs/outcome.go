package wasmjs

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// outcome turns a status other than waiting into the call's error; nil for statusDone.
func (in *instance) outcome(st status) error {
	limits := &in.job.budget.limits
	switch st {
	case statusDone:
		return nil
	case statusThrew:
		return thrown(readReport(in.output()), in.shared32(sharedMark), in.job.file)
	case statusUnsettled:
		return &tool.Error{
			Code: tool.Unsettled, Message: "the promise that the tool returned can never settle: no timer, job or host call is pending",
			Hint: "make sure that every path resolves or rejects it",
		}
	case statusRefusedOutput:
		return refused(in.output())
	case statusLargeOutput:
		return &tool.Error{
			Code: tool.OutputTooLarge, Message: "the result has more than " + strconv.Itoa(limits.OutputBytes) + " bytes of JSON",
			Hint: "return less, or in parts",
		}
	case statusDeepOutput:
		return &tool.Error{
			Code: tool.OutputTooLarge, Message: "the result nests deeper than " + strconv.Itoa(maxInputDepth) + " levels", Hint: "return it flatter",
		}
	case statusBadInput:
		return tool.Errorf(tool.InvalidInput, "the input cannot be read: %s", readReport(in.output()).summary())
	case statusBadSource:
		return invalidSource(readReport(in.output()), in.job.file)
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
func thrown(r report, mark uint32, file string) *tool.Error {
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
	e.Line, e.Column = position(r.Stack, file)
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

func invalidSource(r report, file string) *tool.Error {
	e := &tool.Error{Code: tool.InvalidSource, Message: r.summary(), Name: r.Name}
	if r.Message != "" {
		e.Message = r.Message
	}
	e.Line, e.Column = position(r.Stack, file)
	return e
}
