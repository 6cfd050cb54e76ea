package schema_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
)

func TestInline(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`true`: `true`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"<a&b>","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"string"}}}`: `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"\u003ca\u0026b\u003e","items":{"type":"string"}}`,
		// What only annotates overrides, the rest is added.
		`{"$ref":"#/$defs/a","title":"here","$defs":{"a":{"type":"object","title":"there"}}}`:                     `{"title":"here","type":"object"}`,
		`{"$ref":"#/$defs/a","minimum":1,"$defs":{"a":{"minimum":2}}}`:                                            `{"minimum":1,"allOf":[{"minimum":2}]}`,
		`{"$ref":"#/$defs/a","allOf":[{"minimum":1}],"$defs":{"a":{"minimum":2}}}`:                                `{"allOf":[{"minimum":1},{"minimum":2}]}`,
		`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":false}}`:                                           `{"properties":{"a":false}}`,
		`{"minimum":1,"$ref":"#/$defs/a","$defs":{"a":true}}`:                                                     `{"minimum":1}`,
		`{"const":{"$ref":"#"},"properties":{"$ref":{"type":"string"},"$defs":{}}}`:                               `{"const":{"$ref":"#"},"properties":{"$ref":{"type":"string"},"$defs":{}}}`,
		`{"$ref":"#/$defs/a%20b~1c/items","$defs":{"a b/c":{"items":{"$ref":"#/$defs/d"}},"d":{"minimum":1.50}}}`: `{"minimum":1.50}`,
		`{"$ref":"#/$defs/a/anyOf/1","$defs":{"a":{"anyOf":[{},{"minimum":1}]}}}`:                                 `{"minimum":1}`,
		// Recursion is cut, here after two.
		`{"required":["v"],"properties":{"next":{"$ref":"#"}}}`: `{"required":["v"],"properties":{"next":{"required":["v"],"properties":{"next":{}}}}}`,
		// What would refuse more by the cut is left out or loosened.
		`{"properties":{"a":{"not":{"properties":{"b":{"$ref":"#"}}}}}}`:                `{"properties":{"a":{}}}`,
		`{"properties":{"a":{"if":{"properties":{"b":{"$ref":"#"}}},"then":false}}}`:    `{"properties":{"a":{}}}`,
		`{"properties":{"a":{"oneOf":[{"type":"null"},{"$ref":"#"}]}},"type":"object"}`: `{"properties":{"a":{"anyOf":[{"type":"null"},{"properties":{"a":{"anyOf":[{"type":"null"},{}]}},"type":"object"}]}},"type":"object"}`,
		`{"properties":{"a":{"oneOf":[true,{"$ref":"#"}],"anyOf":[true]}}}`:             `{"properties":{"a":{"anyOf":[true]}}}`,
		`{"properties":{"a":{"contains":{"$ref":"#"},"maxContains":1}}}`:                `{"properties":{"a":{"contains":{"properties":{"a":{"contains":{}}}}}}}`,
		`{"properties":{"a":{"$ref":"#","unevaluatedProperties":false}}}`:               `{"properties":{"a":{"unevaluatedProperties":false,"allOf":[{"properties":{"a":{}}}]}}}`,
	} {
		if got := string(compile(t, text).Inline(2)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// A schema that unfolds without end is cut where it grows beyond measure.
func TestInlineIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"doubling":       doubling("items", 40),
		"large constant": `{"prefixItems":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/a"},`, 400), ",") + `],"$defs":{"a":{"const":"` + strings.Repeat("x", 50000) + `"}}}`,
		"wide recursion": `{"properties":{` + strings.Repeat(`"a":{"$ref":"#"},`, 1) + `"b":{"$ref":"#"},"c":{"$ref":"#"},"d":{"$ref":"#"},"e":{"$ref":"#"},"f":{"$ref":"#"},"g":{"$ref":"#"}}}`,
	} {
		s := compile(t, text)
		for _, depth := range []int{0, 1, 1 << 30} {
			if got := s.Inline(depth); len(got) > 8*schema.MaxBytes {
				t.Errorf("%s: %d bytes at depth %d", name, len(got), depth)
			}
		}
	}
}
