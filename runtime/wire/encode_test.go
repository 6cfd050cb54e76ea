package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

func TestYAMLToJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"b: 1\na: [x, \"2\", true, null, ~]": `{"b":1,"a":["x","2",true,null,null]}`,
		"- 12345678901234567890123":          `[12345678901234567890123]`,
		"- 9007199254740993":                 `[9007199254740993]`,
		"- 1.10\n- 2.5e+10\n- -0":            `[1.10,2.5e+10,-0]`,
		"- 2026-01-02\n- 1:30\n- yes":        `["2026-01-02","1:30","yes"]`,
		"- '<a> & b'":                        `["<a> & b"]`,
		"code: |\n  a\n    b\n":              `{"code":"a\n  b\n"}`,
		"{}":                                 `{}`,
		"[]":                                 `[]`,
		"plain":                              `"plain"`,
		"\"\\x01\\u2028\"":                   `"\u0001\u2028"`,
		"__proto__: {a: 1}":                  `{"__proto__":{"a":1}}`,
	} {
		got, err := wire.YAMLToJSON([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestYAMLToJSONRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":             "empty",
		"~":            "empty",
		"a: 1\na: 2":   `the key "a" is given twice`,
		"a: &x 1":      "an anchor is not taken here",
		"a:\n  - 0x10": "0x10 is not a number in decimal digits (line 2, column 5)",
		"a: 1_000":     "1_000 is not a number",
		"a: .inf":      ".inf is not a number",
		"a: .5":        ".5 is not a number",
		"a: +1":        "+1 is not a number",
		"a: 007":       "007 is not a number",
		"a: " + strings.Repeat("x", wire.MaxYAMLBytes):                              "at most 262144 are read",
		strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1): "nested more than 32 deep",
	} {
		got, err := wire.YAMLToJSON([]byte(text))
		if got != nil {
			t.Errorf("%.60q became %.60s", text, got)
		}
		refuses(t, text, err, want)
	}
	_, err := wire.YAMLToJSON([]byte("a:\n  - 0x10"))
	if e := tool.AsError(err); e.Path != "/a/0" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

// What comes out is JSON, and as YAML it reads to the same again.
func FuzzYAMLToJSON(f *testing.F) {
	f.Add(houseYAML)
	f.Add("- 12345678901234567890123\n- 1.10\n- \"\\x00 <\"\n- {a: [~, tRUE, .nan]}")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := wire.YAMLToJSON([]byte(text))
		if err != nil {
			if !errors.Is(err, tool.InvalidRequest) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !json.Valid(first) {
			t.Fatalf("%q: became %q", text, first)
		}
		if len(first) > wire.MaxYAMLBytes {
			return
		}
		second, err := wire.YAMLToJSON(first)
		if err != nil || string(first) != string(second) {
			t.Errorf("%q: %q became %q, %v", text, first, second, err)
		}
	})
}

func TestJSONToYAML(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b":1,"a":["x","2",true,null]}`:      "b: 1\na:\n  - x\n  - \"2\"\n  - true\n  - null\n",
		`{"code":"a\n  b\n","of":{},"no":[]}`:  "code: |\n  a\n    b\nof: {}\nno: []\n",
		`[1.10,2.5e+10,-0,9007199254740993]`:   "- 1.10\n- 2.5e+10\n- -0\n- 9007199254740993\n",
		`["yes","~","<<","2026-01-02","0x10"]`: "- yes\n- \"~\"\n- \"<<\"\n- \"2026-01-02\"\n- \"0x10\"\n",
		`"plain"`:                              "plain\n",
		`["caf\u00e9","a\u202eb","\u001b"]`:    "- \"caf\\xE9\"\n- \"a\\u202Eb\"\n- \"\\e\"\n",
		`["caf\u00e9"]`:                        "- caf\u00e9\n",
	} {
		got, err := wire.JSONToYAML([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":              "empty",
		`{"a":1,"a":2}`: "given twice",
		`{"a":`:         "not JSON",
		strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1): "nested more than 32 deep",
		`"` + strings.Repeat("x", wire.MaxYAMLBytes) + `"`:                          "at most 262144 are read",
	} {
		got, err := wire.JSONToYAML([]byte(text))
		if got != nil {
			t.Errorf("%.60q became %.60s", text, got)
		}
		refuses(t, text, err, want)
	}
}

// What comes out is YAML of the same value, whatever the text in it.
func FuzzJSONToYAML(f *testing.F) {
	f.Add(`{"a":[1,-0,1e5,"yes","\u0000","a\n b\n\n"," x","\t\n","#","- a","a: b","<<","!!str x","&a","*a","\u2028","\ufeff","---"],"":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		out, err := wire.JSONToYAML([]byte(text))
		if err != nil {
			if !errors.Is(err, tool.InvalidRequest) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		back, err := wire.YAMLToJSON(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, out, err)
		}
		again, err := wire.JSONToYAML(back)
		if err != nil || string(again) != string(out) {
			t.Errorf("%q became %q, then %q, %v", text, out, again, err)
		}
	})
}
