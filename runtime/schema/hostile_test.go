package schema_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/schema"
)

// series is a part with a number in it, n times, with commas between.
func series(part string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(part, "@", fmt.Sprint(i))
	}
	return strings.Join(parts, ",")
}

// Whatever fits the bounds is read and used within the deadline of two seconds.
func TestHostileSchemasAreQuick(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("measures time")
	}
	ones := "[" + strings.Repeat("1,", 50000) + "1]"
	keys := "{" + series(`"k@":1`, 20000) + "}"
	for name, c := range map[string]struct{ schema, value string }{
		"costly patterns":     {`{"properties":{` + series(`"p@":{"pattern":"`+strings.Repeat("(a{900})", 4)+`"}`, 8) + `}}`, `{"p0":"` + strings.Repeat("a", 100000) + `"}`},
		"refused patterns":    {`{"properties":{` + series(`"p@":{"pattern":"`+strings.Repeat("(a{900})", 10)+`"}`, 480) + `}}`, `1`},
		"names by pattern":    {`{"patternProperties":{` + series(`"(a|b)*k@$":{}`, 490) + `}}`, keys},
		"many required":       {`{"required":[` + series(`"@"`, 8000) + `]}`, `{}`},
		"required of many":    {`{"items":{"required":[` + series(`"k@"`, 8000) + `]}}`, "[" + strings.Repeat("{"+series(`"k@":1`, 8000)+"},", 20) + "1]"},
		"a large enum":        {`{"items":{"enum":[` + series(`@`, 10000) + `]}}`, ones},
		"a large constant":    {`{"items":{"const":[` + series(`@`, 10000) + `]}}`, "[" + strings.Repeat("["+series("@", 100)+"],", 500) + "1]"},
		"a large default":     {`{"default":[` + series(`[@]`, 7000) + `]}`, `1`},
		"a deep default":      {`{"default":` + strings.Repeat("[", 90) + strings.Repeat("]", 90) + `}`, `1`},
		"unknown keywords":    {`{` + series(`"k@":{"k":[{}]}`, 3000) + `}`, keys},
		"many definitions":    {`{"allOf":[` + series(`{"$ref":"#/$defs/d@"}`, 240) + `],"$defs":{` + series(`"d@":{"type":"integer"}`, 240) + `}}`, `1`},
		"a chain":             {chain(480), strings.Repeat("[", 900) + strings.Repeat("]", 900)},
		"marks of marks":      {`{"allOf":[` + strings.Repeat(`{"anyOf":[true,true,{"unevaluatedItems":true}],"unevaluatedItems":true},`, 80) + `true],"unevaluatedItems":false}`, ones},
		"decimals":            {`{"items":{"multipleOf":1e-300,"minimum":-1.1e308,"maximum":1.7e308}}`, "[" + strings.Repeat("1.2345678901234567e308,", 20000) + "1]"},
		"unique in unique":    {`{"uniqueItems":true,"items":{"$ref":"#"}}`, strings.Repeat("[", 900) + ones + strings.Repeat("]", 900)},
		"long texts":          {`{"additionalProperties":{"enum":["` + strings.Repeat("x", 30000) + `","` + strings.Repeat("y", 30000) + `"]}}`, "{" + series(`"k@":"`+strings.Repeat("x", 1000)+`"`, 1000) + "}"},
		"names of properties": {`{"propertyNames":{"anyOf":[` + series(`{"const":"@"}`, 480) + `]}}`, keys},
		"dependencies":        {`{"dependentRequired":{` + series(`"k@":["k@"]`, 3000) + `},"dependentSchemas":{` + series(`"k@":{}`, 490) + `}}`, "[" + keys + "]"},
		"wide recursion":      {`{"properties":{"a":{"$ref":"#"}},"additionalProperties":{"$ref":"#"},"unevaluatedProperties":{"$ref":"#"}}`, strings.Repeat(`{"b":0,"a":`, 900) + "{}" + strings.Repeat("}", 900)},
	} {
		start := time.Now()
		s, err := schema.Compile([]byte(c.schema))
		compiled := time.Since(start)
		if err == nil {
			err = s.Validate([]byte(c.value))
			s.Inline(0)
		}
		took := time.Since(start)
		t.Logf("%-20s compiled in %v, used in %v: %.80v", name, compiled, took-compiled, err)
		if took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// chain is a schema of n definitions, each of which applies the next to the same value, the last the first to its items.
func chain(n int) string {
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"items":{"$ref":"#"}}}}`, links(n), n)
}

func links(n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
	}
	return strings.Join(parts, ",")
}
