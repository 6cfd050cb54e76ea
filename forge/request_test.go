package forge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

func TestT8RequestWithOneTestCase(t *testing.T) {
	t.Parallel()
	r, err := forge.Read([]byte(arguments("testCases", `[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}}]`)), forge.ReadRules{MinTestCases: 1})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.TestCases[0]; len(r.TestCases) != 1 || string(c.Input) != `{"a":1,"b":2}` || string(c.ExpectedOutput) != `{"sum":3}` {
		t.Errorf("%+v", r.TestCases)
	}
}

func TestT9RequestWithThreeTestCases(t *testing.T) {
	t.Parallel()
	r := mustRead(t, arguments("testCases", strings.TrimSuffix(addCases, "]")+`,{"input":{"a":0,"b":0},"expectedOutput":{"sum":0}}]`))
	if len(r.TestCases) != 3 || string(r.TestCases[2].Input) != `{"a":0,"b":0}` {
		t.Errorf("%+v", r.TestCases)
	}
}

func TestT148EmptyName(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]tool.NameProblem{
		`""`: tool.NameEmpty, "": tool.NameType, "null": tool.NameType, "42": tool.NameType, `{"toString":"x"}`: tool.NameType, `["a"]`: tool.NameType,
	} {
		e, _ := refusal(t, arguments("name", value))
		problem, ok := tool.NameProblemOf(e)
		if !strings.HasPrefix(e.Message, "name is required") || e.Path != "/name" || !ok || problem != want {
			t.Errorf("%s: %+v, %s", value, e, problem)
		}
	}
}

func TestT149MissingDescription(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", `""`, "null", "42"} {
		e, _ := refusal(t, arguments("description", value))
		if !strings.HasPrefix(e.Message, "description is required") || e.Path != "/description" {
			t.Errorf("%s: %+v", value, e)
		}
		if problem, ok := tool.NameProblemOf(e); ok {
			t.Errorf("a problem of the name: %s", problem)
		}
	}
}

func TestT150OpenSchemasAreInferred(t *testing.T) {
	t.Parallel()
	r := mustRead(t, arguments("inputSchema", `{"type":"object","additionalProperties":true}`, "outputSchema", `{"type":"object","additionalProperties":true}`))
	if string(r.InputSchema) != addIn || string(r.OutputSchema) != addOut || len(r.Notes) != 2 {
		t.Errorf("%s, %s, %q", r.InputSchema, r.OutputSchema, r.Notes)
	}
}

func TestT151OnlyNameAndImplementation(t *testing.T) {
	t.Parallel()
	e, problems := refusal(t, `{"name":"add_numbers","implementation":`+addImpl+`}`)
	if !strings.HasPrefix(e.Message, "Shape check failed: ") || !strings.Contains(e.Message, "need at least 2 testCases, got 0") || len(problems) != 4 {
		t.Errorf("%+v", e)
	}
}

func TestT159ModeJavascriptBecomesSandbox(t *testing.T) {
	t.Parallel()
	r := mustRead(t, arguments("implementation", `{"mode":"javascript","code":`+quoted(addCode)+`,"allowlist":[]}`))
	if r.Implementation.Mode != tool.SandboxMode || r.Implementation.Code != addCode {
		t.Errorf("%+v", r.Implementation)
	}
}

func TestT160SchemasAndTestCasesAsText(t *testing.T) {
	t.Parallel()
	r := mustRead(t, arguments("inputSchema", quoted(addIn), "outputSchema", quoted(addOut), "testCases", quoted(addCases)))
	if got := written(t, r); got != arguments() {
		t.Error(got)
	}
}

// inferred is the schema that is inferred from inputs, or from expectations.
func inferred(t *testing.T, cases string) (input, output string) {
	t.Helper()
	r, err := forge.Read([]byte(arguments("inputSchema", "{}", "outputSchema", `{"type":"object"}`, "testCases", cases)), forge.ReadRules{MinTestCases: 1})
	if err != nil {
		t.Fatal(err)
	}
	return string(r.InputSchema), string(r.OutputSchema)
}

func object(properties, required string) string {
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, properties, required)
}

func TestT161InputSchemaIsInferred(t *testing.T) {
	t.Parallel()
	if got, _ := inferred(t, addCases); got != object(`"a":{"type":"number"},"b":{"type":"number"}`, `"a","b"`) {
		t.Error(got)
	}
}

func TestT162OutputSchemaIsInferred(t *testing.T) {
	t.Parallel()
	_, got := inferred(t, `[{"input":{"a":1},"expectedOutput":{"n":1,"ok":true}},{"input":{"a":2},"expectedOutput":{"n":2.5,"ok":false}}]`)
	if got != object(`"n":{"type":"number"},"ok":{"type":"boolean"}`, `"n","ok"`) {
		t.Error(got)
	}
}

func TestT163PopulatedSchemasStay(t *testing.T) {
	t.Parallel()
	const in = `{"type":"object","properties":{"a":{"type":"integer"}}}`
	r := mustRead(t, arguments("inputSchema", in))
	if string(r.InputSchema) != in || string(r.OutputSchema) != addOut {
		t.Errorf("%s, %s", r.InputSchema, r.OutputSchema)
	}
}

func TestT164FieldsOfAllCasesAreUnited(t *testing.T) {
	t.Parallel()
	in, out := inferred(t, `[{"input":{"a":1,"b":"x"},"expectedOutput":{"v":1}},{"input":{"a":2,"c":true},"expectedOutput":{"v":"many","w":[]}}]`)
	if in != object(`"a":{"type":"number"},"b":{"type":"string"},"c":{"type":"boolean"}`, `"a"`) {
		t.Error(in)
	}
	if out != object(`"v":{"type":["number","string"]},"w":{"type":"array"}`, `"v"`) {
		t.Error(out)
	}
}

func TestT165ValuesOfEveryKind(t *testing.T) {
	t.Parallel()
	got, _ := inferred(t, `[{"input":{"n":1,"s":"x","b":true,"l":[1],"o":{"x":1},"z":null},"expectedOutput":{"a":1}}]`)
	want := object(`"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"},"l":{"type":"array"},"o":{"type":"object"},"z":{"type":["string","null"]}`,
		`"n","s","b","l","o","z"`)
	if got != want {
		t.Error(got)
	}
}

func TestT166NothingToInferFrom(t *testing.T) {
	t.Parallel()
	for _, cases := range []string{"", "[]", `{"input":{"a":1}}`, "7"} {
		e, problems := refusal(t, arguments("inputSchema", `{"type":"object"}`, "testCases", cases))
		if !strings.Contains(e.Message, "inputSchema has no declared properties") || !strings.Contains(problems.Error(), "got 0") {
			t.Errorf("%s: %v", cases, e)
		}
	}
}

func TestT167WhatIsThereIsInferredFrom(t *testing.T) {
	t.Parallel()
	_, out := inferred(t, `[{"input":{"a":1},"expectedOutput":{"v":1}},{"input":{"a":2}}]`)
	if out != object(`"v":{"type":"number"}`, `"v"`) {
		t.Error(out)
	}
	e, _ := refusal(t, arguments("inputSchema", "{}", "testCases", `[{"input":{"a":1},"expectedOutput":{"sum":1}},{"expectedOutput":{"sum":2}}]`))
	if strings.Contains(e.Message, "inputSchema") || !strings.Contains(e.Message, "1 testCase must not use empty input") {
		t.Error(e)
	}
}

// shape is what the shape check says of a request.
func shape(r forge.Request) []string {
	var messages []string
	for _, p := range forge.CheckShape(&r, 2) {
		messages = append(messages, p.Message)
	}
	return messages
}

func complete() forge.Request {
	return forge.Request{
		Name: "add_numbers", Description: "Adds.", InputSchema: json.RawMessage(addIn), OutputSchema: json.RawMessage(addOut),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: addCode},
		TestCases:      []tool.TestCase{{Input: json.RawMessage(`{"a":1,"b":2}`)}, {Input: json.RawMessage(`{"a":2,"b":2}`)}},
	}
}

func TestT168CompleteRequestHasTheRightShape(t *testing.T) {
	t.Parallel()
	if got := shape(complete()); len(got) != 0 {
		t.Error(got)
	}
}

func TestT169NoInputProperties(t *testing.T) {
	t.Parallel()
	r := complete()
	r.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	if got := shape(r); !slices.Equal(got, []string{"inputSchema has no declared properties"}) {
		t.Error(got)
	}
}

func TestT170NoOutputProperties(t *testing.T) {
	t.Parallel()
	r := complete()
	r.OutputSchema = json.RawMessage(` { "type" : "object" } `)
	if got := shape(r); !slices.Equal(got, []string{"outputSchema has no declared properties"}) {
		t.Error(got)
	}
}

func TestT171OneTestCase(t *testing.T) {
	t.Parallel()
	r := complete()
	r.TestCases = r.TestCases[:1]
	if got := shape(r); !slices.Equal(got, []string{"need at least 2 testCases, got 1"}) {
		t.Error(got)
	}
}

func TestT172EmptyInputs(t *testing.T) {
	t.Parallel()
	r := complete()
	r.TestCases[1].Input = json.RawMessage("{}")
	if got := shape(r); !slices.Equal(got, []string{"1 testCase must not use empty input"}) {
		t.Error(got)
	}
	r.TestCases[0].Input = nil
	if got := shape(r); !slices.Equal(got, []string{"2 testCases must not use empty input"}) {
		t.Error(got)
	}
}

func TestT173AllWrongAtOnce(t *testing.T) {
	t.Parallel()
	got := shape(forge.Request{InputSchema: json.RawMessage("{}"), OutputSchema: json.RawMessage("{}"), TestCases: []tool.TestCase{{}}})
	for _, want := range []string{
		"inputSchema has no declared properties", "outputSchema has no declared properties", "need at least 2 testCases, got 1",
		"1 testCase must not use empty input", "the implementation is missing: there is neither code nor a list of steps",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestT174TestCasesAreNoList(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"1", `"x"`, "true", `{"a":{"input":{}}}`, "null", ""} {
		e, problems := refusal(t, arguments("testCases", value))
		if !strings.HasPrefix(e.Message, "Shape check failed") || !strings.Contains(problems.Error(), "need at least 2 testCases, got 0") {
			t.Errorf("%s: %v", value, e)
		}
	}
}

func TestT175EmptyRequest(t *testing.T) {
	t.Parallel()
	if got := shape(forge.Request{}); len(got) != 4 {
		t.Error(got)
	}
	if e, problems := refusal(t, "{}"); len(problems) != 6 || !strings.HasPrefix(e.Message, "Shape check failed: name is required") {
		t.Error(e)
	}
}

// A null test case is one without input.
func TestNullTestCase(t *testing.T) {
	t.Parallel()
	e, problems := refusal(t, arguments("testCases", strings.TrimSuffix(addCases, "]")+",null]"))
	if len(problems) != 1 || e.Message != "Shape check failed: 1 testCase must not use empty input (at /testCases)" {
		t.Error(e)
	}
}
