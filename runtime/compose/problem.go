package compose

import (
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Problem is one thing that is wrong with a pipeline. It is written for the agent that wrote it.
type Problem struct {
	Path    string `json:"path"` // JSON pointer (RFC 6901) into the implementation
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Problems are all that is wrong with a pipeline, in the order of its text. They are the cause of the *tool.Error that Parse
// and New return: errors.As finds them.
type Problems []Problem //nolint:errname // a list of Problem first, an error by the way

// maxProblems bounds how many are reported.
const maxProblems = 50

// listed bounds how many of them an error's message lists.
const listed = 10

// Error lists the problems.
func (p Problems) Error() string {
	parts := make([]string, 0, listed+1)
	for _, one := range p[:min(len(p), listed)] {
		parts = append(parts, fmt.Sprintf("%s (at %s)", one.Message, one.Path))
	}
	if len(p) > listed {
		parts = append(parts, fmt.Sprintf("and %d more", len(p)-listed))
	}
	return strings.Join(parts, "; ")
}

// failure is the problems as the error of an outcome, nil when there are none.
func (p Problems) failure() error {
	if len(p) == 0 {
		return nil
	}
	e := &tool.Error{Code: tool.InvalidRequest, Message: p[0].Message, Path: p[0].Path, Hint: p[0].Hint, Cause: p}
	if len(p) > 1 {
		e.Message = fmt.Sprintf("%d problems: %s", len(p), p.Error())
		e.Path = ""
	}
	return e
}

// add notes one more problem; those beyond the cap are dropped.
func (p *Problems) add(path, message, hint string) {
	if len(*p) < maxProblems {
		*p = append(*p, Problem{Path: path, Message: message, Hint: hint})
	}
}

// below extends a JSON pointer.
func below(path, name string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(name))
}
