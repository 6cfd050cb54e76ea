package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	h := hammer{s: s}
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
}

// step does one thing at random. Refusals are part of the game; other errors are not.
func (h *hammer) step(ctx context.Context, random *rand.Rand) error {
	who := as(fmt.Sprint("p", random.IntN(3)), fmt.Sprint(random.IntN(3)))
	name := fmt.Sprint("n", random.IntN(6))
	if random.IntN(3) == 0 {
		_, err := h.s.Put(ctx, who, draft(name, fmt.Sprint(random.IntN(4))))
		return expected(err)
	}
	r, err := h.s.Find(ctx, who.Caller, name)
	if err != nil {
		return expected(err)
	}
	switch random.IntN(12) {
	case 0:
		err = h.s.Remove(ctx, who, r.ID)
	case 1, 2:
		_, err = h.s.Promote(ctx, boss, r.ID, tiers.Promotion{To: tool.AgentTier, ApprovedBy: "eve"})
	case 3:
		_, err = h.s.Promote(ctx, boss, r.ID, tiers.Promotion{To: tool.SharedTier, ApprovedBy: "eve", Verdict: panel(true)})
	case 4:
		_, err = h.s.Suspend(ctx, boss, r.ID, tool.ByAdmin)
	case 5:
		_, err = h.s.Resume(ctx, boss, r.ID, tiers.Resumption{})
	case 6:
		_, err = h.s.EndSession(ctx, who, who.Caller)
	case 7:
		_, err = h.s.Revert(ctx, boss, r.ID, r.Supersedes)
	default:
		n, _ := h.uses.LoadOrStore(r.ID, &atomic.Int64{})
		if err = h.s.RecordUse(ctx, "acme", r.ID, tool.Use{Success: true, At: time.Now()}); err == nil {
			n.(*atomic.Int64).Add(1)
		}
	}
	return expected(err)
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
	if len(list) == 0 {
		t.Error("nothing is left to look at")
	}
	if chain, err := h.s.Verify(t.Context(), "acme"); err != nil || chain.Entries < 100 {
		t.Errorf("%+v, %v", chain, err)
	}
}
