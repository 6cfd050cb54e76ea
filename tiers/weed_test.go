package tiers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

const day = 24 * time.Hour

// stale are the names of the stale tools.
func (w *world) stale() (names []string) {
	w.t.Helper()
	list, err := w.Stale(w.t.Context(), "acme")
	w.must(err)
	for _, r := range list {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

func TestStaleToolsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{StaleAfter: 30 * day, SessionIdle: 1000 * day}})
	w.put(ann1, "young", "1") // of a session: it ends with it
	used := w.promote(w.put(ann1, "used", "2").ID, tool.AgentTier, "eve")
	never := w.promote(w.put(ann1, "never", "3").ID, tool.AgentTier, "eve")
	shared := w.promote(w.promote(w.put(ann1, "shared", "4").ID, tool.AgentTier, "eve").ID, tool.SharedTier, "eve")
	gone := w.promote(w.put(ann1, "gone", "5").ID, tool.AgentTier, "eve")
	if _, err := w.Demote(t.Context(), boss, gone.ID, "it is bad"); err != nil {
		t.Fatal(err)
	}
	w.pass(29 * day)
	if got := w.stale(); len(got) != 0 {
		t.Errorf("too early: %q", got)
	}
	w.use(used.ID, true)
	w.pass(day)
	if got := w.stale(); !slices.Equal(got, []string{"never"}) {
		t.Errorf("got %q", got)
	}
	w.pass(29 * day)
	if got := w.stale(); !slices.Equal(got, []string{"never", "used"}) {
		t.Errorf("got %q", got)
	}
	w.must(w.Tend(t.Context()))
	for _, r := range []*tool.Record{used, never, shared} {
		if !w.get(r.ID).IsActive {
			t.Errorf("%s was demoted although nobody asked for it", r.Name)
		}
	}
}

func TestStaleToolsAreDemotedWhenAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{DemoteStale: true, SessionIdle: 1000 * day}})
	id := w.promote(w.put(ann1, "old", "1").ID, tool.AgentTier, "eve").ID
	young := w.put(ann1, "young", "2").ID
	w.must(w.Tend(t.Context()))
	w.pass(90 * day)
	w.must(w.Tend(t.Context()))
	w.must(w.Tend(t.Context())) // once is enough
	if w.get(id).IsActive || !w.get(young).IsActive {
		t.Error("the stale tool is not demoted, or another is")
	}
	if kinds := w.kinds(id); len(kinds) != 3 || kinds[2] != tool.Demoted {
		t.Errorf("the audit log has %q", kinds)
	}
	last := w.events[len(w.events)-1]
	if last.Actor != "host" || !strings.Contains(string(last.Data), "nobody has used it for 90 days") {
		t.Errorf("the entry is %+v: %s", last, last.Data)
	}
	if got := w.stale(); len(got) != 0 {
		t.Errorf("%q is stale yet", got)
	}
}

func TestToolsThatFailAreDemoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{DemoteBelowSuccessRate: 0.6, DemoteAfterUses: 10}})
	half, most, few := w.put(ann1, "half", "1").ID, w.put(ann1, "most", "2").ID, w.put(ann1, "few", "3").ID
	for range 5 {
		w.use(half, true, false)
		w.use(most, true, true, false)
	}
	w.use(few, false, true, false)
	w.must(w.Tend(t.Context()))
	for id, want := range map[string]bool{half: false, most: true, few: true} {
		if r := w.get(id); r.IsActive != want {
			t.Errorf("%s: active is %v", r.Name, r.IsActive)
		}
	}
	if r := w.get(half); !errors.Is(r.Callable(), tool.Inactive) || r.UsageStats.ConfidenceScore != 0 {
		t.Errorf("got %+v", r)
	}
	w.use(few, false, true, false, true, false, true, false)
	w.must(w.Tend(t.Context()))
	if !w.get(few).IsActive {
		t.Error("tools are looked over more often than once an hour")
	}
	w.pass(time.Hour)
	w.must(w.Tend(t.Context()))
	if w.get(few).IsActive {
		t.Error("after an hour the tool is not demoted")
	}
}
