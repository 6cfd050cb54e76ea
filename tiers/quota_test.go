package tiers_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// held is what the tenant keeps, as it is counted.
func (w *world) held() (sum tiers.Holdings) {
	w.t.Helper()
	w.must(w.Store().View(context.Background(), func(r tiers.Reader) (err error) {
		sum, err = tiers.Stored(r, "acme")
		return err
	}))
	return sum
}

// over reports an error that is not about a limit, with words of its message and its hint.
func (w *world) over(err error, limit, message, hint string, after time.Duration) {
	w.t.Helper()
	w.wants(tool.OverQuota, err)
	e := tool.AsError(err)
	if e == nil || e.Limit != limit || e.RetryAfter != after || !strings.Contains(e.Message, message) || !strings.Contains(e.Hint, hint) {
		w.t.Errorf("got %+v\nwant %s: %s; %s; after %v", e, limit, message, hint, after)
	}
}

// warnings are the limits that were warned of, with whose they are.
func (w *world) warnings() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.EventType == tool.QuotaWarning {
			list = append(list, e.PersonaID+string(e.Data))
		}
	}
	return list
}

func TestStoredToolsAreCapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{Tools: 3}}})
	first := w.put(ann1, "a", "1")
	w.put(ann10, "a", "1")
	w.put(bob1, "b", "1")
	_, err := w.Put(t.Context(), bob1, draft("c", "1"))
	w.over(err, "tools", `tools: the tenant "acme" has 4 of 3 stored tools`, "remove tools that are no longer needed, or raise tools", 0)
	other := bob1
	other.Tenant = "others"
	if _, err := w.Put(t.Context(), other, draft("c", "1")); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	second := w.put(ann1, "a", "2") // a next version is no more
	if second.Supersedes != first.ID {
		t.Errorf("%+v", second)
	}
	w.promote(second.ID, tool.AgentTier, "eve")
	w.restart(nil)
	if got := w.held(); got.Tools != 3 {
		t.Errorf("after a restart: %+v", got)
	}
	w.must(w.Remove(t.Context(), boss, second.ID))
	w.put(bob1, "c", "1")
	if got := w.warnings(); len(got) != 2 || got[0] != `{"limit":"tools","most":3,"used":3}` || got[1] != got[0] {
		t.Errorf("warnings: %q", got)
	}
}

func TestStoredBytesAreCapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{ToolBytes: 20_000}}})
	large := strings.Repeat("x", 4000)
	refused := 0
	var last *tool.Record
	for i := range 10 {
		r, err := w.Put(t.Context(), ann1, draft("a", large+fmt.Sprint(i)))
		if err != nil {
			w.over(err, "toolBytes", "of 20000 bytes of stored tools", "raise toolBytes", 0)
			refused++
			continue
		}
		last = r
	}
	if got := w.held(); refused < 5 || got.Bytes > 20_000 || got.Bytes < 12_000 || got.Tools != 1 {
		t.Errorf("%d were refused, %+v", refused, got)
	}
	w.must(w.Remove(t.Context(), boss, last.ID)) // with its versions
	if got := w.held(); got != (tiers.Holdings{}) {
		t.Errorf("after all is removed: %+v", got)
	}
}

// Whatever is done, and by however many at once: the count is that of what is there.
func TestStoredIsWhatThereIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{Tools: 8}}})
	rapid.Check(t, func(rt *rapid.T) {
		var group sync.WaitGroup
		for range 3 {
			seed := rapid.SliceOfN(rapid.IntRange(0, 1000), 2, 8).Draw(rt, "steps")
			group.Go(func() { w.wander(seed) })
		}
		group.Wait()
		var want tiers.Holdings
		w.must(w.Store().View(context.Background(), func(r tiers.Reader) (err error) {
			want, err = tiers.ScanStored(r, "acme")
			return err
		}))
		if got := w.held(); got != want || got.Tools > 8 {
			rt.Fatalf("counted %+v; there are %+v", got, want)
		}
	})
}

// wander does this and that with tools; what is refused is refused.
func (w *world) wander(steps []int) {
	ctx := context.Background()
	for _, n := range steps {
		by := []tool.Actor{ann1, ann10, bob1}[n%3]
		list, _ := w.Visible(ctx, by.Caller)
		var id string
		if len(list) > 0 {
			id = list[n%len(list)].ID
		}
		switch n % 8 {
		case 0, 1, 2:
			_, _ = w.Put(ctx, by, draft(fmt.Sprint("t", n%5), fmt.Sprint(n)))
		case 3:
			_, _ = w.Promote(ctx, boss, id, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve", Verdict: panel(true)})
		case 4:
			_ = w.RecordUse(ctx, "acme", id, tool.Use{Success: n%2 == 0, At: w.clock()})
			_ = w.Settle(ctx)
		case 5:
			_ = w.Remove(ctx, boss, id)
		case 6:
			_, _ = w.EndSession(ctx, by, by.Caller)
		case 7:
			_, _ = w.Suspend(ctx, boss, id, tool.ByAdmin)
		}
	}
}

func TestForgesOfADayAreCapped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{ForgesPerDay: 5}, Persona: tool.Quota{ForgesPerDay: 3}}})
	try := func(by tool.Actor) error { _, err := w.Attempt(t.Context(), by, nil); return err }
	w.must(try(ann1))
	w.must(try(ann1))
	w.must(try(ann10))
	w.over(try(as("ann", "11")), "forgesPerDay", `the persona "ann" has 3 of 3 attempts to forge in a day`, "wait until midnight UTC, in 16h0m0s, or raise forgesPerDay", 16*time.Hour)
	w.must(try(bob1))
	w.must(try(bob1))
	w.restart(nil)
	w.over(try(bob1), "forgesPerDay", `the tenant "acme" has 5 of 5 attempts to forge in a day`, "midnight UTC", 16*time.Hour)
	if list, err := w.Sessions(t.Context(), "acme"); err != nil || len(list) != 3 {
		t.Errorf("a refused attempt is no use of a session: %+v, %v", list, err)
	}
	if got := fmt.Sprint(w.warnings()); got != `[ann{"limit":"forgesPerDay","most":3,"used":3} {"limit":"forgesPerDay","most":5,"used":4}]` {
		t.Errorf("warnings: %s", got)
	}
	w.pass(16*time.Hour - time.Second)
	w.over(try(ann1), "forgesPerDay", "", "", time.Second)
	w.pass(time.Second)
	w.must(try(ann1))
}

// What specialists use counts for their manager, who cannot have more of it by having more of them.
func TestSpecialistsCountForTheirManager(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{Persona: tool.Quota{ForgesPerDay: 2, JudgeTokensPerDay: 20}, MaxAgentTools: 2}})
	ann, helper, critic := as("ann", "1"), as("ann/helper", "1"), as("ann/helper/critic", "1")
	try := func(by tool.Actor) error { _, err := w.Attempt(t.Context(), by, nil); return err }
	w.must(try(helper))
	w.must(try(critic))
	w.over(try(ann), "forgesPerDay", `the persona "ann" has 2 of 2 attempts`, "", 16*time.Hour)
	w.over(try(helper), "forgesPerDay", `the persona "ann" has 2 of 2 attempts`, "", 16*time.Hour)
	w.must(try(as("anna/helper", "1")))

	w.spend(helper, "a", 10)
	w.spend(critic, "a", 10)
	w.over(w.maySpend(ann), "judgeTokensPerDay", `the persona "ann" has 20 of 20`, "", 16*time.Hour)
	for _, of := range []tool.Actor{ann, helper} {
		got, err := w.Spent(t.Context(), of.Caller)
		if err != nil || got.Today.InputTokens+got.Today.OutputTokens != 20 || len(got.Days) != 1 {
			t.Errorf("%s: %+v, %v", of.Persona, got, err)
		}
	}

	var all []*tool.Record
	for i, by := range []tool.Actor{helper, critic, as("anna", "1"), ann, helper} {
		all = append(all, w.put(by, fmt.Sprint("t", i), "1"))
		w.pass(time.Second)
	}
	for _, r := range all[:3] {
		w.promote(r.ID, tool.AgentTier, "eve")
	}
	for _, r := range all[3:] {
		_, err := w.Promote(t.Context(), boss, r.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
		w.wants(tool.Limit, err)
	}
	w.restart(func(o *tiers.Options) { o.Rules.MaxAgentTools = 1 })
	w.must(w.Load(t.Context(), func(string) bool { return true }))
	for i, r := range all[:3] {
		now, err := w.Get(t.Context(), "acme", r.ID)
		if over := i == 1; err != nil || (now.Suspended != nil) != over {
			t.Errorf("tool %d: suspended %+v, %v", i, now.Suspended, err)
		}
	}
}

// Nobody approves for everybody what an agent under it has made, and no agent what was made above it.
func TestSpecialistsAreTheirOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for owner, approver := range map[string]string{"ann": "Ann/helper", "bob/helper": "bob", "cat/helper": "cat/critic"} {
		r := w.put(as(owner, "1"), "tool_of_"+owner[:3], "1")
		w.promote(r.ID, tool.AgentTier, approver)
		_, err := w.Promote(t.Context(), boss, r.ID, tool.Promotion{To: tool.SharedTier, ApprovedBy: approver, Verdict: panel(true)})
		w.wants(tool.Rejected, err)
		w.promote(r.ID, tool.SharedTier, "eve")
	}
}

func TestJudgesOfADayAreCapped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tenant, persona tool.Quota
		spend           []tool.Actor // 10 tokens for 0.25 dollars each
		limit, message  string       // for bob
	}{
		"tokens of a tenant":    {tool.Quota{JudgeTokensPerDay: 20}, tool.Quota{}, []tool.Actor{ann1, ann10}, "judgeTokensPerDay", `the tenant "acme" has 20 of 20 tokens`},
		"tokens of a persona":   {tool.Quota{}, tool.Quota{JudgeTokensPerDay: 20}, []tool.Actor{bob1, bob1}, "judgeTokensPerDay", `the persona "bob" has 20 of 20 tokens`},
		"tokens of another":     {tool.Quota{}, tool.Quota{JudgeTokensPerDay: 20}, []tool.Actor{ann1, ann1, bob1}, "", ""},
		"dollars of a tenant":   {tool.Quota{JudgeCostPerDay: 0.5}, tool.Quota{}, []tool.Actor{ann1, ann10}, "judgeCostPerDay", `the tenant "acme" has 0.5 of 0.5 dollars`},
		"dollars of a persona":  {tool.Quota{}, tool.Quota{JudgeCostPerDay: 0.3}, []tool.Actor{bob1, bob1}, "judgeCostPerDay", `the persona "bob" has 0.5 of 0.3 dollars`},
		"less than is allowed":  {tool.Quota{JudgeTokensPerDay: 21}, tool.Quota{JudgeCostPerDay: 0.6}, []tool.Actor{bob1, bob1}, "", ""},
		"the default is enough": {tool.Quota{}, tool.Quota{}, []tool.Actor{bob1, bob1, bob1}, "", ""},
	} {
		w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Tenant: c.tenant, Persona: c.persona}})
		for _, by := range c.spend {
			w.must(w.maySpend(by))
			w.spend(by, "a", 10)
		}
		err := w.maySpend(bob1)
		if c.limit == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		w.over(err, c.limit, c.message, "raise "+c.limit, 16*time.Hour)
		w.pass(16 * time.Hour)
		w.must(w.maySpend(bob1))
	}
}

// A quota of a tenant's own takes the place of the default, at once.
func TestOwnQuotaOfATenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{Tools: 1}}})
	_, _, err := w.CreateTenant(t.Context(), boss, "acme", nil)
	w.must(err)
	w.put(ann1, "a", "1")
	_, err = w.Put(t.Context(), ann1, draft("b", "1"))
	w.wants(tool.OverQuota, err)
	_, err = w.SetQuota(t.Context(), boss, "acme", tool.Quota{Tools: 2, ForgesPerDay: 1})
	w.must(err)
	w.put(ann1, "b", "1")
	if _, err := w.Attempt(t.Context(), ann1, nil); err != nil {
		t.Error(err)
	}
	_, err = w.Attempt(t.Context(), ann1, nil)
	w.over(err, "forgesPerDay", `the tenant "acme" has 1 of 1`, "midnight", 16*time.Hour)
}

// A store of an older program has no count; it is made when it is needed.
func TestStoredIsCountedInOldStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.put(ann1, "a", "1")
	w.put(ann1, "b", "1")
	want := w.held()
	w.must(w.Store().Update(t.Context(), func(txn tiers.Txn) error { return txn.Delete(tiers.StoredAt("acme")) }))
	if got := w.held(); got != want || want.Tools != 2 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	w.put(ann1, "c", "1")
	w.put(ann1, "d", "1")
	if got := w.held(); got.Tools != 4 || got.Bytes <= want.Bytes {
		t.Errorf("got %+v", got)
	}
}
