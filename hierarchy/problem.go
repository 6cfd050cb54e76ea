package hierarchy

import (
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// Problems are all that is wrong with a Spec, in the order of its members. They are the cause of the *tool.Error that Parse
// and Validate return: errors.As finds them. Each has a path into the Spec and, where it was read from a file, its place.
type Problems []*tool.Error //nolint:errname // a list of errors first, an error by the way

const (
	maxProblems = 50 // that are reported
	listed      = 10 // in one message
)

// Error lists the problems.
func (p Problems) Error() string {
	parts := make([]string, 0, listed+1)
	for _, one := range p[:min(len(p), listed)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", one.Message, placeOf(one)))
	}
	if len(p) > listed {
		parts = append(parts, fmt.Sprintf("and %d more", len(p)-listed))
	}
	return strings.Join(parts, "; ")
}

func placeOf(e *tool.Error) string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d, column %d", e.Line, e.Column)
	}
	return "at " + e.Path
}

// add notes one more problem; those beyond the cap are dropped.
func (p *Problems) add(path, message, hint string) {
	if len(*p) < maxProblems {
		*p = append(*p, &tool.Error{Code: tool.InvalidRequest, Message: message, Path: path, Hint: hint})
	}
}

// follows reports whether a problem is but what a mistake in reading the same value led to.
func follows(problem *tool.Error, mistakes Problems) bool {
	return slices.ContainsFunc(mistakes, func(m *tool.Error) bool { return problem.Path == m.Path || strings.HasPrefix(problem.Path, m.Path+"/") })
}

// place notes where the values stand that the problems are about: of what is missing, where it belongs.
func (p Problems) place(places wire.Places) {
	for _, e := range p {
		path := strings.Split(strings.TrimPrefix(e.Path, "/"), "/")
		for e.Line == 0 && len(path) > 0 {
			e.Line, e.Column = places.Of(path...)
			path = path[:len(path)-1]
		}
		if e.Line == 0 {
			e.Line, e.Column = places.Of()
		}
	}
}

// failure is the problems as one error, nil when there are none.
func (p Problems) failure() error {
	if len(p) == 0 {
		return nil
	}
	e := *p[0]
	e.Cause = p
	if len(p) > 1 {
		e.Message, e.Path, e.Line, e.Column, e.Snippet = fmt.Sprintf("%d problems: %s", len(p), p.Error()), "", 0, 0, ""
	}
	return &e
}
