package selfimprove_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

const proposeMaps = `{"action":"propose","name":"maps","description":"How to fold maps.","content":"Fold."}`

// refuse is a person's refusal, with a reason.
func (w *skillWorld) refuse(id, reason string) {
	w.t.Helper()
	_, err := w.Decide(w.t.Context(), operator, "acme", "ann", id, false, reason)
	w.must(err)
}

func TestEditsOfRefusedSkills(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.ok(annOne, enablePDF)
	w.refuse("enable-pdf-tools", "it leaks")
	w.ok(annOne, `{"action":"propose","skillId":"pdf-tools","content":"Better."}`)
	w.ok(annOne, `{"action":"propose","skillId":"tables","content":"Better."}`)
	waits, err := w.Approvals(t.Context(), "acme")
	w.must(err)
	for _, a := range waits {
		if want := map[string]string{"pdf-tools": "a person refused this skill: it leaks"}[a.SkillID]; a.Beware != want {
			t.Errorf("%s: beware %q, want %q", a.SkillID, a.Beware, want)
		}
	}
	w.decide("ann", "propose-pdf-tools", true)
	if got := w.active(annOne); got != "" {
		t.Errorf("an approved edit lifts the refusal: %s", got)
	}
	w.fails(annOne, enablePDF, tool.Denied, "it leaks")
	w.decide("ann", w.of("pdf-tools"), true)
	w.ok(annTwo, enablePDF, `"status":"enabled"`, "Better.")
}

func TestRefusalsAreTold(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{Allowlist: []string{"*"}})
	w.refuse("enable-pdf-tools", "it leaks")
	w.decide("ann", w.of("tables"), true)
	w.ok(annOne, `{"action":"propose","skillId":"loose","content":"Better."}`)
	w.refuse("propose-loose", "worse") // of an edit, not of the skill
	for persona, want := range map[string]string{"ann": "pdf-tools it leaks operator", "bob": ""} {
		refused, err := w.Refusals(t.Context(), "acme", persona)
		w.must(err)
		var told []string
		for id, d := range refused {
			told = append(told, id+" "+d.Why+" "+d.DecidedBy)
		}
		if got := strings.Join(told, ", "); got != want {
			t.Errorf("%s: %s, want %s", persona, got, want)
		}
	}
	w.ok(annOne, `{"action":"enable","skillId":"loose"}`, `"status":"enabled"`)
}

func TestRefusedProposalsAreRemembered(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	w.ok(annOne, proposeMaps)
	w.refuse("propose-maps", "no maps")
	w.fails(annOne, proposeMaps, tool.Denied, `a person refused this proposal, saying "no maps"`)
	w.ok(bobOne, proposeMaps, "requires_approval") // it is ann's
	w.ok(annOne, strings.Replace(proposeMaps, "Fold.", "Fold twice.", 1), "requires_approval")
	w.refuse("propose-maps", "")
	for i := range selfimprove.MaxRefusedDrafts - 1 {
		w.ok(annOne, fmt.Sprintf(`{"action":"propose","name":"skill-%d","description":"d","content":"c"}`, i))
		w.refuse(fmt.Sprintf("propose-skill-%d", i), "")
	}
	w.fails(annOne, `{"action":"propose","name":"skill-0","description":"d","content":"c"}`, tool.Denied, "a person refused this proposal")
	w.ok(annOne, proposeMaps, "requires_approval") // the oldest is forgotten
}

// Who refuses a skill that was approved as a proposal can approve it again.
func TestProposalsCanBeDecidedAgain(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{})
	w.ok(annOne, proposeMaps)
	w.decide("ann", "propose-maps", true)
	w.ok(annOne, enable("maps"), `"status":"enabled"`)
	w.decide("ann", "propose-maps", false)
	if got := w.active(annOne); got != "" {
		t.Errorf("active: %s", got)
	}
	w.fails(annTwo, enable("maps"), tool.NotFound, "no skill")
	w.decide("ann", "propose-maps", true)
	if got := w.active(annOne); got != "maps" {
		t.Errorf("active: %q", got)
	}
}

func TestDigitsMayBeLeftOut(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	decide := func(id string, approved bool) error {
		_, err := w.Decide(t.Context(), operator, "acme", "ann", id, approved, "")
		return err
	}
	if err := decide("enable-pdf-tools", true); !errors.Is(err, tool.NotFound) {
		t.Errorf("nobody has asked, so no text is meant: %v", err)
	}
	w.ok(annOne, enablePDF)
	w.must(decide("enable-pdf-tools", true))
	w.ok(annOne, enablePDF, `"status":"enabled"`)
	for _, content := range []string{"Fold.", "Fold twice."} {
		w.ok(annOne, strings.Replace(proposeMaps, "Fold.", content, 1))
	}
	for _, approved := range []bool{true, false} {
		err := decide("propose-maps", approved)
		e := tool.AsError(err)
		if e == nil || e.Code != tool.InvalidRequest || !strings.Contains(e.Message, "means 2 requests") || strings.Count(e.Hint, "propose-maps-") != 2 {
			t.Errorf("two proposals: %v", err)
		}
	}
	w.must(decide(w.waits()[0], false))
	w.must(decide("propose-maps", true)) // that which waits
	if ids := w.waits(); len(ids) != 0 {
		t.Errorf("%v wait", ids)
	}
}

// An approval is of a text in a place, wherever else the text was meanwhile.
func TestApprovalsOutliveAMove(t *testing.T) {
	t.Parallel()
	w := newSkillWorld(t, selfimprove.SkillsOptions{RequireApproval: true})
	move := func(from, to string) {
		w.must(os.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)))
		w.later()
	}
	w.ok(annOne, enablePDF)
	w.decide("ann", "enable-pdf-tools", true)
	w.ok(annOne, enablePDF, `"status":"enabled"`)
	move("pdf-tools", "moved")
	w.ok(annOne, enablePDF, "requires_approval")
	if got := w.active(annOne); got != "" {
		t.Errorf("approved elsewhere: %s", got)
	}
	move("moved", "pdf-tools")
	w.ok(annTwo, enablePDF, `"status":"enabled"`)
	move("pdf-tools", "moved")
	w.ok(annOne, enablePDF, "requires_approval")
	w.decide("ann", "enable-pdf-tools", true)
	for _, place := range [][2]string{{"moved", "pdf-tools"}, {"pdf-tools", "moved"}} {
		move(place[0], place[1])
		if got := w.active(annOne); got != "pdf-tools" {
			t.Errorf("in %s: %q", place[1], got)
		}
	}
	w.decide("ann", "enable-pdf-tools", false)
	move("moved", "pdf-tools")
	w.fails(annOne, enablePDF, tool.Denied, "a person refused it")
	w.decide("ann", w.of("pdf-tools"), true)
	move("pdf-tools", "moved")
	if got := w.active(annOne); got != "" {
		t.Errorf("a refusal leaves earlier approvals: %s", got)
	}
	w.decide("ann", w.of("pdf-tools"), true) // nobody has asked for it there
	if got := w.active(annOne); got != "pdf-tools" {
		t.Errorf("active: %q", got)
	}
}
