package schema

import (
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Schema is a JSON Schema that was admitted. It does not change, and is safe for concurrent use.
type Schema struct {
	source *Value
	root   *node
	nodes  map[string]*node // by JSON pointer, for references
}

// Validate checks a JSON text. The error is a *tool.Error: of code InvalidInput when the text is no JSON value that
// Decode reads, or when it is not what the schema wants, in which case errors.As finds the Mismatches; of code Limit when
// the check would take too long. Whoever checks a result instead of an input sets the code to InvalidOutput.
func (s *Schema) Validate(value []byte) error {
	v, err := Decode(value)
	if err != nil {
		return err
	}
	_, err = s.validate(v, maxSteps+stepsPerByte*len(value))
	return err
}

// ValidateAll is Validate for several values, with the budget of one check for all of them together: so many cost no more
// than one of their size. It returns an error, or nil, for each.
func (s *Schema) ValidateAll(values ...[]byte) []error {
	errs, decoded := make([]error, len(values)), make([]*Value, len(values))
	steps := maxSteps
	for i, value := range values {
		decoded[i], errs[i] = Decode(value)
		steps += stepsPerByte * len(value)
	}
	for i, v := range decoded {
		if v != nil {
			steps, errs[i] = s.validate(v, steps)
		}
	}
	return errs
}

// ValidateValue is Validate for a value that was read before.
func (s *Schema) ValidateValue(v *Value) error {
	_, err := s.validate(v, maxSteps+stepsPerByte*v.weight())
	return err
}

// validate returns the steps that are left, too.
func (s *Schema) validate(v *Value, steps int) (int, error) {
	c := checker{steps: steps, most: maxMismatch}
	c.path = c.shallow[:0]
	ok := c.check(s.root, v, nil)
	switch {
	case c.exhausted():
		return c.steps, &tool.Error{
			Code:    tool.Limit,
			Message: fmt.Sprintf("checking the value against its schema takes too long: more than %d steps, or schemas applied within each other more than %d deep", steps, maxNesting),
			Hint:    "make the schema simpler: fewer alternatives in anyOf and oneOf, no definitions that refer to each other twice, shorter patterns",
		}
	case ok:
		return c.steps, nil
	}
	return c.steps, c.mismatches().error()
}

// Mismatch is one place where a value is not what its schema wants.
type Mismatch struct {
	Path    string `json:"path"`    // JSON pointer into the value
	Keyword string `json:"keyword"` // JSON pointer into the schema
	Message string `json:"message"`
}

// Mismatches are the first five, at most, that were found in a value. They are the cause of the *tool.Error that Validate
// returns.
type Mismatches []Mismatch //nolint:errname // a list of Mismatch first, an error by the way

// Error lists them all.
func (m Mismatches) Error() string {
	parts := make([]string, len(m))
	for i, one := range m {
		parts[i] = one.Message
		if one.Path != "" {
			parts[i] = clip(one.Path, 4*shownBytes) + ": " + one.Message
		}
	}
	return strings.Join(parts, "; ")
}

func (m Mismatches) error() *tool.Error {
	e := &tool.Error{Code: tool.InvalidInput, Path: m[0].Path, Message: m[0].Message, Cause: m}
	if len(m) > 1 {
		e.Message = fmt.Sprintf("%d mismatches: %s", len(m), m.Error())
	}
	return e
}

func (c *checker) mismatches() Mismatches {
	m := make(Mismatches, len(c.failures))
	for i, f := range c.failures {
		m[i] = Mismatch{Path: f.pointer(), Keyword: clip(f.at, maxPathBytes), Message: f.say() + because(f)}
	}
	return m
}

// because says what the alternatives wanted.
func because(f failure) string {
	var text strings.Builder
	for i, w := range f.within {
		text.WriteString([]string{": ", "; or "}[min(i, 1)])
		if inner := strings.TrimPrefix(w.pointer(), f.pointer()); inner != "" {
			text.WriteString("at " + clip(inner, shownBytes) + " ")
		}
		text.WriteString(clip(w.say(), 4*shownBytes))
	}
	return text.String()
}

// Problems are all that is wrong with a schema, at most 20. They are the cause of the *tool.Error that Compile returns:
// errors.As finds them.
type Problems []*tool.Error //nolint:errname // a list first, an error by the way

// maxProblems bounds how many are looked for.
const maxProblems = 20

// Error lists the problems.
func (p Problems) Error() string {
	parts := make([]string, len(p))
	for i, one := range p {
		parts[i] = one.Message + " (at " + clip(one.Path, 4*shownBytes) + ")"
	}
	return strings.Join(parts, "; ")
}

// error is nil when there are none.
func (p Problems) error() error {
	if len(p) == 0 {
		return nil
	}
	e := *p[0]
	e.Code, e.Cause = tool.InvalidRequest, p
	if len(p) > 1 {
		e.Message = fmt.Sprintf("%d problems: %s", len(p), p.Error())
	}
	return &e
}

// Compile admits a schema. The error is a *tool.Error of code InvalidRequest with the JSON pointer and the hint of the
// first problem; its message lists them all.
func Compile(schema []byte) (*Schema, error) {
	if len(schema) > MaxBytes {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: fmt.Sprintf("the schema has %d bytes, at most %d are read", len(schema), MaxBytes),
			Hint: "shorten descriptions and lists, or describe less of the value",
		}
	}
	source, err := decode(schema, maxSourceDepth)
	if err != nil {
		err.Code = tool.InvalidRequest
		return nil, err
	}
	a := admission{nodes: map[string]*node{}}
	s := &Schema{source: source, root: a.schema(source, "", 0), nodes: a.nodes}
	a.resolve()
	if err := a.problems.error(); err != nil {
		return nil, err
	}
	if err := dialect(source).error(); err != nil {
		return nil, err
	}
	return s, nil
}
