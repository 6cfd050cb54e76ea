package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"not":`, schema.MaxDepth) + "{}" + strings.Repeat("}", schema.MaxDepth)
	many := `{"properties":{` + strings.TrimSuffix(strings.Repeat(`"%d":{},`, schema.MaxSchemas), ",") + `}}`
	numbers := make([]any, schema.MaxSchemas)
	for i := range numbers {
		numbers[i] = i
	}
	for text, want := range map[string]struct{ path, message, hint string }{
		`{"type":"object",}`:                        {"", "not JSON", ""},
		`{"title":"` + "\xff" + `"}`:                {"", "not UTF-8", ""},
		`{"type":"object","type":"array"}`:          {"/type", `"type" is given twice`, ""},
		strings.Repeat(" ", schema.MaxBytes) + "{}": {"", "at most 65536 are read", "shorten"},
		deep:                                {strings.Repeat("/not", schema.MaxDepth), "deeper than 32", "$defs"},
		fmt.Sprintf(many, numbers...):       {"", "more than 500 schemas", "$defs"},
		`[]`:                                {"", "a schema is an object, true or false", ""},
		`{"items":1}`:                       {"/items", "a schema is an object, true or false", ""},
		`{"$id":"x"}`:                       {"/$id", "keyword $id", "leave it out"},
		`{"not":{"$anchor":"x"}}`:           {"/not/$anchor", "keyword $anchor", "$defs"},
		`{"$dynamicRef":"#x"}`:              {"/$dynamicRef", "keyword $dynamicRef", "write $ref"},
		`{"dependencies":{"a":["b"]}}`:      {"/dependencies", "keyword dependencies", "dependentRequired"},
		`{"type":"string","nullable":true}`: {"/nullable", "keyword nullable", `["string", "null"]`},
		`{"x-mcp-header":"a"}`:              {"/x-mcp-header", "keyword x-mcp-header", "leave it out"},
		`{"$schema":"http://json-schema.org/draft-07/schema#"}`:                        {"/$schema", "draft-07", "2020-12"},
		`{"not":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}`:           {"/not/$schema", "$schema cannot be", "outermost"},
		`{"$ref":"http://127.0.0.1/"}`:                                                 {"/$ref", "cannot lead to", "#/$defs/"},
		`{"$ref":"other.json#/$defs/a","$defs":{"a":{}}}`:                              {"/$ref", "cannot lead to", "#/$defs/"},
		`{"$ref":"#/definitions/a"}`:                                                   {"/$ref", "cannot lead to", "#/$defs/"},
		`{"definitions":{"a":{}}}`:                                                     {"/definitions", "keyword definitions", "write $defs"},
		`{"$ref":"#/$defs/%zz","$defs":{"a":{}}}`:                                      {"/$ref", "cannot lead to", "#/$defs/"},
		`{"$ref":"#/$defs/b","$defs":{"a":{}}}`:                                        {"/$ref", "where no schema is", "#/$defs/"},
		`{"$ref":"#"}`:                                                                 {"/$ref", "around in a circle", "part of the value"},
		`{"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"if":{"$ref":"#/$defs/a"}}}}`: {"/$defs/a/not/$ref", "around in a circle", "part of the value"},
		`{"dependentSchemas":{"a":{"$ref":"#"}}}`:                                      {"/dependentSchemas/a/$ref", "around in a circle", ""},
		`{"type":"int"}`:                                                               {"/type", `type cannot be "int"`, "integer"},
		`{"type":["string","string"]}`:                                                 {"/type", "type cannot be", "each once"},
		`{"type":[]}`:                                                                  {"/type", "type cannot be", "one type at least"},
		`{"items":[{}]}`:                                                               {"/items", "items cannot be", "prefixItems"},
		`{"minLength":-1}`:                                                             {"/minLength", "minLength cannot be -1", "whole number"},
		`{"minItems":1.5}`:                                                             {"/minItems", "minItems cannot be 1.5", "whole number"},
		`{"maximum":"1"}`:                                                              {"/maximum", `maximum cannot be "1"`, "a number belongs here"},
		`{"exclusiveMinimum":true}`:                                                    {"/exclusiveMinimum", "cannot be true", "a number belongs here"},
		`{"maximum":1e400}`:                                                            {"/maximum", "fits no float64", ""},
		`{"const":[1,{"a":1e-400}]}`:                                                   {"/const/1/a", "fits no float64", ""},
		`{"default":` + strings.Repeat("1", 200) + `}`:                                 {"/default", "too long", ""},
		`{"multipleOf":"1"}`:                                                           {"/multipleOf", `cannot be "1"`, "a number belongs here"},
		`{"properties":{` + series(`"p@":{"pattern":"(a{900}){1}b{900}c{900}d{900}"}`, 10) + `}}`: {"/properties/p9/pattern", "unfold to more than", "fewer patterns"},
		`{"multipleOf":0.0}`:                                {"/multipleOf", "multipleOf cannot be 0.0", "above 0"},
		`{"uniqueItems":"yes"}`:                             {"/uniqueItems", "cannot be", "a boolean belongs here"},
		`{"required":"a"}`:                                  {"/required", `required cannot be "a"`, "an array belongs here"},
		`{"required":["a","a"]}`:                            {"/required", "required cannot be", `list "a" once`},
		`{"required":[true]}`:                               {"/required", "required cannot be", "strings only"},
		`{"dependentRequired":{"a/b":"c"}}`:                 {"/dependentRequired/a~1b", "cannot be", "an array"},
		`{"anyOf":[]}`:                                      {"/anyOf", "anyOf cannot be", "one schema at least"},
		`{"allOf":{}}`:                                      {"/allOf", "allOf cannot be", "an array"},
		`{"properties":[]}`:                                 {"/properties", "properties cannot be", "an object"},
		`{"pattern":"(?=a)"}`:                               {"/pattern", "(?=a", "RE2"},
		`{"patternProperties":{"[":{}}}`:                    {"/patternProperties/[", "not closed", "RE2"},
		`{"$defs":{"` + strings.Repeat("a", 257) + `":{}}}`: {"/$defs", "257 bytes", "shorter"},
		`{"title":1}`:                                       {"/title", "string", ""},
		`{"properties":{"a":{"readOnly":1}}}`:               {"/properties/a/readOnly", "boolean", ""},
		`{"$comment":{}}`:                                   {"/$comment", "string", ""},
		`{"examples":{}}`:                                   {"/examples", "array", ""},
	} {
		_, err := schema.Compile([]byte(text))
		var e *tool.Error
		if !errors.As(err, &e) {
			t.Errorf("%.80s: %v", text, err)
			continue
		}
		if e.Code != tool.InvalidRequest || e.Path != want.path || !strings.Contains(e.Message, want.message) || !strings.Contains(e.Hint, want.hint) {
			t.Errorf("%.80s: %+v\nwant %+v", text, *e, want)
		}
	}
}

func TestCompileAdmits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`true`, `false`, `{}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		`{"properties":{"$ref":{"type":"string"},"$id":{},"pattern":{},"dependencies":{}}}`, // names of properties
		`{"const":{"$ref":"http://x/"},"default":{"$id":1},"examples":[{"$anchor":"a"}]}`,   // values
		`{"properties":{"next":{"$ref":"#"}}}`,
		`{"$ref":"#/$defs/a%20b/items","$defs":{"a b":{"items":{}}}}`,
		`{"$ref":"#/$defs/a~1b~0c","$defs":{"a/b~c":{}}}`,
		`{"$ref":"#/%24defs/a","$defs":{"a":{"propertyNames":{"$ref":"#/$defs/a"}}}}`,
		`{"format":"anything","x-own":1}`,
		`{"minLength":2.0,"maxItems":1e1,"maxLength":1e300}`,
		strings.Repeat(`{"not":`, schema.MaxDepth-1) + "{}" + strings.Repeat("}", schema.MaxDepth-1),
	} {
		compile(t, text)
	}
}

// All problems are told at once, up to a bound.
func TestCompileTellsAllProblems(t *testing.T) {
	t.Parallel()
	_, err := schema.Compile([]byte(`{"type":"strin","properties":{"a":{"minLength":-1},"b":{"$id":"x"}},"$ref":"#/$defs/none"}`))
	var problems schema.Problems
	if !errors.As(err, &problems) || len(problems) != 4 || !strings.Contains(err.Error(), "/properties/b/$id") {
		t.Errorf("%d problems: %v", len(problems), err)
	}
	many := `{"properties":{` + strings.Repeat(`"a%d":{"minLength":-1},`, 100) + `"z":{}}}`
	numbers := make([]any, 100)
	for i := range numbers {
		numbers[i] = i
	}
	if _, err := schema.Compile(fmt.Appendf(nil, many, numbers...)); !errors.As(err, &problems) || len(problems) != 20 {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}
