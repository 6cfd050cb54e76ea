package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// TestHammer lets 32 goroutines do everything at once, and then looks whether caps, names and counts hold.
func TestHammer(t *testing.T) {
	t.Parallel()
	rounds := 120
	if testing.Short() {
		rounds = 25
	}
	rules := tiers.Rules{MaxSessionTools: 3, MaxAgentTools: 4, MaxFailuresInARow: 1 << 30}
	s, err := tiers.Open(t.Context(), t.TempDir(), tiers.StoreOptions{}, tiers.Options{Rules: rules, FlushAfter: time.Millisecond, TendEvery: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := hammer{s: s, spent: map[string]int64{}}
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i))) //nolint:gosec // G404: a test that can be repeated
			for range rounds {
				if err := h.step(t.Context(), random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	h.check(t, rules)
}

type hammer struct {
	s    *tiers.Shelf
	uses sync.Map // id to *atomic.Int64

	mu    sync.Mutex
	done  [12]int // how often each choice of change succeeded
	puts  int
	spent map[string]int64 // tokens by persona
}

// step does one thing at random. Refusals are part of the game; other errors are not.
func (h *hammer) step(ctx context.Context, random *rand.Rand) error {
	who := as(fmt.Sprint("p", random.IntN(3)), fmt.Sprint(random.IntN(3)))
	name := fmt.Sprint("n", random.IntN(6))
	if random.IntN(3) == 0 {
		_, err := h.s.Put(ctx, who, draft(name, fmt.Sprint(random.IntN(100))))
		h.succeeded(err, func() { h.puts++ })
		return expected(err)
	}
	r, err := h.s.Find(ctx, who.Caller, name)
	if err != nil {
		return expected(err)
	}
	choice := random.IntN(len(h.done))
	err = h.change(ctx, who, r, choice)
	h.succeeded(err, func() { h.done[choice]++ })
	return expected(err)
}

func (h *hammer) succeeded(err error, count func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		count()
	}
}

func (h *hammer) change(ctx context.Context, who tool.Actor, r *tool.Record, choice int) (err error) {
	switch choice {
	case 0:
		err = h.s.Remove(ctx, who, r.ID)
	case 1, 2:
		_, err = h.s.Promote(ctx, boss, r.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	case 3:
		_, err = h.s.Promote(ctx, boss, r.ID, tool.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: panel(true)})
	case 4:
		_, err = h.s.Suspend(ctx, boss, r.ID, tool.ByAdmin)
	case 5:
		_, err = h.s.Resume(ctx, boss, r.ID, tiers.Resumption{})
	case 6:
		_, err = h.s.EndSession(ctx, who, who.Caller)
	case 7:
		_, err = h.s.Revert(ctx, boss, r.ID, r.Supersedes)
	case 8:
		_, err = h.s.Demote(ctx, boss, r.ID, "slow")
	case 9:
		err = h.s.Spend(ctx, who, r.Name, tool.Held{}, tool.Spent{Calls: 1, InputTokens: 7})
		h.succeeded(err, func() { h.spent[who.Persona] += 7 })
	default:
		n, _ := h.uses.LoadOrStore(r.ID, &atomic.Int64{})
		if err = h.s.RecordUse(ctx, "acme", r.ID, tool.Use{Success: true, At: time.Now()}); err == nil {
			n.(*atomic.Int64).Add(1)
		}
	}
	return err
}

func expected(err error) error {
	for _, code := range []tool.Code{tool.NotFound, tool.Collision, tool.Limit, tool.InvalidRequest, tool.Inactive, tool.Suspended, tool.Rejected} {
		if errors.Is(err, code) {
			return nil
		}
	}
	return err
}

// check looks whether what must always hold does.
func (h *hammer) check(t *testing.T, rules tiers.Rules) {
	t.Helper()
	if err := h.s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := h.s.List(t.Context(), "acme", tiers.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	names, scopes := map[string]string{}, map[string]int{}
	for _, r := range list {
		scope := string(r.Tier)
		if r.Tier != tool.SharedTier {
			scope += "/" + r.PersonaID
		}
		if r.Tier == tool.SessionTier {
			scope += "/" + r.SessionID
		}
		scopes[scope]++
		if other, twice := names[scope+"/"+r.Name]; twice {
			t.Errorf("%s and %s have the name %s in %s", other, r.ID, r.Name, scope)
		}
		names[scope+"/"+r.Name] = r.ID
		if n, ok := h.uses.Load(r.ID); ok && int64(r.UsageStats.TotalUses) != n.(*atomic.Int64).Load() {
			t.Errorf("%s counts %d uses of %d", r.ID, r.UsageStats.TotalUses, n.(*atomic.Int64).Load())
		}
		most := map[tool.Tier]int{tool.SessionTier: rules.MaxSessionTools, tool.AgentTier: rules.MaxAgentTools, tool.SharedTier: 1 << 30}[r.Tier]
		if scopes[scope] > most {
			t.Errorf("%s holds %d tools, the cap is %d", scope, scopes[scope], most)
		}
	}
	if len(list) == 0 || h.puts == 0 || slices.Contains([]int{h.done[0], h.done[1], h.done[8], h.done[9], h.done[10]}, 0) {
		t.Errorf("%d are left to look at, %d were put, and these changes succeeded so often: %v", len(list), h.puts, h.done)
	}
	h.checkSpent(t)
	if chain, err := h.s.Verify(t.Context(), "acme"); err != nil || chain.Entries < 100 {
		t.Errorf("%+v, %v", chain, err)
	}
}

func (h *hammer) checkSpent(t *testing.T) {
	t.Helper()
	for persona, want := range h.spent {
		report, err := h.s.Spent(t.Context(), as(persona, "0").Caller)
		var days, tools int64
		for _, sum := range report.Days {
			days += sum.InputTokens
		}
		for _, sum := range report.Tools {
			tools += sum.InputTokens
		}
		if err != nil || days != want || tools != want {
			t.Errorf("%s: %d tokens by day and %d by tool of %d, %v", persona, days, tools, want, err)
		}
	}
}
