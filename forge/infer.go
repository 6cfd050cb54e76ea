package forge

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// infer replaces schemas that declare nothing by what the test cases have.
func (r *requestReader) infer() {
	var inputs, outputs [][]byte
	for _, c := range r.request.TestCases {
		if c.Input != nil {
			inputs = append(inputs, c.Input)
		}
		if c.ExpectedOutput != nil && !c.Partial {
			outputs = append(outputs, c.ExpectedOutput)
		}
	}
	q := &r.request
	if !declared(q.InputSchema, inputKeywords) {
		r.inferInto(&q.InputSchema, "inputSchema", inputs)
	}
	if !declared(q.OutputSchema, outputKeywords) && !otherType(q.OutputSchema) {
		r.inferInto(&q.OutputSchema, "outputSchema", outputs)
	}
}

func (r *requestReader) inferInto(into *json.RawMessage, name string, examples [][]byte) {
	if *into == nil { // what is wrong with it was said
		return
	}
	inferred, err := schema.Infer(examples...)
	switch {
	case err != nil:
		r.refuse(err, "/"+name)
	case inferred != nil:
		*into = inferred
		r.note("%s declares no properties: it is inferred from the testCases", name)
	}
}

// fit admits the schemas and holds the test cases against them.
func (r *requestReader) fit() {
	var inputs, outputs []example
	for i, c := range r.request.TestCases {
		at := pointer("/testCases", strconv.Itoa(i))
		if string(c.Input) != "{}" { // what is empty was said to be
			inputs = append(inputs, example{at + "/input", c.Input})
		}
		if c.ExpectedOutput != nil && !c.Partial { // a part need not have all that is required
			outputs = append(outputs, example{at + "/expectedOutput", c.ExpectedOutput})
		}
	}
	r.hold(r.compile(r.request.InputSchema, "/inputSchema"), inputs)
	r.hold(r.compile(r.request.OutputSchema, "/outputSchema"), outputs)
}

// example is a value of a test case, with its place.
type example struct {
	at    string
	value []byte
}

func (r *requestReader) compile(text json.RawMessage, at string) *schema.Schema {
	if text == nil {
		return nil
	}
	s, err := schema.Compile(text)
	if err != nil {
		r.refuse(err, at)
		return nil
	}
	return s
}

// hold checks examples against their schema, unless something is wrong with them already. When checking them takes too long,
// that is said once.
func (r *requestReader) hold(s *schema.Schema, examples []example) {
	examples = slices.DeleteFunc(examples, func(e example) bool { return r.problems.within(e.at) })
	if s == nil || len(examples) == 0 {
		return
	}
	values := make([][]byte, len(examples))
	for i, e := range examples {
		values[i] = e.value
	}
	for i, err := range s.ValidateAll(values...) {
		mismatches, ok := errors.AsType[schema.Mismatches](err)
		for _, m := range mismatches {
			r.problems.add(examples[i].at+m.Path, "change the test case, or the schema at "+m.Keyword, "the test case does not fit its own schema: %s", m.Message)
		}
		if err != nil && !ok {
			r.refuse(err, examples[i].at)
			return
		}
	}
}

// refuse adds what another room found wrong, below a place.
func (r *requestReader) refuse(err error, at string) {
	list, ok := errors.AsType[schema.Problems](err)
	if !ok {
		list = schema.Problems{tool.AsError(err)}
	}
	for _, one := range list {
		r.problems.add(at+one.Path, one.Hint, "%s", one.Message)
	}
}
