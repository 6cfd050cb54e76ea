package meter

import "fmt"

// Error tells why a module was refused.
type Error struct {
	Offset int    // the byte of the module it is about; -1 when it is about the options or the module as a whole
	Reason string // what was wrong and, where there is one, the way to mend it
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return "meter: " + e.Reason
	}
	return fmt.Sprintf("meter: byte %#x of the module: %s", e.Offset, e.Reason)
}

// errorf makes an error about the module as a whole.
func errorf(format string, args ...any) *Error {
	return &Error{Offset: -1, Reason: fmt.Sprintf(format, args...)}
}
