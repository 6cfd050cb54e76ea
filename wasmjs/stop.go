package wasmjs

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// stop is what the host panics with to end a running guest; wazero hands it back as the call's error.
type stop struct{ code tool.Code }

func (s stop) Error() string { return "stopped: " + string(s.code) }

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
		e.Cause = &stoppedError{context.Canceled}
	}
	e.Code = s.code
	return e
}
