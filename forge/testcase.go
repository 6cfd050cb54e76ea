package forge

import (
	"encoding/json"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// testCases reads the author's examples.
func (r *requestReader) testCases(value json.RawMessage) {
	const at = "/testCases"
	if value == nil {
		return
	}
	list, ok := r.want('[', value, at)
	if !ok {
		return
	}
	items := itemsOf(list)
	if most := r.rules.MaxTestCases; len(items) > most {
		r.problems.add(at, "keep those that differ most", "there are %d testCases: at most %d are run", len(items), most)
		items = items[:most]
	}
	for i, item := range items {
		r.request.TestCases = append(r.request.TestCases, r.testCase(item, pointer(at, strconv.Itoa(i))))
	}
}

// testCase reads one; null is one without input.
func (r *requestReader) testCase(value json.RawMessage, at string) tool.TestCase {
	empty := json.RawMessage("{}")
	if isNull(value) {
		return tool.TestCase{Input: empty}
	}
	object, ok := r.want('{', value, at)
	if !ok {
		return tool.TestCase{Input: value}
	}
	m := r.members(object, at, caseWords)
	c := tool.TestCase{Input: empty, ExpectedOutput: m["expectedOutput"]}
	if input := m["input"]; input != nil {
		c.Input = r.input(input, at+"/input")
	}
	switch partial := string(m["partial"]); partial {
	case "", "true", "false":
		c.Partial = partial == "true"
	default:
		r.problems.add(at+"/partial", "true lets the output have members that the expectation lacks", "this is %s where true or false belongs", describe(m["partial"]))
	}
	r.size(c.Input, at+"/input")
	r.size(c.ExpectedOutput, at+"/expectedOutput")
	return c
}

// input reads that of a test case. What is no object stays as it is, with a problem.
func (r *requestReader) input(value json.RawMessage, at string) json.RawMessage {
	looks := string(value)
	if isText(value) {
		looks, _, _ = unfence(textOf(value))
	}
	if !strings.HasPrefix(strings.TrimSpace(looks), "{") {
		r.problems.add(at, `an input is an object with the arguments by their names: write {"text": …}`, "this is %s where an object belongs", describe(value))
		return value
	}
	if object, ok := r.want('{', value, at); ok {
		return object
	}
	return value
}

func (r *requestReader) size(value json.RawMessage, at string) {
	if len(value) > MaxCaseBytes {
		r.problems.add(at, "make the example smaller", "this has %d bytes: at most %d are taken", len(value), MaxCaseBytes)
	}
}
