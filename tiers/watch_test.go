package tiers_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// told reports whether Watch was told of a tool's entry of a type.
func (w *world) told(id string, kind tool.EventType) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.events, func(e tool.AuditEvent) bool { return e.ToolID == id && e.EventType == kind })
}

func TestWatchIsToldBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Source: tiers.NotStored})
	ctx := t.Context()
	for name, c := range map[string]struct {
		kind   tool.EventType
		change func(id string) error
	}{
		"suspend": {tool.SuspendedTool, func(id string) error { _, err := w.Suspend(ctx, boss, id, tool.ByAdmin); return err }},
		"resume": {tool.ResumedTool, func(id string) error {
			_, err := w.Suspend(ctx, boss, id, tool.ByAdmin)
			w.must(err)
			_, err = w.Resume(ctx, boss, id, tiers.Resumption{})
			return err
		}},
		"promote": {tool.Promoted, func(id string) error {
			_, err := w.Promote(ctx, boss, id, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
			return err
		}},
		"reject":  {tool.PromotionRejected, func(id string) error { _, err := w.RejectPromotion(ctx, boss, id, *panel(false)); return err }},
		"demote":  {tool.Demoted, func(id string) error { _, err := w.Demote(ctx, boss, id, "slow"); return err }},
		"remove":  {tool.Removed, func(id string) error { return w.Remove(ctx, boss, id) }},
		"end":     {tool.CleanedUp, func(string) error { _, err := w.EndSession(ctx, boss, as("ann", "end").Caller); return err }},
		"idle":    {tool.CleanedUp, func(string) error { w.pass(25 * time.Hour); return w.Tend(ctx) }},
		"failing": {tool.SuspendedTool, func(id string) error { w.use(id, false, false, false, false, false); return nil }},
	} {
		id := w.put(as("ann", name), "a", name).ID
		if !w.told(id, tool.Registered) {
			t.Errorf("%s: Put was not told", name)
		}
		w.must(c.change(id))
		if !w.told(id, c.kind) {
			t.Errorf("%s was not told", name)
		}
	}
	v1 := w.put(ann1, "v", "1").ID
	v3, err := w.Revert(ctx, boss, w.put(ann1, "v", "2").ID, v1)
	w.must(err)
	if !w.told(v3.ID, tool.Reverted) {
		t.Error("Revert was not told")
	}
	w.restart(nil)
	w.must(w.Load(ctx, func(string) bool { return true }))
	if !w.told(v3.ID, tool.SuspendedTool) {
		t.Error("Load was not told")
	}
}

func TestWatchIsToldOfFailuresByThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{FlushAfter: time.Millisecond})
	id := w.put(ann1, "a", "1").ID
	for range 5 {
		w.must(w.RecordUse(context.Background(), "acme", id, tool.Use{At: w.clock()}))
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if w.told(id, tool.SuspendedTool) {
			return
		}
	}
	t.Error("the suspension was never told")
}
