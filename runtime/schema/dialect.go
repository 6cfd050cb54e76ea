package schema

import (
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/toolsmith/runtime/tool"
)

// dialect checks a bounded schema against the schema of its dialect, which covers what the evaluator has no need of.
func dialect(source *Value) Problems {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(source string) (jsonschema.Regexp, error) { return literal(source), nil })
	const name = "schema:own"
	err := c.AddResource(name, source.plain())
	if err == nil {
		_, err = c.Compile(name)
	}
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if invalid, ok := errors.AsType[*jsonschema.ValidationError](refused.Err); ok {
			return appendLeaves(nil, invalid)
		}
	}
	return Problems{tool.Errorf(tool.InvalidRequest, "this is no schema of the dialect %s: %w", Dialect, err)}
}

// appendLeaves appends what is wrong in the end.
func appendLeaves(problems Problems, e *jsonschema.ValidationError) Problems {
	for _, cause := range e.Causes {
		if len(problems) < maxProblems {
			problems = appendLeaves(problems, cause)
		}
	}
	if len(e.Causes) > 0 {
		return problems
	}
	path := ""
	for _, token := range e.InstanceLocation {
		path = pointer(path, token)
	}
	_, message, _ := strings.Cut(e.Error(), "': ")
	problem := tool.Errorf(tool.InvalidRequest, "against the schema of JSON Schema: %s", clip(message, 4*shownBytes))
	problem.Path = path
	return append(problems, problem)
}

// noLoader refuses to load any other schema.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("no other schema is loaded") }

// literal stands for a pattern that was compiled before.
type literal string

func (l literal) String() string        { return string(l) }
func (literal) MatchString(string) bool { return false }
