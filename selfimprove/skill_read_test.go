package selfimprove_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/selfimprove"
)

func TestReadSkill(t *testing.T) {
	t.Parallel()
	const plain = `"category":"uncategorized","description":"Text.","content":"Text.","userInvocable":true,"modelInvocable":true}`
	for text, want := range map[string]string{
		"Text.":                                  `{"skillId":"my-dir","name":"My Dir",` + plain,
		"---\n---\nText.":                        `{"skillId":"my-dir","name":"My Dir",` + plain,
		"\uFEFF---\r\nname: A B\r\n---\r\nText.": `{"skillId":"a-b","name":"A B",` + plain,
		"---\nname: a\nlicense: MIT\nallowed-tools: [Read]\nversion: 1.0\n---\nText.":                                              `{"skillId":"a","name":"a",` + plain,
		"---\nname: a\nmetadata: '{\"agentos\":{\"skillKey\":\"K 1\"}}'\n---\nText.":                                               `{"skillId":"k-1","name":"a",` + plain,
		"---\nname: a\nmetadata: {agentos: {skillKey: b}, openclaw: {skillKey: c}}\n---\nText.":                                    `{"skillId":"c","name":"a",` + plain,
		"---\nname: a\nmetadata:\n  author: x\n  requires: {bins: [git], anyBins: [a, b]}\n---\nText.":                             `{"skillId":"a","name":"a",` + strings.TrimSuffix(plain, "}") + `,"requires":{"bins":["git"],"anyBins":["a","b"]}}`,
		"---\nname: a\nos: [linux]\nalways: true\nprimaryEnv: KEY\n---\nText.":                                                     `{"skillId":"a","name":"a",` + strings.TrimSuffix(plain, "}") + `,"requires":{"always":true,"os":["linux"],"primaryEnv":"KEY"}}`,
		"---\nname: a\ndescription: |\n  One\n  two\ncategory: docs\nuser-invocable: 'False'\ndisableModelInvocation: true\n---\n": `{"skillId":"a","name":"a","category":"docs","description":"One two","userInvocable":false,"modelInvocable":false}`,
		"# Title\n\n## More\nFirst\nline.\n\nSecond.":                                                                              `{"skillId":"my-dir","name":"My Dir","category":"uncategorized","description":"First line.","content":"# Title\n\n## More\nFirst\nline.\n\nSecond.","userInvocable":true,"modelInvocable":true}`,
	} {
		k := selfimprove.ReadSkill("My Dir", []byte(text))
		if k.FrontMatter != "" && !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), "---\n"+k.FrontMatter+"---\n") {
			t.Errorf("%q has the front matter %q", text, k.FrontMatter)
		}
		k.FrontMatter = ""
		got, err := json.Marshal(k)
		if err != nil || string(got) != want {
			t.Errorf("%q:\n %s %v, want\n %s", text, got, err, want)
		}
	}
}

func TestReadSkillSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\nname: a\nText":                                   "no end",
		"---\nname: [\n---\nText":                              "line",
		"---\n- a\n---\nText":                                  "no object",
		"---\nname: 5\n---\nText":                              "name is no text",
		"---\nname: &a b\nx: *a\n---\nText":                    "front matter",
		"---\nname: a\nmetadata: 5\n---\nText":                 "metadata is no object",
		"---\nname: a\nrequires: {bins: git}\n---\nText":       "bins is no list",
		"---\nname: a\ndisable-model-invocation: 1\n---\nText": "true or false",
		"---\nname: 日本\n---\nText":                             "makes no id",
		"---\nname: " + strings.Repeat("a", 65) + "\n---\n":    "makes no id",
		"\xff": "UTF-8",
		strings.Repeat("a", selfimprove.MaxSkillBytes+1): "longer than",
	} {
		if k := selfimprove.ReadSkill("dir", []byte(text)); !strings.Contains(k.Problem, want) {
			t.Errorf("%.60q: %q, want %q", text, k.Problem, want)
		}
	}
}

func FuzzReadSkill(f *testing.F) {
	for _, seed := range []string{
		"", "---", "---\n---\n", "---\nname: a\n---\n# T\n\nText", "---\nmetadata: '{\"agentos\":{\"requires\":{\"bins\":[\"a\"]}}}'\n---\n",
		"---\nname: [\n---\n", "---\nuser-invocable: 'true'\nos: [linux]\n---\n", "\uFEFF---\r\nname: x\r\n---\r\n",
	} {
		f.Add("dir", seed)
	}
	f.Fuzz(func(t *testing.T, dir, text string) {
		k := selfimprove.ReadSkill(dir, []byte(text))
		if k.Problem == "" && (k.SkillID == "" || strings.Trim(k.SkillID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "") {
			t.Errorf("the id is %q", k.SkillID)
		}
		if len(k.SkillID) > 64 || strings.Contains(k.Description, "\n") || len([]rune(k.Description)) > 1025 {
			t.Errorf("%q: %q", k.SkillID, k.Description)
		}
		if again := selfimprove.ReadSkill(dir, []byte(text)); again.SkillID != k.SkillID || again.Problem != k.Problem {
			t.Error("the same text is another skill")
		}
	})
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	have := selfimprove.SkillLookups{
		OS: "windows", Bin: func(name string) bool { return name == "git" }, Env: func(name string) bool { return name == "KEY" },
		Config: func(path string) bool { return path == "a.b" },
	}
	need := selfimprove.SkillRequirements{OS: []string{"win32"}, Bins: []string{"git"}, AnyBins: []string{"jq", "git"}, Env: []string{"KEY"}, Config: []string{"a.b"}}
	if lacks := need.Missing(have); lacks != nil {
		t.Errorf("all is there: %v", lacks)
	}
	need = selfimprove.SkillRequirements{OS: []string{"macOS"}, Bins: []string{"git", "jq"}, AnyBins: []string{"x", "y"}, Env: []string{"E"}, Config: []string{"c"}}
	want := []string{"the operating system macOS", "the program jq", "the environment variable E", "the setting c", "one of the programs x, y"}
	if lacks := need.Missing(have); !slices.Equal(lacks, want) {
		t.Errorf("%q", lacks)
	}
	need.Always = true
	if lacks := need.Missing(have); !slices.Equal(lacks, want[:1]) {
		t.Errorf("always: %q", lacks)
	}
}

func TestCatalogueOfFolders(t *testing.T) {
	t.Parallel()
	second := t.TempDir()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Folders: []string{filepath.Join(second, "none"), second}})
	put := func(dir, text string) {
		w.must(os.MkdirAll(filepath.Join(second, dir), 0o700))
		w.must(os.WriteFile(filepath.Join(second, dir, "SKILL.md"), []byte(text), 0o600))
	}
	put("again", "---\nname: Tables\n---\nOther.")
	put(".hidden", "Hidden.")
	put("zebra", "Zebra.")
	w.must(os.MkdirAll(filepath.Join(second, "empty"), 0o700))
	w.must(os.MkdirAll(filepath.Join(second, "folder", "SKILL.md"), 0o700))
	outside := filepath.Join(t.TempDir(), "secret")
	w.must(os.WriteFile(outside, []byte("Secret."), 0o600))
	w.must(os.MkdirAll(filepath.Join(second, "linked"), 0o700))
	linked := errors.Join(os.Symlink(outside, filepath.Join(second, "linked", "SKILL.md")), os.Symlink(filepath.Dir(outside), filepath.Join(second, "dirlink")))
	if goruntime.GOOS == "windows" && linked != nil {
		t.Skip("making links takes a privilege")
	}
	w.must(linked)
	list, err := w.Catalogue(t.Context(), "acme", "ann")
	w.must(err)
	problems := map[string]string{}
	for _, k := range list {
		if filepath.Dir(filepath.Dir(k.SourcePath)) == second {
			problems[k.Name] = k.Problem
		}
	}
	want := map[string]string{"Tables": "its name is taken by " + filepath.Join(w.dir, "tables", "SKILL.md"), "zebra": "", "folder": "it is no file within the folder", "linked": "it is no file within the folder"}
	for name, problem := range want {
		if got, ok := problems[name]; !ok || got != problem {
			t.Errorf("%s: %q, want %q", name, got, problem)
		}
	}
	if len(problems) != len(want) {
		t.Errorf("%v", problems)
	}
	if k, err := w.Show(t.Context(), "acme", "ann", "tables"); err != nil || k.Content != "# tables\n\nHow to tables." {
		t.Errorf("%+v %v", k, err)
	}
}

func TestSkillFolders(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"given", "env", "home/.codex/skills", "here/skills"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	at := func(dir string) string { return filepath.Join(base, dir) }
	env := map[string]string{"AGENTOS_SKILLS_DIR": at("env"), "CODEX_HOME": at("home/.codex")}
	got := selfimprove.SkillFolders([]string{at("given"), at("missing"), at("given")}, func(name string) string { return env[name] }, at("home"), at("here"))
	if want := []string{at("given"), at("env"), at("home/.codex/skills"), at("here/skills")}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
