package forge

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// ReadFile is Read for a file, which is JSON when it begins with a bracket, and YAML otherwise.
func ReadFile(text []byte, rules ReadRules) (*Request, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		return Read(text, rules)
	}
	converted, err := wire.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return Read(converted, rules)
}

// Read reads the arguments of forge_tool, as models really write them: other spellings of a member's name, JSON within
// text, one value where a list belongs, code in a Markdown fence. What was read otherwise than it was written is told in
// the request's notes; what could mean two things is an error, and nothing is made up. Then everything is checked that can
// be without running or knowing anything: names, sizes, the shape, the schemas, and that the test cases fit them.
//
// The arguments are not changed and not kept. The error is a *tool.Error of code InvalidRequest with Problems, all of them,
// as its cause; the request beside it has the notes, and nothing else. The time is linear in the arguments, apart from checking the test cases, which has a budget for each.
func Read(arguments []byte, rules ReadRules) (*Request, error) {
	r := requestReader{rules: rules.withDefaults()}
	text, err := compact(arguments)
	if err != nil {
		return &Request{}, Problems{tool.AsError(err)}.failure(false)
	}
	if object, ok := r.want('{', text, ""); ok {
		r.read(r.unwrap(object))
		r.check()
	}
	if err := r.problems.failure(r.shapeless); err != nil {
		return &Request{Notes: r.request.Notes}, err
	}
	return &r.request, nil
}

// requestReader reads one request and collects what is wrong with it.
type requestReader struct {
	rules     ReadRules
	request   Request
	problems  Problems
	shapeless bool // the shape check has found something
}

func (r *requestReader) read(object json.RawMessage) {
	m := r.members(object, "", requestWords)
	r.name(m["name"])
	r.description(m["description"])
	r.request.InputSchema = r.schema(m["inputSchema"], "/inputSchema")
	r.request.OutputSchema = r.schema(m["outputSchema"], "/outputSchema")
	r.implementation(m)
	r.testCases(m["testCases"])
}

// check looks at the whole once its parts are read.
func (r *requestReader) check() {
	r.infer()
	for _, one := range CheckShape(&r.request, r.rules.MinTestCases) {
		if one.Path == "/testCases" || !r.problems.within(one.Path) {
			r.problems.add(one.Path, one.Hint, "%s", one.Message)
			r.shapeless = true
		}
	}
	r.fit()
}

func (r *requestReader) name(value json.RawMessage) {
	problem := tool.NameType
	if isText(value) {
		r.request.Name = textOf(value)
		problem = tool.CheckName(r.request.Name)
	}
	if err := tool.NameError(r.request.Name, problem); err != nil {
		r.problems = append(r.problems, tool.AsError(err))
	}
}

func (r *requestReader) description(value json.RawMessage) {
	const at, hint = "/description", "say what the tool does, what it takes and what it returns: models choose tools by it"
	if isText(value) {
		r.request.Description = textOf(value)
	}
	switch text := r.request.Description; {
	case strings.TrimSpace(text) == "":
		r.problems.add(at, hint, "description is required and must be a string")
	case len(text) > MaxDescriptionBytes:
		r.problems.add(at, "say it shorter", "the description has %d bytes: at most %d are taken", len(text), MaxDescriptionBytes)
	}
}

// schema reads a schema, nil when it is none. One that is not there allows everything.
func (r *requestReader) schema(value json.RawMessage, at string) json.RawMessage {
	if value == nil || string(value) == "true" {
		return json.RawMessage("{}")
	}
	object, _ := r.want('{', value, at)
	return object
}

// members are the members of an object by their right names. What is null counts as absent, an expectation apart.
func (r *requestReader) members(object json.RawMessage, at string, words vocabulary) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for _, m := range membersOf(object) {
		place, folded := pointer(at, m.key), fold(m.key)
		name, hint := words.names[folded], words.refused[folded]
		switch {
		case isNull(m.value) && name != "expectedOutput":
		case hint != "":
			r.problems.add(place, hint, "%q is not for a request to set", shorten(m.key, shown))
		case name == "":
			r.note("ignored member %s", place)
		case found[name] != nil:
			r.problems.add(place, "keep "+name+" alone", "%s is given twice, in two spellings", name)
		default:
			if name != m.key {
				r.note("%s is read as %s", place, name)
			}
			found[name] = m.value
		}
	}
	return found
}

// want returns a value that begins with a bracket, be it within text. It is false, and a problem, when there is none.
func (r *requestReader) want(bracket byte, value json.RawMessage, at string) (json.RawMessage, bool) {
	inner, hint := value, ""
	if isText(value) {
		text, _, _ := unfence(textOf(value))
		read, err := compact([]byte(text))
		if err != nil {
			hint = shorten("the text is not JSON: "+strings.TrimPrefix(tool.AsError(err).Message, "this is not JSON: "), 2*shown)
		} else {
			inner = read
		}
	}
	if inner[0] != bracket {
		belongs := map[byte]string{'{': "an object", '[': "a list"}[bracket]
		r.problems.add(at, hint, "this is %s where %s belongs", describe(value), belongs)
		return nil, false
	}
	if isText(value) {
		r.note("%s was text: the JSON in it is taken", cmp.Or(at, "the request"))
	}
	return inner, true
}

// text reads a string, which is empty when it is not there.
func (r *requestReader) text(value json.RawMessage, at string) string {
	switch {
	case value == nil:
	case isText(value):
		return textOf(value)
	default:
		r.problems.add(at, "", "this is %s where a string belongs", describe(value))
	}
	return ""
}

const maxNotes = 50

// note tells the author how something was read. Notes beyond the cap are dropped.
func (r *requestReader) note(format string, args ...any) {
	if len(r.request.Notes) < maxNotes {
		r.request.Notes = append(r.request.Notes, strings.Map(printable, fmt.Sprintf(format, args...)))
	}
}

// printable keeps a note on its line, whatever it quotes.
func printable(c rune) rune {
	if unicode.IsPrint(c) {
		return c
	}
	return '\uFFFD'
}
