package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The tables of docs/configuration.md are those of the code: every key with its default and what it may be.
func TestDocumentedKeys(t *testing.T) {
	t.Parallel()
	const heading = "\n## Keys of `"
	top, rest, _ := strings.Cut(read(t, "../../docs/configuration.md"), heading)
	sections := map[string]string{"": top}
	for part := range strings.SplitSeq(rest, heading) {
		name, text, _ := strings.Cut(part, "`\n")
		sections[name+"."] = text
	}
	c := Default()
	rows := 0
	for _, l := range c.leaves() {
		if len(l.path) == 3 && l.path[0] == "models" && l.path[1] != "judge" {
			continue // all purposes have the same keys
		}
		section := ""
		for prefix := range sections {
			if strings.HasPrefix(l.key(), prefix) && len(prefix) > len(section) {
				section = prefix
			}
		}
		if row := "\n| `" + strings.TrimPrefix(l.key(), section) + "` | " + cells(l); !strings.Contains(sections[section], row) {
			t.Errorf("the keys of %q lack the row %s", section, row)
		}
		rows++
	}
	if got := strings.Count(top+rest, "\n| `"); got != rows+4 { // those of personas
		t.Errorf("there are %d rows, want %d", got, rows+4)
	}
}

// cells are the default of a key and what it may be, as far as its tags say.
func cells(l leaf) string {
	text := fmt.Sprint(l.shown())
	if list, ok := l.shown().([]string); ok {
		text = strings.Join(list, ", ")
	}
	words := strings.Join(strings.Fields(l.tag.Get("oneof")), ", ") + strings.ReplaceAll(l.tag.Get("range"), "..", " to ")
	switch {
	case text == "" && words == "":
		return "| "
	case text == "":
		return "| " + words + " |"
	case words == "":
		return text + " | "
	}
	return text + " | " + words + " |"
}

func TestExampleIsRead(t *testing.T) {
	t.Parallel()
	if os.PathSeparator != '/' {
		t.Skip("the folders are those of unix")
	}
	c, err := Parse([]byte(read(t, "../../examples/config.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Policy("analyst")
	if err != nil || len(p.Network) != 1 || len(p.Storage) != 1 || len(p.Crypto) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}
