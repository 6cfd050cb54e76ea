package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Error is every failure that a caller of toolsmith meets. It is written for people and models alike: what was
// wrong, where, and how to mend it. It is a plain value; whoever receives one owns it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Path is a JSON pointer (RFC 6901) to the offending place in the input or the output.
	Path string `json:"path,omitempty"`
	// Line and Column count from 1 within the tool's source; zero when there is no place to name.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Snippet is the offending line of the source, cut to a readable length.
	Snippet string `json:"snippet,omitempty"`
	// Hint says how to mend it.
	Hint string `json:"hint,omitempty"`
	// Limit is the quota that is used up, as the configuration names it, of an error of code OverQuota.
	Limit string `json:"limit,omitempty"`
	// RetryAfter is when the same may go well, where that is known. JSON has it as retryAfterMs, in whole milliseconds.
	RetryAfter time.Duration `json:"-"`
	// Name and Stack are those of the error the guest threw.
	Name  string `json:"name,omitempty"`
	Stack string `json:"stack,omitempty"`
	// Value is what the guest threw when that was not an Error and can be shown as JSON.
	Value json.RawMessage `json:"value,omitempty"`
	// Cause is the error beneath, if any. It stays inside the process.
	Cause error `json:"-"`
}

// Errorf makes an *Error with a formatted message. A %w operand becomes its Cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// Error returns the code, the message and the place.
func (e *Error) Error() string {
	text := string(e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch {
	case e.Line > 0:
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	case e.Path != "":
		text += " (at " + e.Path + ")"
	}
	return text
}

// plainError is an Error without its methods.
type plainError Error

// errorJSON is an Error as JSON has it.
type errorJSON struct {
	plainError

	RetryAfterMs int64 `json:"retryAfterMs,omitempty"`
}

// MarshalJSON writes the error. RetryAfter is rounded up. Whether < and its like are escaped is up to whoever asked for JSON.
func (e Error) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(errorJSON{plainError(e), int64((e.RetryAfter + time.Millisecond - 1) / time.Millisecond)})
	return text.Bytes(), err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Error) UnmarshalJSON(text []byte) error {
	var read errorJSON
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*e = Error(read.plainError)
	e.RetryAfter = time.Duration(read.RetryAfterMs) * time.Millisecond
	return nil
}

// Unwrap makes errors.Is see the code and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Cause}
}

// Hinted is e, or where it has no hint a copy of it with that of its code: what is shown to callers always says how to mend it.
func (e *Error) Hinted() *Error {
	if e == nil || e.Hint != "" {
		return e
	}
	hinted := *e
	hinted.Hint = faces[e.Code].hint
	return &hinted
}

// AsError returns the *Error within err. A context's end becomes Canceled or Timeout, a bare Code an Error of that
// code, anything else Internal. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	code := Internal
	var bare Code
	switch {
	case errors.As(err, &bare):
		code = bare
	case errors.Is(err, context.DeadlineExceeded):
		code = Timeout
	case errors.Is(err, context.Canceled):
		code = Canceled
	}
	return &Error{Code: code, Message: err.Error(), Cause: err}
}

// Quote shows text that somebody else wrote within a message: in quotation marks, escaped, and cut to a readable length.
func Quote(text string) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%.*q…", most, text)
	}
	return fmt.Sprintf("%q", text)
}
