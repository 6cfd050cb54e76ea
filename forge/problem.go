package forge

import (
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Problems are all that is wrong with a request, at most 50, in the order in which it is read. They are the cause of the
// *tool.Error that Read returns: errors.As finds them.
type Problems []*tool.Error //nolint:errname // a list first, an error by the way

const (
	maxProblems = 50
	listed      = 10 // of them in a message
)

// Error lists the first ones.
func (p Problems) Error() string {
	parts := make([]string, 0, listed+1)
	for _, one := range p[:min(len(p), listed)] {
		text := one.Message
		if one.Path != "" {
			text += " (at " + shorten(one.Path, 200) + ")"
		}
		parts = append(parts, text)
	}
	if len(p) > listed {
		parts = append(parts, fmt.Sprintf("and %d more", len(p)-listed))
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns the problems one by one.
func (p Problems) Unwrap() []error {
	list := make([]error, len(p))
	for i, one := range p {
		list[i] = one
	}
	return list
}

// failure is the problems as one error, nil when there are none.
func (p Problems) failure(shape bool) error {
	if len(p) == 0 {
		return nil
	}
	e := &tool.Error{Code: tool.InvalidRequest, Message: p[0].Message, Path: p[0].Path, Hint: p[0].Hint, Cause: p}
	switch {
	case shape:
		e.Message = "Shape check failed: " + p.Error()
	case len(p) > 1:
		e.Message = fmt.Sprintf("%d problems: %s", len(p), p.Error())
	}
	return e
}

// add notes one more problem; those beyond the cap are dropped.
func (p *Problems) add(path, hint, format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, &tool.Error{Code: tool.InvalidRequest, Message: fmt.Sprintf(format, args...), Path: path, Hint: hint})
	}
}

// within reports whether something is wrong at a place or below it.
func (p Problems) within(path string) bool {
	for _, one := range p {
		if one.Path == path || strings.HasPrefix(one.Path, path+"/") {
			return true
		}
	}
	return false
}
