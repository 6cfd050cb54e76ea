package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/schema"
)

// maker draws schemas and values that are made of the same few names, numbers and words, so that they often meet.
type maker struct{ *rapid.T }

func pick[T any](m maker, list ...T) T { return rapid.SampledFrom(list).Draw(m.T, "") }

func (m maker) upTo(n int) int { return rapid.IntRange(0, n).Draw(m.T, "") }

func (m maker) name() string { return pick(m, "a", "b", "c", "", "a/b") }

func (m maker) number() json.Number {
	return json.Number(pick(m, "0", "-0", "1", "1.0", "2", "3", "0.1", "0.3", "1e2", "100", "-1.5", "9007199254740993", "9007199254740992", "1e-7"))
}

func (m maker) value(depth int) any {
	switch n := m.upTo(6 + min(2*depth, 6)); n {
	case 0:
		return nil
	case 1:
		return pick(m, true, false)
	case 2, 3:
		return m.number()
	case 4, 5, 6:
		return pick(m, "", "a", "b", "ab", "aé😀", "1")
	case 7, 8, 9:
		list := make([]any, m.upTo(3))
		for i := range list {
			list[i] = m.value(depth - 1)
		}
		return list
	default:
		members := map[string]any{}
		for range m.upTo(3) {
			members[m.name()] = m.value(depth - 1)
		}
		return members
	}
}

func (m maker) schemas(depth, least int) []any {
	list := make([]any, max(least, m.upTo(3)))
	for i := range list {
		list[i] = m.schema(depth)
	}
	return list
}

func (m maker) named(depth int, name func() string) map[string]any {
	members := map[string]any{}
	for range m.upTo(3) {
		members[name()] = m.schema(depth)
	}
	return members
}

func (m maker) names() []any {
	list := []any{}
	for _, name := range []string{"a", "b", "c"} {
		if m.upTo(2) == 0 {
			list = append(list, name)
		}
	}
	return list
}

func (m maker) schema(depth int) any {
	if depth <= 0 || m.upTo(9) == 0 {
		return pick[any](m, true, false, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": "integer"}, map[string]any{"$ref": "#/$defs/d"})
	}
	s := map[string]any{}
	for range 1 + m.upTo(3) {
		key := pick(m, keywords...)
		s[key] = m.keyword(key, depth-1)
	}
	return s
}

var keywords = []string{
	"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "prefixItems", "items", "contains", "minContains", "maxContains",
	"unevaluatedItems", "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "dependentRequired",
	"dependentSchemas", "minProperties", "maxProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref",
}

func (m maker) keyword(key string, depth int) any {
	switch key {
	case "type":
		return pick[any](m, "null", "boolean", "number", "integer", "string", "array", "object", []any{"object", "array"}, []any{"integer", "string"})
	case "enum":
		return []any{m.value(1), m.value(2), m.value(0)}
	case "const":
		return m.value(1)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return m.number()
	case "multipleOf":
		return json.Number(pick(m, "1", "2", "0.1", "0.01", "1e-8", "3", "1e2"))
	case "pattern":
		return pick(m, "a", "^a", "b$", "^.$", "[^a]", `\d`, "a|b", "^(?:ab?)+$")
	case "uniqueItems":
		return pick(m, true, false)
	case "properties", "dependentSchemas":
		return m.named(depth, m.name)
	case "patternProperties":
		return m.named(depth, func() string { return pick(m, "a", "^b", "^$", ".") })
	case "required":
		return m.names()
	case "dependentRequired":
		return map[string]any{m.name(): m.names(), m.name(): m.names()}
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return m.schemas(depth, 1)
	case "$ref":
		return pick(m, "#", "#/$defs/d", "#/$defs/e~1f")
	case "items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
		return m.schema(depth)
	default: // counts
		return m.upTo(3)
	}
}

// root draws a whole schema with its definitions.
func (m maker) root() []byte {
	s, ok := m.schema(3).(map[string]any)
	if !ok {
		s = map[string]any{}
	}
	s["$defs"] = map[string]any{"d": m.schema(2), "e/f": m.schema(1)}
	return marshal(s)
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

type refuse struct{}

func (refuse) Load(string) (any, error) { return nil, errors.New("refused") }

// oracle compiles a schema by the library.
func oracle(t interface {
	Helper()
	Fatal(args ...any)
}, text []byte,
) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refuse{})
	if err := c.AddResource("s:s", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("s:s")
	if err != nil {
		t.Fatal(string(text), err)
	}
	return s
}

// The library agrees with every verdict, and what is inlined admits whatever was admitted.
func TestOracle(t *testing.T) {
	t.Parallel()
	admitted, valid := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		m := maker{r}
		text := m.root()
		s, err := schema.Compile(text)
		if err != nil {
			return // a circle of references
		}
		admitted++
		other := oracle(r, text)
		inlined := s.Inline(1 + m.upTo(1))
		loose, looseErr := schema.Compile(inlined)
		for range 5 {
			v := m.value(3)
			got, want := s.Validate(marshal(v)), other.Validate(v)
			if (got == nil) != (want == nil) {
				r.Fatalf("%s\n%s\ngot %v\nwant %v", text, marshal(v), got, want)
			}
			if got != nil {
				continue
			}
			valid++
			if looseErr == nil && loose.Validate(marshal(v)) != nil {
				r.Fatalf("%s\n%s\ninlined %s: %v", text, marshal(v), inlined, loose.Validate(marshal(v)))
			}
		}
	})
	t.Logf("%d schemas admitted, %d values valid", admitted, valid)
}
