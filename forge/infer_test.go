package forge_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestSchemasThatSayEnoughStay(t *testing.T) {
	t.Parallel()
	for schema, cases := range map[string]string{
		`{"type":"number"}`:                                              `[{"input":{"a":1,"b":2},"expectedOutput":3},{"input":{"a":1,"b":1},"expectedOutput":2}]`,
		`{"type":["number","null"]}`:                                     `[{"input":{"a":1,"b":2},"expectedOutput":3},{"input":{"a":1,"b":1},"expectedOutput":null}]`,
		`{"items":{"type":"number"}}`:                                    `[{"input":{"a":1,"b":2},"expectedOutput":[3]},{"input":{"a":1,"b":1},"expectedOutput":[]}]`,
		`{"enum":["yes","no"]}`:                                          `[{"input":{"a":1,"b":2},"expectedOutput":"yes"},{"input":{"a":1,"b":1}}]`,
		`{"const":{}}`:                                                   `[{"input":{"a":1,"b":2},"expectedOutput":{}},{"input":{"a":1,"b":1}}]`,
		`{"anyOf":[{"type":"object"},{"type":"null"}]}`:                  `[{"input":{"a":1,"b":2},"expectedOutput":{"x":1}},{"input":{"a":1,"b":1},"expectedOutput":null}]`,
		`{"$ref":"#/$defs/s","$defs":{"s":{"type":"object"}}}`:           `[{"input":{"a":1,"b":2},"expectedOutput":{"x":1}},{"input":{"a":1,"b":1}}]`,
		`{"type":"object","additionalProperties":{"type":"number"}}`:     `[{"input":{"a":1,"b":2},"expectedOutput":{"x":1}},{"input":{"a":1,"b":1}}]`,
		`{"type":"object","patternProperties":{"^x":{"type":"number"}}}`: `[{"input":{"a":1,"b":2},"expectedOutput":{"x":1}},{"input":{"a":1,"b":1}}]`,
	} {
		r := mustRead(t, arguments("outputSchema", schema, "testCases", cases))
		if got := string(r.OutputSchema); got != schema || len(r.Notes) != 0 {
			t.Errorf("%s became %s, %q", schema, got, r.Notes)
		}
	}
}

func TestSchemasThatSayNothingAreInferred(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		"", "null", "true", "{}", `{"type":"object"}`, `{"type":"object","properties":{}}`,
		`{"additionalProperties":false}`, `{"anyOf":[]}`, `{"description":"a sum"}`, `{"sum":"number"}`, quoted(`{"type":"object"}`),
	} {
		r := mustRead(t, arguments("outputSchema", schema, "inputSchema", schema))
		if got := string(r.OutputSchema); got != addOut {
			t.Errorf("%s became %s", schema, got)
		}
		if got := string(r.InputSchema); got != addIn {
			t.Errorf("%s became %s", schema, got)
		}
	}
}

func TestInferenceThatFailsIsToldOnce(t *testing.T) {
	t.Parallel()
	var fields []string
	for i := range 501 {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
	}
	_, problems := refusal(t, arguments("inputSchema", "", "testCases", `[{"input":{`+strings.Join(fields, ",")+`}},{"input":{"f":2}}]`))
	if len(problems) != 1 || problems[0].Path != "/inputSchema" || !strings.Contains(problems[0].Message, "more than 500 schemas") {
		t.Error(problems)
	}
}

// Test cases share one budget: many that each take long are refused early.
func TestTestCasesThatTakeLongToCheck(t *testing.T) {
	t.Parallel()
	slow := `{"type":"object","properties":{"a":{"items":{"anyOf":[` + strings.Repeat(`{"type":"string"},`, 90) + `{"type":"number"}]}}}}`
	var cases []string
	for i := range 100 {
		cases = append(cases, fmt.Sprintf(`{"input":{"a":[%d%s]}}`, i, strings.Repeat(",1", 2000)))
	}
	_, problems := refusal(t, arguments("inputSchema", slow, "testCases", "["+strings.Join(cases, ",")+"]"))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "takes too long") || !strings.HasPrefix(problems[0].Path, "/testCases/") {
		t.Error(problems)
	}
}
