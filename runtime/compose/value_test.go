package compose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// FuzzValue: members and items are found where the standard library finds them, and together are the text.
func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a": [1, {"b": "]\\\""}], "": {}, "é\u00e9": -1.5e3}`, `[[], {}, "", [[0]], true]`, `"x"`, `0`, `{"a": 1, "a": 2}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := newValue(text)
		if err != nil || v == null {
			return
		}
		var std any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&std); err != nil {
			t.Fatalf("%q is taken: %v", text, err)
		}
		agree(t, v, std)
	})
}

func agree(t *testing.T, v *value, std any) {
	t.Helper()
	switch std := std.(type) {
	case map[string]any:
		for key, item := range std {
			if c := v.child(key); c != nil {
				agree(t, c, item)
			} else if !bytes.Contains(v.text, []byte(`\ud`)) && !bytes.Contains(v.text, []byte(`\uD`)) { // lone surrogates have keys of their own here
				t.Errorf("%s has no %q", v.text, key)
			}
		}
	case []any:
		if v.len() != len(std) {
			t.Fatalf("%s has %d items, want %d", v.text, v.len(), len(std))
		}
		for i, item := range std {
			agree(t, v.child(fmt.Sprint(i)), item)
		}
	case json.Number:
		if string(v.text) != std.String() {
			t.Errorf("%s, want %s", v.text, std)
		}
	case string:
		if got, want := units(v.string()), len(utf16.Encode([]rune(std))); v.kind() != '"' || got != want {
			t.Errorf("%s has the length %d, want %d", v.text, got, want)
		}
	}
}

// TestTextsSurviveEscaping: any sequence of UTF-16 code units is itself after a way through unquote and appendEscaped.
func TestTextsSurviveEscaping(t *testing.T) {
	t.Parallel()
	unit := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0xD7FF, 0xE000), rapid.Uint16Range(0, 0x7F))
	rapid.Check(t, func(t *rapid.T) {
		var escaped []byte
		all := rapid.SliceOf(unit).Draw(t, "units")
		for _, u := range all {
			escaped = fmt.Appendf(escaped, `\u%04x`, u)
		}
		text, ok := unquote(string(escaped))
		again, okAgain := unquote(string(appendEscaped(nil, text)))
		if !ok || !okAgain || again != text || units(text) != len(all) {
			t.Fatalf("%s is %q, then %q", escaped, text, again)
		}
		if quoted := append(appendEscaped([]byte{'"'}, text), '"'); !json.Valid(quoted) {
			t.Fatalf("%s is not JSON", quoted)
		}
	})
}
