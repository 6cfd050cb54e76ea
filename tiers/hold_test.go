package tiers_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

const heldBack = "reviews that are under way hold the rest back: try again when they have ended, or raise "

func (w *world) hold(by tool.Actor, tokens int64) tool.Held {
	w.t.Helper()
	held, err := w.Hold(w.t.Context(), by, tool.Spent{Calls: 1, InputTokens: tokens - 1, OutputTokens: 1, CostUSD: 0.25})
	w.must(err)
	return held
}

func (w *world) settle(by tool.Actor, held tool.Held, tokens int64) {
	w.t.Helper()
	w.must(w.Spend(w.t.Context(), by, "a", held, tool.Spent{Calls: 1, InputTokens: tokens}))
}

// used is what is used of a limit, of the tenant, the persona and the session.
func (w *world) used(by tool.Actor, limit string) (list [3]float64) {
	w.t.Helper()
	u, err := w.Usage(w.t.Context(), by.Caller)
	w.must(err)
	for i, of := range [][]tool.Gauge{u.Tenant, u.Persona, u.Session} {
		for _, g := range of {
			if g.Limit == limit {
				list[i] = g.Used
			}
		}
	}
	return list
}

// However many ask at once, and whoever they are: no more are let in than there is room for.
func TestHoldsAreCounted(t *testing.T) {
	t.Parallel()
	most := tool.Quota{JudgeTokensPerDay: 3000}
	for name, c := range map[string]struct {
		rules   tiers.Rules
		who     func(i int) tool.Actor
		limit   string
		message string
	}{
		"of a tenant":  {tiers.Rules{Tenant: most}, func(i int) tool.Actor { return as(fmt.Sprint("p", i), "1") }, "judgeTokensPerDay", `the tenant "acme" has 3900 of 3000`},
		"of a persona": {tiers.Rules{Persona: most}, func(i int) tool.Actor { return as("ann", fmt.Sprint(i)) }, "judgeTokensPerDay", `the persona "ann" has 3900 of 3000`},
		"of a session": {tiers.Rules{MaxSessionTokens: 3000}, func(int) tool.Actor { return ann1 }, "maxJudgeTokensPerSession", `the session 1 has used 3900 tokens of 3000`},
		"dollars":      {tiers.Rules{Tenant: tool.Quota{JudgeCostPerDay: 0.6}}, func(int) tool.Actor { return ann1 }, "judgeCostPerDay", `has 0.75 of 0.6 dollars`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", tiers.Options{Rules: c.rules})
			var all sync.WaitGroup
			var let atomic.Int64
			for i := range 40 {
				all.Go(func() {
					if _, err := w.Hold(t.Context(), c.who(i), tool.Spent{Calls: 1, InputTokens: 1200, OutputTokens: 100, CostUSD: 0.25}); err == nil {
						let.Add(1)
					}
				})
			}
			all.Wait()
			if let.Load() != 3 {
				t.Errorf("%d of 40 were let in", let.Load())
			}
			w.over(w.maySpend(c.who(40)), c.limit, c.message, heldBack+c.limit, 10*time.Second)
			w.pass(24 * time.Hour) // nobody came back
			if err := w.maySpend(c.who(40)); err != nil {
				t.Errorf("the day after: %v", err)
			}
		})
	}
}

func TestHoldsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{Persona: tool.Quota{JudgeTokensPerDay: 1000}}})
	first, second := w.hold(ann1, 900), w.hold(ann1, 5000) // as long as there is room, however much is asked for
	w.restart(nil)
	w.over(w.maySpend(ann10), "judgeTokensPerDay", "has 5900 of 1000", heldBack, 10*time.Second)
	if got := w.used(ann1, "judgeTokensPerDay"); got != [3]float64{5900, 5900, 0} {
		t.Errorf("of the day: %v", got)
	}
	if got := w.used(ann1, "maxJudgeTokensPerSession"); got != [3]float64{0, 0, 5900} {
		t.Errorf("of the session: %v", got)
	}
	w.settle(ann1, first, 100)
	w.must(w.Spend(t.Context(), ann1, "a", second, tool.Spent{})) // nothing came of it
	if got := w.used(ann1, "judgeTokensPerDay"); got != [3]float64{100, 100, 0} {
		t.Errorf("settled: %v", got)
	}
	if got := w.spent(ann1); got.Session.InputTokens != 100 || got.Session.CostUSD != 0 || got.Session.Calls != 1 {
		t.Errorf("spent %+v", got.Session)
	}
	if n := w.keys("held"); n != 0 {
		t.Errorf("%d holds are stored", n)
	}
	w.spend(ann1, "a", 900)
	w.over(w.maySpend(ann10), "judgeTokensPerDay", "has 1000 of 1000", "wait until midnight UTC", 16*time.Hour)
}

// What a review took that began yesterday counts for today, and what others hold since today is theirs.
func TestHoldsOverMidnight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	before, forgotten := w.hold(ann1, 500), w.hold(bob1, 500)
	w.pass(16 * time.Hour)
	today := w.hold(ann1, 300)
	w.settle(ann1, before, 70)
	if got := w.used(ann1, "judgeTokensPerDay"); got != [3]float64{370, 370, 0} {
		t.Errorf("used %v", got)
	}
	w.settle(ann1, today, 30)
	w.hold(bob1, 10)
	if n := w.keys("held"); n != 3 { // of the tenant, of bob and of his session
		t.Errorf("%d holds are stored", n)
	}
	w.settle(bob1, forgotten, 1)
	if got := w.used(bob1, "judgeTokensPerDay"); got != [3]float64{111, 11, 0} {
		t.Errorf("used %v", got)
	}
}

// What is held back is nothing to warn of: it may come to less.
func TestHoldsDoNotWarn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Persona: tool.Quota{JudgeTokensPerDay: 100}}})
	for range 3 {
		w.settle(ann1, w.hold(ann1, 90), 20)
	}
	if got := w.warnings(); len(got) != 0 {
		t.Errorf("warnings: %q", got)
	}
	w.settle(ann1, w.hold(ann1, 90), 20)
	if got := w.warnings(); len(got) != 1 {
		t.Errorf("warnings: %q", got)
	}
}

func TestHoldRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	_, err := w.Hold(t.Context(), ann1, tool.Spent{InputTokens: -1})
	w.wants(tool.InvalidRequest, err)
	_, err = w.Hold(t.Context(), as("", "1"), tool.Spent{})
	w.wants(tool.InvalidRequest, err)
	if got := w.used(ann1, "judgeTokensPerDay"); got != [3]float64{} {
		t.Errorf("used %v", got)
	}
}
