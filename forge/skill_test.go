package forge_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// front is the front matter of a skill as JSON, and what stands below it.
func front(t testing.TB, text []byte) (head, body string) {
	t.Helper()
	rest, opened := strings.CutPrefix(string(text), "---\n")
	head, body, closed := strings.Cut(rest, "---\n")
	converted, err := wire.YAMLToJSON([]byte(head))
	if !opened || !closed || err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return string(converted), body
}

const skillOfComposed = `
# Page Outline

## Purpose

Fetch a page and list its &lt;headings>.

## Usage

Call the tool ` + "`page_outline`. It is a pipeline of 2 steps: `http_get` → `html_headings`" + `.

## Parameters

| Parameter | Type | Required | Description |
| --- | --- | --- | --- |
| address | string | Yes | Where \| the page is |
| depth | integer or null | No |  |
| any | unknown | No |  |

## Output

` + "```json" + `
{
  "type": "object",
  "properties": {
    "headings": {
      "type": "array",
      "items": {
        "type": "string"
      }
    }
  },
  "required": [
    "headings"
  ]
}
` + "```" + `

## Pipeline Steps

1. **page** calls ` + "`http_get`" + `
   - Input: ` + "`" + `{"accept":{"as":["text/html"]},"url":"$input.address"}` + "`" + `
2. **outline** calls ` + "`html_headings`" + `
   - Condition: ` + "`$prev.status == 200`" + `
   - Input: ` + "`" + `{"html":"$prev.body"}` + "`" + `

## Provenance

- **Source:** forged by agent librarian during session s-118
- **Tier:** agent
- **Total uses:** 10
- **Success rate:** 90.0%
- **Confidence:** 0.88
`

// The whole text.
func TestT226And231And232SkillOfAComposedTool(t *testing.T) {
	t.Parallel()
	r, i := composed()
	text, err := forge.SkillText(r, i, forge.FirstSkillVersion)
	if err != nil {
		t.Fatal(err)
	}
	head, body := front(t, text)
	const want = `{"name":"page-outline","version":"1.0.0","description":"Fetch a page and list its <headings>.","author":"emergent-engine",` +
		`"namespace":"emergent","category":"emergent","tags":["generated","emergent","compose","agent"],"requires_secrets":[],` +
		`"requires_tools":["http_get","html_headings"],"metadata":{"agentos":{"tier":"agent","createdBy":"librarian",` +
		`"createdAt":"2026-09-01T08:30:00.000Z","mode":"compose","tool":"page_outline"}}}`
	if diff := cmp.Diff(want, head); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(skillOfComposed, body); diff != "" {
		t.Error(diff)
	}
}

func TestT227SkillOfASandboxTool(t *testing.T) {
	t.Parallel()
	r, i := coded()
	r.UsageStats = tool.UsageStats{}
	text, err := forge.SkillText(r, i, forge.FirstSkillVersion)
	if err != nil {
		t.Fatal(err)
	}
	head, body := front(t, text)
	for _, want := range []string{"with these APIs of the host: `fetch`.", "Sandbox source code is redacted", "**Success rate:** 0.0%"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	if !strings.Contains(head, `"requires_tools":[]`) || !strings.Contains(head, `"mode":"sandbox"`) || strings.Contains(string(text), "secret>") ||
		strings.Contains(string(text), "function execute") || strings.Contains(body, "Pipeline Steps") {
		t.Errorf("%s", text)
	}
	i.Allowlist, r.InputSchema, r.OutputSchema = nil, json.RawMessage(`{"type":"object"}`), json.RawMessage(`{}`)
	if text, err = forge.SkillText(r, i, forge.FirstSkillVersion); err != nil {
		t.Fatal(err)
	}
	if _, body := front(t, text); !strings.Contains(body, "without any API of the host.") || strings.Contains(body, "## Parameters") || strings.Contains(body, "## Output") {
		t.Errorf("%s", body)
	}
}

// What authors write stays in its place.
func TestSkillsBearAnyText(t *testing.T) {
	t.Parallel()
	r, i := composed()
	r.Description = "# Not a title\n---\n| a | <script>`x`</script> ![p](http://x.example/)" + strings.Repeat(" long", 300) + "\x1b"
	r.InputSchema = json.RawMessage("{\"properties\":{\"a|b\":{\"type\":\"string\",\"description\":\"c \\\\| d\\n| e\"},\"t\":true}}")
	r.Source = "- x"
	i.Steps[0].Condition = "$input.a == '`' || $input.b == '``'"
	text, err := forge.SkillText(r, i, forge.FirstSkillVersion)
	if err != nil {
		t.Fatal(err)
	}
	head, body := front(t, text)
	var read struct{ Description string }
	if err := json.Unmarshal([]byte(head), &read); err != nil || len([]rune(read.Description)) != 1024 || strings.ContainsAny(read.Description, "\n\x1b") {
		t.Errorf("%v %q", err, read.Description)
	}
	for _, want := range []string{
		"\n\\# Not a title --- \\| a \\| &lt;script>\\`x\\`&lt;/script> !\\[p\\](http://x.example/) long", "| a\\|b | string | No | c \\\\\\| d \\| e |\n| t | unknown | No |  |\n",
		"   - Condition: ``` $input.a == '`' || $input.b == '``' ```\n", "- **Source:** \\- x\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %s", want, body)
		}
	}
	if strings.Contains(string(text), "\x1b") || strings.Count(body, "\n#") != 7 {
		t.Errorf("%s", body)
	}
}

func TestT228Capability(t *testing.T) {
	t.Parallel()
	r, i := composed()
	text, err := forge.CapabilityText(r, i)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.YAMLToJSON(text)
	want := `{"id":"tool:page_outline","kind":"tool","name":"page_outline","displayName":"Page Outline","description":"Fetch a page and list its <headings>.",` +
		`"category":"emergent","tags":["generated","emergent","compose","agent"],"requiredSecrets":[],"requiredTools":["http_get","html_headings"],` +
		`"inputSchema":` + string(r.InputSchema) + `,"outputSchema":` + string(r.OutputSchema) + `,"skillContent":"./SKILL.md"}`
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestSkillName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"slugify": "slugify", "add_numbers": "add-numbers", "AddNumbers": "addnumbers", "a__b--c_-d": "a-b-c-d", "a_": "a",
		strings.Repeat("a", 64): strings.Repeat("a", 64), strings.Repeat("a", 65): "",
	} {
		got, err := forge.SkillName(name)
		if got != want || (err == nil) != (want != "") || err != nil && tool.AsError(err).Hint == "" {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
}

// The files lie in a folder of the skill's name, and parse.
func TestT229And230WriteSkill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	r, i := composed()
	write := func(r *tool.Record, version string, changed bool) {
		t.Helper()
		got, err := forge.WriteSkill(dir, r, i)
		want := &forge.WrittenSkill{
			Name: "page-outline", Version: version, Changed: changed,
			Files: []string{filepath.Join(dir, "page-outline", "SKILL.md"), filepath.Join(dir, "page-outline", "CAPABILITY.yaml")},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
		text, err := os.ReadFile(got.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		if head, _ := front(t, text); !strings.Contains(head, `"version":"`+version+`"`) {
			t.Errorf("%s", head)
		}
		beside, err := os.ReadFile(got.Files[1])
		if err == nil {
			_, err = wire.YAMLToJSON(beside)
		}
		if err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(filepath.Join(dir, "page-outline"))
		if err != nil || len(entries) != 2 {
			t.Errorf("%v %v", entries, err)
		}
	}
	write(r, "1.0.0", true)
	write(r, "1.0.0", false)
	r.UsageStats.TotalUses++
	write(r, "1.0.1", true)
	write(r, "1.0.1", false)
	r.Description = "Another."
	write(r, "1.0.2", true)
}

// What is not this tool's skill is left alone, and links lead nowhere.
func TestWriteSkillLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	if goruntime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	for name, make := range map[string]func(dir, outside string) error{
		"the folder is a link": func(dir, outside string) error { return os.Symlink(outside, filepath.Join(dir, "page-outline")) },
		"the folder is a file": func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "page-outline"), nil, 0o600) },
		"SKILL.md is a link": func(dir, outside string) error {
			if err := os.Mkdir(filepath.Join(dir, "page-outline"), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(outside, "kept"), filepath.Join(dir, "page-outline", "SKILL.md"))
		},
		"CAPABILITY.yaml is a link": func(dir, outside string) error {
			if err := os.Mkdir(filepath.Join(dir, "page-outline"), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(outside, "kept"), filepath.Join(dir, "page-outline", "CAPABILITY.yaml"))
		},
		"another tool's": func(dir, _ string) error {
			r, i := composed()
			r.Name = "page-Outline"
			_, err := forge.WriteSkill(dir, r, i)
			return err
		},
		"somebody's own": func(dir, _ string) error { return ownSkill(dir, "---\nname: page-outline\n---\nmine\n") },
		"no map":         func(dir, _ string) error { return ownSkill(dir, "---\n- a\n---\n") },
		"odd metadata":   func(dir, _ string) error { return ownSkill(dir, "---\nversion: 1.0.0\nmetadata: [a]\n---\n") },
		"no text at all": func(dir, _ string) error { return ownSkill(dir, "") },
	} {
		dir, outside := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := make(dir, outside); err != nil {
			t.Fatal(err)
		}
		before := files(t, dir, outside)
		r, i := composed()
		_, err := forge.WriteSkill(dir, r, i)
		if !errors.Is(err, tool.Collision) || tool.AsError(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(before, files(t, dir, outside)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func ownSkill(dir, text string) error {
	folder := filepath.Join(dir, "page-outline")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o600)
}

// files are all regular files below some folders, with what they hold.
func files(t *testing.T, dirs ...string) (list []string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // G122: nothing else writes there
			list = append(list, path+": "+string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(list)
	return list
}
