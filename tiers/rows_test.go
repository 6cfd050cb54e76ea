package tiers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Rows of sections 3.1 and 3.6 of the specification that are about records. docs/behaviour.md says where ours differ.

func TestT1To7And12And13RecordsAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	creation := tool.CreationVerdict{Approved: true, Confidence: 0.9, Safety: 1, Correctness: 0.8, Determinism: 0.7, Bounded: 0.6, Reasoning: "fine"}
	second := creation
	second.Confidence, second.Reasoning = 0.5, "fine still"
	promotion := panel(true)
	sandbox := tool.Implementation{Mode: tool.SandboxMode, Code: "code", Allowlist: []string{"fetch", "fs.readFile", "crypto"}}
	compose := tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{{Name: "s", Tool: "echo", Condition: "$input.a > 1"}}}
	for name, r := range map[string]*tool.Record{
		"T-1, T-7 session": {Tier: tool.SessionTier},
		"T-1, T-7 agent":   {Tier: tool.AgentTier},
		"T-1, T-7 shared":  {Tier: tool.SharedTier},
		"T-2, T-3 sandbox": {Tier: tool.SessionTier, Implementation: sandbox},
		"T-4 compose":      {Tier: tool.SessionTier, Implementation: compose},
		"T-5, T-12, T-13 verdicts": {
			Tier: tool.SessionTier, JudgeVerdicts: []tool.Verdict{{Creation: &creation}, {Creation: &second}, {Promotion: promotion}},
		},
		"T-6 usage": {Tier: tool.SessionTier, UsageStats: tool.UsageStats{TotalUses: 10, SuccessCount: 9, FailureCount: 1}},
	} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		back := &tool.Record{}
		if err := json.Unmarshal(text, back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s: got %s\nwant %s", name, again, text)
		}
		if name == "T-6 usage" && (back.UsageStats != r.UsageStats || back.UsageStats.LastUsedAt != nil) {
			t.Errorf("%s: %+v", name, back.UsageStats)
		}
	}
	order := []tool.Tier{tool.SessionTier, tool.AgentTier, tool.SharedTier}
	if !slices.IsSortedFunc(order, func(a, b tool.Tier) int { return a.Rank() - b.Rank() }) || order[0].Rank() == 0 || tool.Tier("world").Rank() != 0 {
		t.Error("the tiers are not in their order")
	}
}

func TestT130And131FiveUsesBringAToolBeforeThePanel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	for uses := range 6 {
		if due, why, err := w.Due(t.Context(), "acme", id); err != nil || due != (uses == 5) {
			t.Errorf("after %d uses: %v %q %v", uses, due, why, err)
		}
		w.use(id, true)
	}
	risen, err := w.Promote(t.Context(), ann1, id, tool.Promotion{To: tool.AgentTier, Verdict: panel(true)})
	if err != nil || risen.Tier != tool.AgentTier || risen.UsageStats.SuccessRate() != 1 {
		t.Errorf("got %+v, %v", risen, err)
	}
}

func TestSuccessDoesNotMakeUpForADoubtfulJudge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	d := draft("a", "1")
	d.Verdict.Confidence = 0.3
	r, err := w.Put(t.Context(), ann1, d)
	w.must(err)
	w.use(r.ID, true, true, true, true, true)
	if due, why, err := w.Due(t.Context(), "acme", r.ID); due || err != nil || why != "the judge's confidence is 0.30, 0.80 is needed" {
		t.Errorf("%v %q %v", due, why, err)
	}
}

func TestT133And134And220ListsAreOfTheirOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	w.put(ann10, "b", "1")
	w.put(bob1, "c", "1")
	names := func(f tiers.Filter) string {
		t.Helper()
		list, err := w.List(t.Context(), "acme", f)
		w.must(err)
		var all []string
		for _, r := range list {
			all = append(all, r.Name)
		}
		slices.Sort(all)
		return fmt.Sprint(all)
	}
	check := func(want string, f tiers.Filter) {
		t.Helper()
		if got := names(f); got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
	check("[a]", tiers.Filter{Owner: "ann", Session: "1"})
	check("[b]", tiers.Filter{Owner: "ann", Session: "10"})
	check("[]", tiers.Filter{Session: "2"})
	check("[a b]", tiers.Filter{Owner: "ann"})
	check("[]", tiers.Filter{Tier: tool.AgentTier, Owner: "ann"})
	w.promote(id, tool.AgentTier, "eve")
	check("[a]", tiers.Filter{Tier: tool.AgentTier, Owner: "ann"})
	check("[]", tiers.Filter{Tier: tool.AgentTier, Owner: "bob"})
}

func TestT135UnknownToolsAreNotDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	due, _, err := w.Due(t.Context(), "acme", "nothing")
	if due {
		t.Error("it is due")
	}
	w.wants(tool.NotFound, err)
}

func TestT136RejectionIsKeptAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	w.use(id, true, true, true, true, true)
	_, err := w.RejectPromotion(t.Context(), ann1, id, *panel(false))
	w.must(err)
	w.restart(nil)
	r := w.get(id)
	if r.Tier != tool.SessionTier || len(r.JudgeVerdicts) != 2 || r.JudgeVerdicts[1].Promotion == nil || r.JudgeVerdicts[1].Promotion.SourceHash != r.SourceHash {
		t.Errorf("got %+v", r)
	}
	if k := w.kinds(id); !slices.Contains(k, tool.PromotionRejected) {
		t.Errorf("the audit log says %v", k)
	}
}

func TestT137FailuresAreNeverDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	id := w.put(ann1, "a", "1").ID
	for range 6 {
		w.use(id, false)
		if due, _, err := w.Due(t.Context(), "acme", id); due || err != nil {
			t.Errorf("due after a failure: %v, %v", due, err)
		}
	}
	w.wants(tool.Suspended, w.get(id).Callable())
}

func TestT138SessionsForgeOneNameAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	var made [2]*tool.Record
	var both sync.WaitGroup
	for i, by := range []tool.Actor{ann1, ann10} {
		both.Go(func() {
			r, err := w.Put(t.Context(), by, draft("a", "1"))
			if err != nil {
				t.Error(err)
			}
			made[i] = r
		})
	}
	both.Wait()
	if t.Failed() || made[0].ID == made[1].ID || w.found(ann1, "a") != "v1 session" || w.found(ann10, "a") != "v1 session" {
		t.Errorf("got %+v", made)
	}
}

func TestT219OpeningAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		w := newWorld(t, dir, tiers.Options{})
		for range 2 {
			w.restart(nil)
		}
		if list, err := w.List(t.Context(), "acme", tiers.Filter{}); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
	}
}
