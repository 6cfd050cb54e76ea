package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// What a model reads when its value is refused.
func TestMismatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema, value string
		want          []schema.Mismatch
	}{
		{`{"type":"integer"}`, `"x"`, []schema.Mismatch{{"", "/type", `Expected type "integer" but got "string": "x"`}}},
		{`{"type":["string","null"]}`, `[1]`, []schema.Mismatch{{"", "/type", `Expected type "null" or "string" but got "array"`}}},
		{`{"required":["a","b"]}`, `{"a":1}`, []schema.Mismatch{{"/b", "/required", `Missing required property "b".`}}},
		{
			`{"properties":{"a/b":{"type":"string","minLength":2},"n":{"maximum":3,"multipleOf":2}}}`, `{"a/b":"x","n":5}`,
			[]schema.Mismatch{
				{"/a~1b", "/properties/a~1b/minLength", "must have at least 2 characters, got 1"},
				{"/n", "/properties/n/maximum", "must be at most 3, got 5"},
				{"/n", "/properties/n/multipleOf", "must be a multiple of 2, got 5"},
			},
		},
		{`{"items":{"enum":["a","b",null]}}`, `["a","c"]`, []schema.Mismatch{{"/1", "/items/enum", `must be one of "a", "b", null, got "c"`}}},
		{`{"const":{"a":1}}`, `{"a":2}`, []schema.Mismatch{{"", "/const", `must be {"a":1}, got an object of 1 property`}}},
		{`{"properties":{"b":{},"a":{}},"additionalProperties":false}`, `{"c":1}`, []schema.Mismatch{{"/c", "/additionalProperties", `the property "c" is not allowed; those that are: a, b`}}},
		{`{"additionalProperties":false}`, `{"":1}`, []schema.Mismatch{{"/", "/additionalProperties", `the property "" is not allowed`}}},
		{`{"unevaluatedProperties":false}`, `{"c":1}`, []schema.Mismatch{{"/c", "/unevaluatedProperties", `the property "c" is not allowed: no schema here knows it`}}},
		{`{"prefixItems":[{}],"items":false}`, `[1,2]`, []schema.Mismatch{{"/1", "/items", "nothing is allowed here"}}},
		{`{"uniqueItems":true}`, `[1,2,1]`, []schema.Mismatch{{"", "/uniqueItems", "items must differ, but those at 0 and 2 are equal"}}},
		{`{"contains":{"type":"string"},"minContains":2}`, `["a"]`, []schema.Mismatch{{"", "/contains", "must have at least 2 items that the schema of contains admits, got 1"}}},
		{`{"minProperties":2,"maxItems":1}`, `{"a":1}`, []schema.Mismatch{{"", "/minProperties", "must have at least 2 properties, got 1"}}},
		{`{"pattern":"^\\d+$"}`, `"a"`, []schema.Mismatch{{"", "/pattern", `must match the pattern ^\d+$, got "a"`}}},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, []schema.Mismatch{{"", "/propertyNames", `"ab" is no name for a property here: must have at most 1 character, got 2`}}},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []schema.Mismatch{{"/b", "/dependentRequired/a", `Missing required property "b". It is required because there is "a".`}}},
		{
			`{"items":{"anyOf":[{"type":"string"},{"properties":{"a":{"type":"null"}},"type":"object"}]}}`, `[{"a":1}]`,
			[]schema.Mismatch{{"/0", "/items/anyOf", `an object of 1 property matches none of the 2 alternatives: Expected type "string" but got "object"; or at /a Expected type "null" but got "number": 1`}},
		},
		{`{"oneOf":[true,{"type":"number"}]}`, `1`, []schema.Mismatch{{"", "/oneOf", "1 matches alternatives 0 and 1, but must match exactly one"}}},
		{`{"not":{"type":"number"}}`, `1`, []schema.Mismatch{{"", "/not", "1 matches the schema of not"}}},
		{`{"if":{"type":"number"},"then":{"minimum":2}}`, `1`, []schema.Mismatch{{"", "/then/minimum", "must be at least 2, got 1"}}},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"minimum":2}}}`, `1`, []schema.Mismatch{{"", "/$defs/a/minimum", "must be at least 2, got 1"}}},
	} {
		err := compile(t, c.schema).Validate([]byte(c.value))
		var got schema.Mismatches
		if !errors.As(err, &got) || len(got) != len(c.want) {
			t.Errorf("%s, %s: %v", c.schema, c.value, err)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s, %s:\n got %+v\nwant %+v", c.schema, c.value, got[i], c.want[i])
			}
		}
	}
}

// Only the first few are told, and none of them at length.
func TestMismatchesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 10000)
	s := compile(t, `{"items":{"anyOf":[{"enum":["`+long[:4000]+`"]},{"pattern":"`+long[:200]+`"},{"properties":{"`+long[:256]+`":false}}]},"additionalProperties":{"const":1}}`)
	for _, value := range []string{
		`[` + strings.Repeat(`"`+long+`",`, 20) + `1]`,
		`{"` + long + `":"` + long + `"}`,
		`[{"` + long[:256] + `":1}]`,
	} {
		err := s.Validate([]byte(value))
		if err == nil {
			continue
		}
		checkMismatch(t, value[:10], err)
		if len(err.Error()) > 8<<10 {
			t.Errorf("%d bytes", len(err.Error()))
		}
	}
}

// doubling is a schema that looks at the same value 2^levels times, by the keyword given.
func doubling(keyword string, levels int) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"%s":{"$ref":"#/$defs/d0"},"$defs":{%s"d%d":{"minimum":0}}}`, keyword, defs.String(), levels)
}

// What would take too long ends in time, and says so.
func TestBudget(t *testing.T) {
	t.Parallel()
	choices := strings.Repeat(`{"const":1},`, 490)
	for name, c := range map[string]struct{ schema, value string }{
		"items":             {doubling("items", 30), `[1]`},
		"not":               {doubling("not", 30), `1`},
		"if":                {doubling("if", 30), `1`},
		"contains":          {doubling("contains", 30), `[1]`},
		"property names":    {doubling("propertyNames", 30), `{"a":1}`},
		"recursion":         {`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"type":"object"}`, strings.Repeat(`{"a":`, 40) + "{}" + strings.Repeat("}", 40)},
		"many alternatives": {`{"items":{"anyOf":[` + choices + `{"const":0}]}}`, `[` + strings.Repeat("0,", 30000) + `0]`},
		"unevaluated":       {`{"anyOf":[` + choices + `true],"unevaluatedItems":true}`, `[` + strings.Repeat("0,", 30000) + `0]`},
		"a large pattern":   {`{"pattern":"^(?:a?){999}(?:b?){999}x$"}`, `"` + strings.Repeat("a", 300000) + `"`},
	} {
		start := time.Now()
		if err := compile(t, c.schema).Validate([]byte(c.value)); !errors.Is(err, tool.Limit) {
			t.Errorf("%s: %v", name, err)
		}
		t.Logf("%s: %v", name, time.Since(start))
	}
}

// An honest value may be large.
func TestLargeValues(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer","minimum":0},"name":{"type":"string","pattern":"^[a-z ]+$","maxLength":40},
		"tags":{"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true}},"required":["id","name"],"additionalProperties":false}}`)
	value := `[` + strings.Repeat(`{"id":12,"name":"some name","tags":["a","b"]},`, 20000) + `{"id":1,"name":"a"}]`
	if err := s.Validate([]byte(value)); err != nil {
		t.Error(err)
	}
	unique := compile(t, `{"uniqueItems":true}`)
	items := make([]any, 20000)
	for i := range items {
		items[i] = map[string]any{"k": i}
	}
	if err := unique.Validate(marshal(items)); err != nil {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"properties":{"a":{"pattern":"^a+$"},"next":{"$ref":"#"}},"unevaluatedProperties":false}`)
	v, err := schema.Decode([]byte(`{"a":"aaa","next":{"a":"a","next":{"a":"b"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if err := s.ValidateValue(v); err == nil || !strings.Contains(err.Error(), "(at /next/next/a)") {
					t.Error(err)
				}
				s.Inline(2)
			}
		})
	}
	all.Wait()
}
