package tiers_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func (w *world) spend(by tool.Actor, name string, tokens int64) {
	w.t.Helper()
	w.must(w.Spend(w.t.Context(), by, name, tool.Held{}, tool.Spent{Calls: 1, InputTokens: tokens - 1, OutputTokens: 1, CostUSD: 0.25}))
}

func (w *world) maySpend(by tool.Actor) error {
	_, err := w.Hold(w.t.Context(), by, tool.Spent{})
	return err
}

// keys is how many keys are stored that have a part, in the middle.
func (w *world) keys(part string) (n int) {
	w.t.Helper()
	w.must(w.Store().View(w.t.Context(), func(r tiers.Reader) error {
		return r.Scan(tiers.Range{}, func(key, _ []byte) (bool, error) {
			if bytes.Contains(key, []byte("\x01"+part+"\x00")) {
				n++
			}
			return true, nil
		})
	}))
	return n
}

func (w *world) spent(by tool.Actor) tiers.SpentReport {
	w.t.Helper()
	report, err := w.Spent(w.t.Context(), by.Caller)
	w.must(err)
	return report
}

func TestSpentIsCountedThreeWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	w.spend(ann1, "a", 100)
	w.spend(ann1, "b", 10)
	w.spend(ann10, "a", 1000)
	w.pass(24 * time.Hour)
	w.spend(ann1, "", 5)
	w.spend(bob1, "a", 7)
	w.restart(nil)
	got := w.spent(ann1)
	want := tiers.SpentReport{
		Session: tool.Spent{Calls: 3, InputTokens: 112, OutputTokens: 3, CostUSD: 0.75},
		Today:   tool.Spent{Calls: 1, InputTokens: 4, OutputTokens: 1, CostUSD: 0.25},
		Days: map[string]tool.Spent{
			"2026-09-01": {Calls: 3, InputTokens: 1107, OutputTokens: 3, CostUSD: 0.75},
			"2026-09-02": {Calls: 1, InputTokens: 4, OutputTokens: 1, CostUSD: 0.25},
		},
		Tools: map[string]tool.Spent{
			"a": {Calls: 2, InputTokens: 1098, OutputTokens: 2, CostUSD: 0.5},
			"b": {Calls: 1, InputTokens: 9, OutputTokens: 1, CostUSD: 0.25},
		},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	_, err := w.EndSession(t.Context(), ann1, ann1.Caller)
	w.must(err)
	if after := w.spent(ann1); after.Session != (tool.Spent{}) || after.Today != want.Today || len(after.Tools) != 2 {
		t.Errorf("after the session: %+v", after)
	}
}

func TestSpentIsForgottenAfter31Days(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for range 40 {
		w.spend(ann1, "a", 10)
		w.pass(24 * time.Hour)
	}
	if got := w.spent(ann1); len(got.Days) != 30 || got.Tools["a"].Calls != 40 { // today is one of the 31, and nothing was spent yet
		t.Errorf("%d days, %+v", len(got.Days), got.Tools)
	}
	w.pass(20 * 24 * time.Hour)
	if got := w.spent(ann1); len(got.Days) != 10 {
		t.Errorf("20 days later: %d days", len(got.Days))
	}
	w.spend(ann1, "a", 10)
	if stored := w.keys("day"); stored != 2*11 { // of the persona, and of the tenant
		t.Errorf("%d days are stored", stored)
	}
}

func TestSpentOfManyToolsIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for i := range 1010 {
		w.spend(ann1, fmt.Sprint("t", i), 2)
	}
	w.spend(ann1, "t0", 2)
	w.spend(ann1, "no name/at all", 2)
	got := w.spent(ann1).Tools
	if len(got) != 1001 || got["t0"].Calls != 2 || got[tiers.OtherTools].Calls != 11 {
		t.Errorf("%d names, %+v, others %+v", len(got), got["t0"], got[tiers.OtherTools])
	}
}

func TestSpendRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for _, spent := range []tool.Spent{{Calls: -1}, {InputTokens: -1}, {OutputTokens: math.MaxInt64}, {CostUSD: math.NaN()}, {CostUSD: math.Inf(1)}} {
		w.wants(tool.InvalidRequest, w.Spend(t.Context(), ann1, "a", tool.Held{}, spent))
	}
	w.wants(tool.InvalidRequest, w.Spend(t.Context(), as("", "1"), "a", tool.Held{}, tool.Spent{}))
	if got := w.spent(ann1); got.Today != (tool.Spent{}) {
		t.Errorf("counted %+v", got)
	}
}

func TestSpendingIsCapped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules   tiers.Rules
		session int64 // tokens that the session may spend
		persona int64
	}{
		"by default": {tiers.Rules{}, 1_000_000, 10_000_000},
		"by rules":   {tiers.Rules{MaxSessionTokens: 100, Persona: tool.Quota{JudgeTokensPerDay: 150}}, 100, 150},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", tiers.Options{Rules: c.rules})
			may := func(by tool.Actor, limit string) {
				t.Helper()
				err := w.maySpend(by)
				if limit == "" {
					w.must(err)
					return
				}
				w.wants(tool.OverQuota, err)
				if wrong := tool.AsError(err); wrong == nil || !strings.Contains(wrong.Message, limit) || !strings.Contains(wrong.Hint, "raise "+limit) {
					t.Errorf("got %v", err)
				}
			}
			may(ann1, "")
			w.spend(ann1, "a", c.session-1)
			may(ann1, "")
			w.spend(ann1, "a", 1)
			may(ann1, "maxJudgeTokensPerSession")
			may(ann10, "")
			w.spend(as("ann", "11"), "a", c.persona-c.session)
			may(ann10, "judgeTokensPerDay")
			may(bob1, "")
			w.pass(24 * time.Hour)
			may(ann10, "")
			may(ann1, "maxJudgeTokensPerSession")
		})
	}
}

func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	var all sync.WaitGroup
	var mu sync.Mutex
	var numbers []int
	refused := 0
	for range 32 {
		all.Go(func() {
			n, err := w.Attempt(t.Context(), ann1, map[string]any{"name": "a"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.wants(tool.Limit, err)
				refused++
				return
			}
			numbers = append(numbers, n)
		})
	}
	all.Wait()
	slices.Sort(numbers)
	if len(numbers) != 20 || refused != 12 || numbers[0] != 1 || numbers[19] != 20 || len(slices.Compact(numbers)) != 20 {
		t.Errorf("attempts %v, and %d were refused", numbers, refused)
	}
	events, err := w.Audit(t.Context(), "acme", tiers.AuditQuery{})
	if err != nil || len(events) != 20 || events[19].EventType != tool.ForgeRequested || string(events[19].Data) != `{"name":"a"}` || events[19].SessionID != "1" {
		t.Errorf("%d entries, %v", len(events), err)
	}
	w.restart(nil)
	if _, err := w.Attempt(t.Context(), ann1, nil); err == nil || !strings.Contains(tool.AsError(err).Hint, "maxForgeAttemptsPerSession") {
		t.Errorf("after a restart: %v", err)
	}
	if n, err := w.Attempt(t.Context(), ann10, nil); n != 1 || err != nil {
		t.Errorf("another session: %d, %v", n, err)
	}
	if list, err := w.Sessions(t.Context(), "acme"); err != nil || len(list) != 2 || list[0].Attempts != 20 {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	_, err = w.EndSession(t.Context(), ann1, ann1.Caller)
	w.must(err)
	if n, err := w.Attempt(t.Context(), ann1, nil); n != 1 || err != nil {
		t.Errorf("a new session of the name: %d, %v", n, err)
	}
}

func TestAttemptThatCannotBeWrittenIsNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{MaxForgeAttempts: 1}})
	_, err := w.Attempt(t.Context(), ann1, func() {})
	w.wants(tool.InvalidRequest, err)
	if n, err := w.Attempt(t.Context(), ann1, nil); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, err = w.Attempt(t.Context(), as("ann", ""), nil)
	w.wants(tool.InvalidRequest, err)
}
