package forge

import (
	"encoding/json"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// CheckShape looks whether a request says enough to be tried: properties in its schemas, something to run, and at least
// so many test cases, with real and different inputs. It returns all that is missing.
func CheckShape(r *Request, minTestCases int) Problems {
	var p Problems
	if !declared(r.InputSchema, inputKeywords) {
		p.add("/inputSchema", "describe each argument in properties, or give test cases with real inputs to infer it from",
			"inputSchema has no declared properties")
	}
	if !declared(r.OutputSchema, outputKeywords) && !otherType(r.OutputSchema) {
		p.add("/outputSchema", `describe each member of the result in properties, or give its type when it is no object, such as {"type": "number"}; `+
			"it is inferred only from test cases whose expectedOutput is a whole object with members", "outputSchema has no declared properties")
	}
	p.shapeImplementation(r.Implementation)
	p.shapeCases(r.TestCases, minTestCases)
	return p
}

func (p *Problems) shapeImplementation(i tool.Implementation) {
	const hint = `give {"mode": "sandbox", "code": "function execute(input) { ... }", "allowlist": []}, or {"mode": "compose", "steps": [...]}`
	hasCode := strings.TrimSpace(i.Code) != ""
	switch {
	case i.Mode == tool.SandboxMode && !hasCode:
		p.add("/implementation/code", "write function execute(input) { … return output; }", "the implementation has no code")
	case i.Mode == tool.ComposeMode && len(i.Steps) == 0:
		p.add("/implementation/steps", "give at least one step with name, tool and inputMapping", "the implementation has no steps")
	case i.Mode == "" && !hasCode && len(i.Steps) == 0:
		p.add("/implementation", hint, "the implementation is missing: there is neither code nor a list of steps")
	}
}

func (p *Problems) shapeCases(cases []tool.TestCase, least int) {
	const at, hint = "/testCases", "every test case needs an input with real field values, as a caller would give them"
	if len(cases) < least {
		p.add(at, "give examples that differ: usual, at the edge, and what the tool must refuse", "need at least %d testCases, got %d", least, len(cases))
	}
	empty := 0
	inputs := map[string]bool{}
	for _, c := range cases {
		if key := strings.TrimSpace(string(c.Input)); key == "" || key == "{}" || key == "null" {
			empty++
		}
		key, _ := tool.Canonical(c.Input)
		inputs[string(key)] = true
	}
	switch {
	case empty == 1:
		p.add(at, hint, "1 testCase must not use empty input")
	case empty > 1:
		p.add(at, hint, "%d testCases must not use empty input", empty)
	case len(cases) > 1 && len(inputs) == 1:
		p.add(at, "give inputs that lead to different results", "all testCases have the same input")
	}
}

// inputKeywords and outputKeywords are those that say as much about a value as properties do.
var (
	inputKeywords  = []string{"properties", "patternProperties", "additionalProperties", "$ref", "anyOf", "oneOf", "allOf"}
	outputKeywords = append([]string{"items", "prefixItems", "enum", "const"}, inputKeywords...)
)

// declared reports whether a schema says what is in a value.
func declared(schema json.RawMessage, keywords []string) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil {
		return false
	}
	for _, keyword := range keywords {
		value := strings.TrimSpace(string(members[keyword]))
		permits := keyword != "const" && keyword != "enum" && (value == "true" || value == "false" || value == "{}" || value == "[]" || value == "null")
		if value != "" && !permits {
			return true
		}
	}
	return false
}

// otherType reports whether a schema wants something else than any object.
func otherType(schema json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &members) != nil {
		return false
	}
	wanted := strings.TrimSpace(string(members["type"]))
	return wanted != "" && wanted != `"object"`
}
