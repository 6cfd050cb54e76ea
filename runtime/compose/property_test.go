package compose_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/compose"
)

// hostile draws text that looks like references, templates and escapes.
func hostile() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{
		"$input", "$input.secret", "$prev", "$steps[0]", "$steps.one", "$$", "$", ".v", `["v"]`, "[0]", `"`, `\`, `\u0024input`, "a", " ", "é", "😀", "\n", "{", "}", "null",
	})
	return rapid.Map(rapid.SliceOf(part), func(parts []string) string { return strings.Join(parts, "") })
}

// TestResolvedValuesAreNeverScannedAgain sends text that looks like references through whole references, nested ones and
// interpolations, over several steps: it comes out as it went in, and no secret with it.
func TestResolvedValuesAreNeverScannedAgain(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `
		{"name": "one", "tool": "echo", "inputMapping": {"v": "$input.data", "t": "<$input.data>", "key": {"l": ["$input.data"]}}},
		{"name": "two", "tool": "echo", "inputMapping": {"v": "$prev.v", "t": "$prev.t", "u": "$steps.one.t|$steps[0][\"v\"]", "l": "$prev.key.l[0]"}},
		{"name": "three", "tool": "echo", "inputMapping": {"all": "$prev", "again": ["$prev.t", "$prev.u", {"l": "$prev.l"}]}}`)
	rapid.Check(t, func(t *rapid.T) {
		data := hostile().Draw(t, "data")
		input, err := json.Marshal(map[string]string{"data": data, "secret": "CANARY"})
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := p.Run(t.Context(), input, newWorld().call, compose.Options{})
		if err != nil {
			t.Fatal(err)
		}
		framed := "<" + data + ">"
		want := map[string]any{
			"all":   map[string]any{"v": data, "t": framed, "u": framed + "|" + data, "l": data},
			"again": []any{framed, framed + "|" + data, map[string]any{"l": data}},
		}
		wanted, err := json.Marshal(want)
		if err != nil || !same(wanted, out) {
			t.Fatalf("%s\nwant %s (%v)", out, wanted, err)
		}
	})
}

// TestEscapedTextIsItself shows that any text can be written: doubled dollar signs make it literal.
func TestEscapedTextIsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := hostile().Draw(t, "text")
		mapping, err := json.Marshal(map[string]any{"v": []string{strings.ReplaceAll(text, "$", "$$")}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := compose.New(compose.Spec{Steps: []compose.Step{{Name: "one", Tool: "echo", InputMapping: mapping}}}, compose.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := p.Run(t.Context(), []byte(`{"secret": "CANARY"}`), newWorld().call, compose.Options{})
		wanted, _ := json.Marshal(map[string]any{"v": []string{text}}) //nolint:errchkjson // strings always can
		if err != nil || !same(wanted, out) {
			t.Fatalf("%s\nwant %s (%v)", out, wanted, err)
		}
	})
}

// TestWholeReferencesKeepTheirText compares what arrives with the compact form of what was sent.
func TestWholeReferencesKeepTheirText(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `{"name": "one", "tool": "echo", "inputMapping": {"v": "$input"}}, {"name": "two", "tool": "echo", "inputMapping": {"w": ["$prev.v"]}}`)
	rapid.Check(t, func(t *rapid.T) {
		text := document(3).Draw(t, "document")
		out, _, err := p.Run(t.Context(), []byte(" "+text+"\n"), newWorld().call, compose.Options{})
		if err != nil || string(out) != `{"w":[`+text+`]}` {
			t.Fatalf("%s, want %s (%v)", out, text, err)
		}
	})
}

// document draws compact JSON that a round trip through Go values would change.
func document(depth int) *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{
		"9007199254740993", "-0", "1.0", "1E400", "0.1e-7", "null", "true", `""`, `"\ud800"`, `"\u0041/\/"`, `"<&>"`, `"$input"`, "123456789012345678901234567890",
	})
	if depth == 0 {
		return scalar
	}
	inner := rapid.SliceOfN(rapid.OneOf(scalar, document(depth-1)), 0, 4)
	list := rapid.Map(inner, func(items []string) string { return "[" + strings.Join(items, ",") + "]" })
	object := rapid.Map(inner, func(items []string) string {
		for i, item := range items {
			items[i] = `"` + string("zay\x41"[i]) + `":` + item
		}
		return "{" + strings.Join(items, ",") + "}"
	})
	return rapid.OneOf(scalar, list, object)
}
