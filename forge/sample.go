package forge

import (
	"encoding/json"
	"math"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// samples are test cases that expect nothing, with inputs made from a schema; nil when there are not several different ones
// that fit it. They stand in for the test cases of a package that was written by a host which keeps none.
func samples(text json.RawMessage) []tool.TestCase {
	input, err := schema.Compile(text)
	value, ok := decoded(text)
	root, isObject := value.(map[string]any)
	if err != nil || !ok || !isObject {
		return nil
	}
	const enough = 3
	var list []tool.TestCase
	seen := map[string]bool{}
	for variant := range enough {
		made, err := json.Marshal(sampleValue(root, variant, 0))
		if err == nil && len(made) <= MaxCaseBytes && !seen[string(made)] && input.Validate(made) == nil {
			seen[string(made)] = true
			list = append(list, tool.TestCase{Input: made})
		}
	}
	if len(list) < 2 { //nolint:mnd // one says nothing of how the result depends on the input
		return nil
	}
	return list
}

// Bounds of samples, which keep them small whatever a schema asks for.
const (
	maxSampleDepth = 5
	maxSampleItems = 3
	maxSampleText  = 256
)

// sampleValue is a value that perhaps fits a schema: another one for each variant. Whoever asks checks it.
func sampleValue(s map[string]any, variant, depth int) any {
	if fixed, ok := s["const"]; ok {
		return fixed
	}
	for _, keyword := range []string{"enum", "examples"} {
		if list, ok := s[keyword].([]any); ok && len(list) > 0 {
			return list[variant%len(list)]
		}
	}
	if depth == maxSampleDepth {
		return nil
	}
	switch typeOf(s) {
	case "object":
		return sampleObject(s, variant, depth)
	case "array":
		item, _ := s["items"].(map[string]any)
		list := []any{}
		for i := range min(max(variant+1, int(bound(s, "minItems", 0))), int(bound(s, "maxItems", maxSampleItems)), maxSampleItems) {
			list = append(list, sampleValue(item, variant+i, depth+1))
		}
		return list
	case "string":
		return sampleText(s, variant)
	case "integer":
		return math.Ceil(sampleNumber(s, variant))
	case "number":
		return sampleNumber(s, variant)
	case "boolean":
		return variant%2 == 0
	case "null":
		return nil
	}
	return variant
}

// typeOf is the type that a schema wants, or the first of several.
func typeOf(s map[string]any) string {
	kind := s["type"]
	if list, ok := kind.([]any); ok && len(list) > 0 {
		kind = list[0]
	}
	text, _ := kind.(string)
	if _, ok := s["properties"]; ok && text == "" {
		return "object"
	}
	return text
}

func sampleObject(s map[string]any, variant, depth int) map[string]any {
	properties, _ := s["properties"].(map[string]any)
	made := map[string]any{}
	for name, property := range properties {
		inner, _ := property.(map[string]any)
		made[name] = sampleValue(inner, variant, depth+1)
	}
	return made
}

// sampleText is within the bounds of a schema, as far as they are sensible.
func sampleText(s map[string]any, variant int) string {
	text := []string{"Some text", "a,b;c 12", "Zoë"}[variant%3]
	text += strings.Repeat("x", max(0, min(int(bound(s, "minLength", 0)), maxSampleText)-len([]rune(text))))
	runes := []rune(text)
	return string(runes[:min(len(runes), int(bound(s, "maxLength", maxSampleText)))])
}

func sampleNumber(s map[string]any, variant int) float64 {
	n := float64(2*variant + 1)
	n = max(n, bound(s, "minimum", n), bound(s, "exclusiveMinimum", n-1)+1)
	return min(n, bound(s, "maximum", n), bound(s, "exclusiveMaximum", n+1)-1)
}

// bound is a number that a schema gives, within what samples need.
func bound(s map[string]any, keyword string, fallback float64) float64 {
	given, ok := s[keyword].(json.Number)
	if !ok {
		return fallback
	}
	n, err := given.Float64()
	if err != nil {
		return fallback
	}
	return n
}
