package compose

import (
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// resolver builds the arguments of one step.
type resolver struct {
	scope   *scope
	lenient bool
	most    int // bytes
	text    []byte
	notes   []string
	err     error // the first; nothing is added after it
}

// arguments resolves a mapping.
func (r *resolver) arguments(e expression) ([]byte, error) {
	e.resolve(r)
	return r.text, r.err
}

// put adds JSON. It is always true: there is a value.
func (r *resolver) put(text []byte) bool {
	if r.err == nil && len(r.text)+len(text) > r.most {
		r.err = tool.Errorf(tool.InvalidInput, "the arguments have more than %d bytes", r.most)
	}
	if r.err == nil {
		r.text = append(r.text, text...)
	}
	return true
}

// escape adds JSON as text within a string.
func (r *resolver) escape(text []byte) {
	if r.err == nil && len(text) <= r.most {
		text = appendEscaped(nil, text)
	}
	r.put(text)
}

// missing is what happens to a value that a reference does not find.
func (r *resolver) missing(reference Reference) {
	if r.lenient || r.err != nil {
		return
	}
	r.err = &tool.Error{
		Code: tool.InvalidInput, Message: fmt.Sprintf("there is no %s", clip(reference.Text)),
		Hint: "check the names on its path, or skip the step by a condition when the value is missing",
	}
}

// unresolved is what happens to a string that looks like a reference and is none.
func (r *resolver) unresolved(reference Reference) bool {
	if r.lenient {
		r.notes = append(r.notes, "Unresolved reference "+clip(reference.Text)+" is taken as text")
		return r.put(append(appendEscaped([]byte{'"'}, reference.Text), '"'))
	}
	if r.err == nil {
		r.err = &tool.Error{
			Code: tool.InvalidInput, Message: reference.unresolved(),
			Hint: "references begin with $input, $prev, $steps[N] or $steps.<name>; for the text itself write $$" + clip(reference.Text[1:]),
		}
	}
	return true
}
