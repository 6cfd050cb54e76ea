package schema_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func TestInfer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		examples []string
		want     string
	}{
		"numbers, all required": {
			[]string{`{"a":1,"b":2}`, `{"a":1.5,"b":-3}`},
			`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}`,
		},
		"every kind": {
			[]string{`{"n":1,"s":"x","b":true,"l":[1],"o":{"p":1}}`},
			`{"type":"object","properties":{"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"},"l":{"type":"array"},"o":{"type":"object"}},"required":["n","s","b","l","o"],"additionalProperties":false}`,
		},
		"null alone stands for a string": {
			[]string{`{"a":null}`},
			`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`,
		},
		"fields of all examples, required where they always are": {
			[]string{`{"a":1}`, `{"b":"x","a":2}`},
			`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		},
		"types that differ": {
			[]string{`{"a":"x"}`, `{"a":null}`, `{"a":1}`, `{"a":2}`},
			`{"type":"object","properties":{"a":{"type":["string","null","number"]}},"required":["a"],"additionalProperties":false}`,
		},
		"no objects are skipped": {
			[]string{`[1]`, `"x"`, `null`, `{"a":1}`},
			`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"],"additionalProperties":false}`,
		},
		"odd keys": {
			[]string{`{"":1,"a\"b":true,"$ref":"x"}`},
			`{"type":"object","properties":{"":{"type":"number"},"a\"b":{"type":"boolean"},"$ref":{"type":"string"}},"required":["","a\"b","$ref"],"additionalProperties":false}`,
		},
		"nothing to go by": {[]string{`{}`, `1`}, ``},
		"no examples":      {nil, ``},
	} {
		examples := make([][]byte, len(c.examples))
		for i, e := range c.examples {
			examples[i] = []byte(e)
		}
		got, err := schema.Infer(examples...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

func TestInferRefuses(t *testing.T) {
	t.Parallel()
	members := map[string]int{}
	for i := range schema.MaxSchemas {
		members[strconv.Itoa(i)] = i
	}
	many, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{`{"a":1,"a":2}`: `example 2: the key "a" is given twice`, `{`: "example 2: this is not JSON", string(many): "more than 500 schemas"} {
		var e *tool.Error
		if _, err := schema.Infer([]byte(`{"b":1}`), []byte(text)); !errors.As(err, &e) || e.Code != tool.InvalidRequest || !strings.Contains(e.Message, want) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// The examples fit what was inferred from them.
func TestInferFitsItsExamples(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		m := maker{r}
		var examples [][]byte
		for range 1 + m.upTo(4) {
			examples = append(examples, marshal(m.value(2)))
		}
		text, err := schema.Infer(examples...)
		if err != nil {
			r.Fatal(err)
		}
		if text == nil {
			return
		}
		s := compile(t, string(text))
		for _, example := range examples {
			if err := s.Validate(example); example[0] == '{' && err != nil {
				r.Fatalf("%s: %v", text, err)
			}
		}
	})
}
