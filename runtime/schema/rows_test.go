package schema_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
)

// The rows of section 3.5 of the specification that are about an output and its schema. docs/behaviour.md says where ours
// differ.
func TestReuseRows(t *testing.T) {
	t.Parallel()
	const (
		pair   = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a","b"]}`
		nested = `{"type":"object","properties":{"user":{"type":"object","properties":{"name":{"type":"string","maxLength":3}}}}}`
	)
	for _, c := range []struct{ row, schema, value, path, keyword, message string }{
		{"T-103 an object", pair, `{"a":"x","b":1}`, "", "", ""},
		{"T-104 a string", `{"type":"string"}`, `"x"`, "", "", ""},
		{"T-104 a number", `{"type":"number"}`, `1.5`, "", "", ""},
		{"T-104 a boolean", `{"type":"boolean"}`, `false`, "", "", ""},
		{"T-104 an array", `{"type":"array","items":{"type":"number"}}`, `[1,2]`, "", "", ""},
		{"T-105 a number for a string", `{"type":"string"}`, `42`, "", "type", `Expected type "string" but got "number"`},
		{"T-106 a required property", pair, `{"a":"x"}`, "/b", "required", `Missing required property "b".`},
		{"T-107 a string for a number", `{"type":"number"}`, `"x"`, "", "type", `Expected type "number" but got "string"`},
		{"T-107 an object for an array", `{"type":"array"}`, `{}`, "", "type", `Expected type "array" but got "object"`},
		{"T-107 null for an object", `{"type":"object"}`, `null`, "", "type", `Expected type "object" but got "null"`},
		{"T-108 an optional property", `{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]}`, `{"x":1}`, "", "", ""},
		{"T-109 too short", `{"type":"string","minLength":3}`, `"ab"`, "", "minLength", "at least 3"},
		{"T-109 too long", `{"type":"string","maxLength":3}`, `"abcd"`, "", "maxLength", "at most 3"},
		{"T-109 not matching", `{"type":"string","pattern":"^[a-z]+$"}`, `"A"`, "", "pattern", "^[a-z]+$"},
		{"T-109 not in the enum", `{"type":"string","enum":["a","b"]}`, `"c"`, "", "enum", `"a", "b"`},
		{"T-110 below", `{"type":"number","minimum":0}`, `-1`, "", "minimum", "at least 0"},
		{"T-110 above", `{"type":"number","maximum":10}`, `11`, "", "maximum", "at most 10"},
		{"T-111 a nested property", nested, `{"user":{"name":"long"}}`, "/user/name", "maxLength", "at most 3"},
		{"T-112 the third element", `{"type":"array","items":{"type":"number","minimum":0}}`, `[1,2,-3]`, "/2", "minimum", "at least 0"},
		{"T-113 nested, within bounds", nested, `{"user":{"name":"ann"}}`, "", "", ""},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			err := compile(t, c.schema).Validate([]byte(c.value))
			if c.message == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var found schema.Mismatches
			if !errors.As(err, &found) || len(found) != 1 {
				t.Fatalf("got %v", err)
			}
			if m := found[0]; m.Path != c.path || !strings.HasSuffix(m.Keyword, "/"+c.keyword) || !strings.Contains(m.Message, c.message) {
				t.Errorf("got %+v", m)
			}
		})
	}
}
