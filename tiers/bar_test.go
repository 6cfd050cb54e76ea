package tiers_test

import (
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// barred reports whether somebody may not register a tool with this code, which both ways of asking have to agree on.
func (w *world) barred(by tool.Actor, name, code string) bool {
	w.t.Helper()
	d := draft(name, code)
	hash, err := d.Implementation.Hash()
	w.must(err)
	asked := w.NotBarred(w.t.Context(), by.Caller, hash)
	r, err := w.Put(w.t.Context(), by, d)
	if (asked == nil) != (err == nil) {
		w.t.Errorf("%s: asked %v, put %v", by, asked, err)
	}
	if err == nil {
		w.must(w.Remove(w.t.Context(), boss, r.ID))
		return false
	}
	w.wants(tool.Suspended, err)
	w.wants(tool.Suspended, asked)
	if e := tool.AsError(err); e.Path != "/implementation" || !strings.Contains(e.Hint, "host tool resume emergent:") {
		w.t.Errorf("got %+v", e)
	}
	return true
}

// What was suspended for what it does is not registered again word for word, by those who could reach it.
func TestWhatIsSuspendedIsBarred(t *testing.T) {
	t.Parallel()
	helper := as("ann/helper", "3")
	for name, c := range map[string]struct {
		reason tool.SuspendReason
		tier   tool.Tier
		bars   []tool.Actor
		not    []tool.Actor
	}{
		"of a session":      {tool.ByAdmin + ": leaks", tool.SessionTier, []tool.Actor{ann1, ann10, helper}, []tool.Actor{bob1}},
		"of an agent":       {tool.ByAdmin, tool.AgentTier, []tool.Actor{ann1, ann10, helper}, []tool.Actor{bob1}},
		"of all":            {tool.ByAdmin, tool.SharedTier, []tool.Actor{ann1, bob1, helper}, nil},
		"for failures":      {tool.RepeatedFailure, tool.SessionTier, []tool.Actor{ann1, ann10}, []tool.Actor{bob1}},
		"its source is not": {tool.SourceMissing, tool.SessionTier, nil, []tool.Actor{ann1, bob1}},
		"a step is not":     {tool.MissingTool, tool.AgentTier, nil, []tool.Actor{ann1, bob1}},
		"beyond a cap":      {tool.OverCap, tool.AgentTier, nil, []tool.Actor{ann1, bob1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", tiers.Options{})
			r := w.put(ann1, "a", "1")
			for _, to := range []tool.Tier{tool.AgentTier, tool.SharedTier}[:c.tier.Rank()-1] {
				w.promote(r.ID, to, "eve")
			}
			_, err := w.Suspend(t.Context(), boss, r.ID, c.reason)
			w.must(err)
			for _, by := range c.bars {
				if !w.barred(by, "b", "1") {
					t.Errorf("%s may have it", by)
				}
				if w.barred(by, "b", "2") {
					t.Errorf("%s may not have something else", by)
				}
			}
			for _, by := range c.not {
				if w.barred(by, "b", "1") {
					t.Errorf("%s may not have it", by)
				}
			}
			_, err = w.Resume(t.Context(), boss, r.ID, tiers.Resumption{})
			w.must(err)
			if w.barred(ann10, "b", "1") || w.barred(bob1, "b", "1") {
				t.Error("it was resumed, and is barred")
			}
		})
	}
}

// A bar outlives the place that a next version has taken, and the tool; then it ends by itself.
func TestABarOutlivesItsTool(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{SessionIdle: 1000 * time.Hour}})
	old, twin := w.put(ann1, "a", "1"), w.put(ann10, "twin", "1")
	_, err := w.Suspend(t.Context(), boss, old.ID, tool.ByAdmin)
	w.must(err)
	next := w.put(ann1, "a", "2")
	if next.Supersedes != old.ID {
		t.Errorf("%+v", next)
	}
	events, err := w.Audit(t.Context(), "acme", tiers.AuditQuery{ToolID: next.ID})
	if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Data), `"followsSuspended":{"reason":"admin","since":`) {
		t.Errorf("%+v, %v", events, err)
	}
	_, err = w.Revert(t.Context(), boss, next.ID, old.ID)
	w.wants(tool.Suspended, err)
	w.use(twin.ID, true, true, true, true, true)
	if due, why, err := w.Due(t.Context(), "acme", twin.ID); due || err != nil || !strings.Contains(why, "was suspended: admin") {
		t.Errorf("due %v, %q, %v", due, why, err)
	}
	_, err = w.Promote(t.Context(), boss, twin.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	w.wants(tool.Suspended, err)
	w.pass(40 * 24 * time.Hour)
	if !w.barred(ann10, "b", "1") {
		t.Error("it is over as long as the tool is there")
	}
	_, err = w.Resume(t.Context(), boss, old.ID, tiers.Resumption{})
	w.must(err)
	back, err := w.Revert(t.Context(), boss, next.ID, old.ID)
	w.must(err)

	_, err = w.Suspend(t.Context(), boss, back.ID, tool.ByAdmin)
	w.must(err)
	w.must(w.Remove(t.Context(), ann1, back.ID))
	w.restart(nil)
	if !w.barred(ann1, "a", "1") {
		t.Error("it is over once its tool was removed")
	}
	w.pass(31 * 24 * time.Hour)
	if w.barred(ann1, "a", "1") {
		t.Error("it never ends")
	}
	other := w.put(ann1, "other", "3")
	_, err = w.Suspend(t.Context(), boss, other.ID, tool.ByAdmin)
	w.must(err)
	_, err = w.EndSession(t.Context(), ann1, ann1.Caller)
	w.must(err)
	if !w.barred(ann1, "other", "3") {
		t.Error("it is over once its session has ended")
	}
	if n := w.keys("barred"); n != 1 {
		t.Errorf("%d bars are stored", n)
	}
}
