package selfimprove_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

func enable(skill string) string { return fmt.Sprintf(`{"action":"enable","skillId":%q}`, skill) }

// of is the id of a skill as it is now, of which a person decides.
func (w *skillWorld) of(skill string) string {
	w.t.Helper()
	k, err := w.Show(w.t.Context(), "acme", "ann", skill)
	w.must(err)
	return k.ApprovalID()
}

// A person's refusal is above the category, and ends what it opened.
func TestRefusalsStand(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	for _, name := range []string{"one", "two", "three"} {
		w.write(name, markdown(name, "cat", "", "Text of "+name+"."))
	}
	w.ok(annOne, enable("one"), "requires_approval")
	w.decide("ann", w.of("two"), false)
	w.decide("ann", w.of("one"), true)
	w.ok(annOne, enable("one"), `"status":"enabled"`)
	w.fails(annOne, enable("two"), tool.Denied, "a person refused it")
	w.ok(annOne, enable("three"), `"status":"enabled"`)
	if got := w.active(annOne); got != "one three" {
		t.Errorf("active: %s", got)
	}
	w.decide("ann", "enable-one", false)
	if got := w.active(annOne); got != "" {
		t.Errorf("what was opened by what a person took back is still active: %s", got)
	}
	w.ok(annOne, `{"action":"list"}`, `"disabled":[{"skillId":"one"`, `"skillId":"three"`)
	if prompt, err := w.PromptContext(t.Context(), annOne); err != nil || strings.Contains(prompt, "Text of") || !strings.Contains(prompt, "Disabled in this session: one, three") {
		t.Errorf("%s %v", prompt, err)
	}
	w.fails(annTwo, enable("one"), tool.Denied, "a person refused it")
	w.ok(annTwo, enable("three"), "requires_approval")
	w.ok(bobOne, enable("one"), "requires_approval") // the refusal is ann's
	w.decide("ann", w.of("one"), true)
	if got := w.active(annOne); got != "one three" {
		t.Errorf("a person has changed their mind: %s", got)
	}
}

func TestRefusalsAreAboveTheAllowlist(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}, Active: []string{"tables"}, Locked: []string{"first-aid"}})
	w.ok(annOne, enablePDF)
	for _, skill := range []string{"pdf-tools", "tables", "first-aid"} {
		w.decide("ann", "enable-"+skill, false)
	}
	if got := w.active(annOne); got != "first-aid" {
		t.Errorf("active: %s", got)
	}
	w.fails(annOne, enablePDF, tool.Denied, "a person refused it")
	w.write("pdf-tools", markdown("pdf-tools", "other", "", "Other."))
	w.later()
	w.fails(annOne, enablePDF, tool.Denied, "a person refused it") // whatever it says by now
	w.decide("ann", w.of("pdf-tools"), true)
	w.ok(annTwo, enablePDF, `"status":"enabled"`, "Other.")
}

// What a person approves is the text that they saw, where it lay.
func TestApprovalsAreOfAText(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.ok(annOne, enablePDF, "requires_approval")
	id := w.waits()[0]
	w.write("pdf-tools", markdown("pdf-tools", "documents", "", "Evil."))
	w.later()
	if _, err := w.Decide(t.Context(), operator, "acme", "ann", id, true, ""); err == nil || !strings.Contains(err.Error(), "has changed since it was asked for") {
		t.Errorf("what changed after it was asked for: %v", err)
	}
	w.ok(annOne, enablePDF, "requires_approval")
	if ids := w.waits(); len(ids) != 1 || ids[0] == id {
		t.Errorf("%v wait", ids)
	}
	id = w.waits()[0]
	w.decide("ann", id, true)
	w.ok(annOne, enablePDF, `"status":"enabled"`, "Evil.")
	w.ok(annTwo, enable("tables"), "requires_approval") // in its own session only

	w.write("pdf-tools", markdown("pdf-tools", "documents", "", "Worse."))
	if prompt, err := w.PromptContext(t.Context(), annOne); err != nil || strings.Contains(prompt, "Worse.") {
		t.Errorf("before the folder is read anew: %s %v", prompt, err)
	}
	w.fails(annTwo, enablePDF, tool.Denied, "has changed since a person approved it")
	w.ok(annTwo, enablePDF, "requires_approval", "it has changed since a person approved it")
	if prompt, err := w.PromptContext(t.Context(), annOne); err != nil || strings.Contains(prompt, "Worse.") || w.active(annOne) != "" {
		t.Errorf("%s %v", prompt, err)
	}
	w.write("pdf-tools", markdown("pdf-tools", "documents", "", "Evil."))
	w.later()
	w.ok(annTwo, enablePDF, `"status":"enabled"`)
	w.must(os.Rename(filepath.Join(w.dir, "pdf-tools"), filepath.Join(w.dir, "pdf-tools-2")))
	w.later()
	w.ok(annTwo, enablePDF, "requires_approval") // the same text elsewhere
	w.decide("ann", id, true)
	w.ok(annTwo, enablePDF, `"status":"enabled"`)
}

func TestWhatIsNotAtHandIsNotApproved(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.ok(annOne, enablePDF)
	w.ok(annOne, `{"action":"propose","skillId":"tables","content":"Better."}`)
	elsewhere := selfimprove.NewSkills(w.shelf, selfimprove.SkillsOptions{})
	waits, err := elsewhere.Approvals(t.Context(), "acme")
	w.must(err)
	for _, a := range waits {
		if _, err := elsewhere.Decide(t.Context(), operator, "acme", "ann", a.ID, true, ""); a.Problem == "" || err == nil || !strings.Contains(err.Error(), "is not at hand") {
			t.Errorf("%s: %q, %v", a.ID, a.Problem, err)
		}
		_, err := elsewhere.Decide(t.Context(), operator, "acme", "ann", a.ID, false, "")
		w.must(err) // nobody needs to see what they refuse
	}
	if len(waits) != 2 {
		t.Errorf("%d wait", len(waits))
	}
}

// A decision is written down once.
func TestTheSameDecisionAgain(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	w.ok(annOne, enablePDF)
	w.ok(annOne, `{"action":"propose","name":"maps","description":"d","content":"c"}`)
	for _, id := range w.waits() {
		w.decide("ann", id, true)
		n := len(w.events())
		w.decide("ann", id, true)
		if got := len(w.events()); got != n {
			t.Errorf("%s: %d entries more", id, got-n)
		}
	}
}

const locked = "disable-model-invocation: true\nallowed-tools: [Read]\nmetadata: {requires: {env: [NO_SUCH_VARIABLE]}}\n"

// An edit keeps all that stands in front matter.
func TestEditsKeepFrontMatter(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.write("locked-one", markdown("locked-one", "cat", locked, "For people."))
	w.write("broken", "---\nname: [\n---\nText")
	w.fails(annOne, `{"action":"propose","skillId":"broken","content":"Whole."}`, tool.Rejected, "cannot be edited")
	w.ok(annOne, `{"action":"propose","skillId":"locked-one","content":"For all.","description":"What: \"it\"\nis for."}`)
	waits, err := w.Approvals(t.Context(), "acme")
	w.must(err)
	want := "---\nname: locked-one\ncategory: cat\ndescription: \"What: \\\"it\\\" is for.\"\n" + locked + "---\n\nFor all.\n"
	if got := waits[0].Text(); got != want {
		t.Errorf("proposed is\n%s, want\n%s", got, want)
	}
	w.decide("ann", waits[0].ID, true)
	w.fails(annOne, enable("locked-one"), tool.Denied, "not for agents")
	k, err := w.Show(t.Context(), "acme", "ann", "locked-one")
	if err != nil || k.Content != "For all." || k.Description != `What: "it" is for.` || len(k.Requires.Env) != 1 || k.Category != "cat" || k.SourcePath != "" {
		t.Errorf("%+v %v", k, err)
	}
	w.ok(annOne, `{"action":"propose","skillId":"locked-one","content":"For some."}`)
	w.decide("ann", w.waits()[0], true)
	w.fails(annOne, enable("locked-one"), tool.Denied, "not for agents")
}

// The description is changed wherever it stands, and nothing else.
func TestEditsOfDescriptions(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	for name, head := range map[string]string{
		"plain":  "description: Old.\nos: [linux]\n",
		"block":  "os: [linux]\ndescription: |\n  Old\n\n  text.\n",
		"flow":   "{description: Old, os: [linux]}\n",
		"quoted": "'description': 'Old'\nos:\n- linux\n",
		"none":   "os: [linux]\n",
	} {
		w.write(name, "---\n"+head+"---\nText of "+name+".")
		w.later()
		w.ok(annOne, fmt.Sprintf(`{"action":"propose","skillId":%q,"content":"New text.","description":"New."}`, name))
		w.decide("ann", w.waits()[0], true)
		k, err := w.Show(t.Context(), "acme", "ann", name)
		if err != nil || k.Problem != "" || k.Description != "New." || fmt.Sprint(k.Requires.OS) != "[linux]" || k.Content != "New text." {
			t.Errorf("%s: %+v %v", name, k, err)
		}
		again := selfimprove.ReadSkill(name, []byte(k.Text()))
		if again.Description != "New." || fmt.Sprint(again.Requires.OS) != "[linux]" {
			t.Errorf("%s is written as\n%s", name, k.Text())
		}
	}
}

func TestEditsOfWhatChangedAreNotApproved(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	w.ok(annOne, `{"action":"propose","skillId":"pdf-tools","content":"Better."}`)
	w.write("pdf-tools", markdown("pdf-tools", "documents", "disable-model-invocation: true\n", "Mine."))
	w.later()
	if _, err := w.Decide(t.Context(), operator, "acme", "ann", w.waits()[0], true, ""); err == nil || !strings.Contains(err.Error(), "has changed since the edit") {
		t.Errorf("%v", err)
	}
}

func TestProposalsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	for input, want := range map[string]struct {
		code tool.Code
		has  string
	}{
		`{"action":"propose","name":"tables","description":"d","content":"c"}`:             {tool.Collision, "there is a skill"},
		`{"action":"propose","name":"maps","skillId":"tables","content":"c"}`:              {tool.InvalidInput, "both"},
		`{"action":"propose","name":"maps","description":"d","content":"a\u0000b"}`:        {tool.InvalidInput, "U+0000"},
		`{"action":"propose","skillId":"tables","content":"---\nname: tables\n---\nText"}`: {tool.InvalidInput, "front matter"},
	} {
		w.fails(annOne, input, want.code, want.has)
	}
}

func TestAlikeWhateverTheScript(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	for name, body := range map[string]string{
		"short-a": "Do it.", "short-b": "Do it.", "ja-a": "請求書を開いて、合計を確かめてください。", "ja-b": "請求書を開いて、合計を確かめてください!",
	} {
		w.write(name, "---\ndescription: Of "+name+", which is one of four.\n---\n"+body)
	}
	report, err := w.Report(t.Context(), "acme", "ann")
	w.must(err)
	pairs := []string{}
	for _, d := range report.Duplicates {
		pairs = append(pairs, d.SkillID+" "+d.Other+" "+d.Same)
	}
	for _, want := range []string{"short-a short-b content", "ja-a ja-b content"} {
		if !strings.Contains(strings.Join(pairs, "; "), want) {
			t.Errorf("%v lacks %s", pairs, want)
		}
	}
}
