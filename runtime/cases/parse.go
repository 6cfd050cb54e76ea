package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/toolsmith/runtime/match"
	"example.com/toolsmith/runtime/tool"
)

// Parse reads a case file: a JSON list of cases, or an object whose member "cases" is one. It is strict: an unknown,
// repeated or missing member, or one of a wrong kind, is an *tool.Error of code InvalidRequest that names the case, the line
// and the column. The cases share text's memory.
func Parse(text []byte) ([]Case, error) {
	f := file{text}
	list, err := f.list()
	if err != nil {
		return nil, err
	}
	all, lines := make([]Case, 0, len(list)), map[string]int{}
	for i, m := range list {
		c, err := f.parseCase(i, m)
		if err != nil {
			return nil, err
		}
		if line, twice := lines[c.ID]; twice {
			return nil, f.errorf(m.valueAt, "the id %q is given twice, first in line %d", c.ID, line)
		}
		lines[c.ID] = c.Line
		all = append(all, c)
	}
	return all, nil
}

// list finds the list of cases.
func (f file) list() ([]member, error) {
	if err := f.valid(); err != nil {
		return nil, err
	}
	at := len(f.text) - len(bytes.TrimLeft(f.text, " \t\r\n"))
	top := member{value: f.text[at:], valueAt: at}
	if f.text[at] == '{' {
		given := f.members(top)
		if len(given) != 1 || given[0].name != "cases" {
			return nil, f.errorf(at, `the object that holds a case file has one member, "cases"`)
		}
		top = given[0]
	}
	if top.value[0] != '[' {
		return nil, f.errorf(top.valueAt, `a case file is a list of cases, or an object whose member "cases" is one`)
	}
	return f.members(top), nil
}

// valid checks that the text is UTF-8 and JSON.
func (f file) valid() error {
	for at := 0; at < len(f.text); {
		r, size := utf8.DecodeRune(f.text[at:])
		if r == utf8.RuneError && size == 1 {
			return f.errorf(at, "this is not UTF-8 text")
		}
		at += size
	}
	var whole json.RawMessage
	err := json.Unmarshal(f.text, &whole)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return f.errorf(int(syntax.Offset)-1, "this is not JSON: %v", err)
	}
	return err
}

// parseCase reads the case that is the i-th element of the list.
func (f file) parseCase(i int, m member) (Case, error) {
	c := Case{Line: f.line(m.valueAt)}
	if m.value[0] != '{' {
		return c, f.errorf(m.valueAt, "case %d is not an object", i+1)
	}
	given := f.members(m)
	err := f.fill(&c, caseMembers, given)
	if err == nil {
		err = f.complete(&c, m, given)
	}
	if err != nil {
		e := tool.AsError(err)
		e.Message = caseName(i, given) + ": " + e.Message
		return c, e
	}
	return c, nil
}

// caseName is what errors call a case: by its id when it has one.
func caseName(i int, given []member) string {
	id := slices.IndexFunc(given, func(m member) bool { return m.name == "id" && m.value[0] == '"' })
	if id < 0 {
		return fmt.Sprintf("case %d", i+1)
	}
	return fmt.Sprintf("case %q", match.Text(given[id].value))
}

// complete checks what no member alone can say.
func (f file) complete(c *Case, m member, given []member) error {
	for _, name := range []string{"id", "source", "input", "expect"} {
		if !slices.ContainsFunc(given, func(m member) bool { return m.name == name }) {
			return f.errorf(m.valueAt, "the member %q is missing", name)
		}
	}
	ok, says := slices.Contains(c.Expect, OK), c.AnyOK || len(c.Outputs) > 0
	switch {
	case c.ID == "":
		return f.errorf(m.valueAt, "the id is empty")
	case ok && !says:
		return f.hint(m.valueAt, `give "output", or "outputAny": ["*"] when any output will do`,
			`"ok" is expected, but not with which output`)
	case !ok && says:
		return f.hint(m.valueAt, `add "ok" to "expectAny", or leave the output out`, `an output is given, but "ok" is not expected`)
	}
	if err := c.Limits.Validate(); err != nil {
		e := tool.AsError(err)
		return f.hint(m.valueAt, e.Hint, "%s", e.Message)
	}
	return nil
}
