package schema_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suite reads the official tests that are admitted.
func suite(t testing.TB) []group {
	t.Helper()
	files, err := filepath.Glob("testdata/suite/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var groups []group
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var more []group
		if err := json.Unmarshal(text, &more); err != nil {
			t.Fatal(file, err)
		}
		groups = append(groups, more...)
	}
	return groups
}

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestSuite(t *testing.T) {
	t.Parallel()
	count := 0
	for _, g := range suite(t) {
		s := compile(t, string(g.Schema))
		inlined := compile(t, string(s.Inline(0)))
		for _, c := range g.Tests {
			count++
			name := g.Description + ": " + c.Description
			err := s.Validate(c.Data)
			if (err == nil) != c.Valid {
				t.Errorf("%s: %v, want valid: %t", name, err, c.Valid)
			}
			if err != nil {
				checkMismatch(t, name, err)
			}
			if err := inlined.Validate(c.Data); (err == nil) != c.Valid {
				t.Errorf("%s, inlined: %v, want valid: %t", name, err, c.Valid)
			}
		}
	}
	if count < 900 {
		t.Errorf("only %d tests", count)
	}
}

// checkMismatch confirms that an error is of use to whoever sent the value.
func checkMismatch(t testing.TB, name string, err error) {
	t.Helper()
	var e *tool.Error
	var m schema.Mismatches
	if !errors.As(err, &e) || !errors.As(err, &m) {
		t.Errorf("%s: %T, %v", name, err, err)
		return
	}
	if e.Code != tool.InvalidInput || e.Message == "" || len(e.Message) > 8<<10 || len(m) == 0 || len(m) > 5 {
		t.Errorf("%s: %d mismatches, %+v", name, len(m), e)
	}
	for _, one := range m {
		if one.Message == "" {
			t.Errorf("%s: no message at %q, %q", name, one.Path, one.Keyword)
		}
	}
}
