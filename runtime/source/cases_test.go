package source_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

type attack struct {
	ID, Source, Expect string
	ExpectAny          []string
	Allowlist          []string
}

func attacks(t *testing.T) []attack {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	var all []attack
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []attack
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatal(file, err)
		}
		all = append(all, list...)
	}
	return all
}

// What only the engine can refuse: the text is legal, or breaks a rule of syntax that is left to the engine.
var leftToTheEngine = map[string]string{
	"val-029": "the name comes from the input",
	"val-031": "the name comes from a search",
	"val-058": "another identifier", "val-059": "another identifier",
	"rlm-008": "names no banned API but behind typeof", "rlm-016": "with is legal",
}

func TestAttackCases(t *testing.T) {
	t.Parallel()
	const refused = "error:invalid_source"
	for _, c := range attacks(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			_, err := source.Check(c.Source, source.Options{Allow: c.Allowlist})
			if err != nil && !errors.Is(err, tool.InvalidSource) {
				t.Fatalf("not an invalid_source: %v", err)
			}
			switch may := c.Expect == refused || slices.Contains(c.ExpectAny, refused); {
			case err != nil && !may:
				t.Errorf("refused, must pass: %v\n%s", err, c.Source)
			case err == nil && c.Expect == refused && leftToTheEngine[c.ID] == "":
				t.Errorf("passes, must be refused\n%s", c.Source)
			case err != nil && c.Expect == "ok":
				t.Errorf("refused, may pass and should: %v\n%s", err, c.Source)
			}
		})
	}
}
