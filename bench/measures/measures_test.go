package measures

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

func TestContestAlternates(t *testing.T) {
	var turns []string
	c := newContest([]string{"goja", "node:vm"}, func(_ context.Context, contender string) ([]float64, error) {
		turns = append(turns, contender)
		return map[string][]float64{ours: {1, 2}, "goja": {4, 8}, "node:vm": {10, 20}}[contender], nil
	})
	for range 2 {
		if err := c.round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if want := strings.Repeat("ours goja ours node:vm ", 2); strings.Join(turns, " ")+" " != want {
		t.Errorf("the turns were %v, want %s", turns, want)
	}
	got := c.result("x", report.Nanoseconds)
	if got.Ours.N != 8 || got.Ratio["goja"] != 0.25 || got.Ratio["node:vm"] != 0.1 {
		t.Errorf("got %+v", got)
	}
}

func TestContestGoesOnWithoutPeersThatFail(t *testing.T) {
	c := newContest([]string{"goja"}, func(_ context.Context, contender string) ([]float64, error) {
		if contender != ours {
			return nil, errors.New("goja: it broke")
		}
		return []float64{1}, nil
	})
	for range 3 {
		if err := c.round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := c.result("x", report.Nanoseconds)
	if got.Ours.N != 3 || len(got.Peers) != 0 || got.Note != "dropped out: goja: it broke" {
		t.Errorf("got %+v", got)
	}
}

func TestContestFailsWithOurs(t *testing.T) {
	broken := errors.New("broken")
	for _, names := range [][]string{nil, {"goja"}} {
		c := newContest(names, func(context.Context, string) ([]float64, error) { return nil, broken })
		if err := c.round(t.Context()); !errors.Is(err, broken) {
			t.Errorf("with %v: got %v", names, err)
		}
	}
}

func TestWorkerCounts(t *testing.T) {
	for cores, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 8: {1, 2, 4, 8}, 12: {1, 2, 4, 8, 12}} {
		if got := workerCounts(cores); !slices.Equal(got, want) {
			t.Errorf("%d cores: got %v, want %v", cores, got, want)
		}
	}
}

func TestSelect(t *testing.T) {
	list, err := Select([]string{"overrun", "hermetic_call"})
	if err != nil || len(list) != 2 || list[0].Name != "hermetic_call" || list[1].Name != "overrun" {
		t.Errorf("got %v, %v", list, err)
	}
	if list, err := Select(nil); err != nil || len(list) != len(all) {
		t.Errorf("nothing named: got %d measures, %v", len(list), err)
	}
	if _, err := Select([]string{"speed"}); err == nil {
		t.Error("an unknown measure is taken")
	}
}

func TestQuickBudgetsLeaveRoom(t *testing.T) {
	sum := time.Duration(0)
	for _, m := range all {
		sum += m.Budget
	}
	if sum > 32*time.Second {
		t.Errorf("a quick run samples for %v; with starting the engines and filling a shelf it has to end within 45 s", sum)
	}
}

func TestRepeat(t *testing.T) {
	s := Session{Scale: 1, Progress: func(string, float64) {}, sum: time.Second}
	rounds := 0
	if err := s.repeat(t.Context(), 0, func(context.Context) error { rounds++; return nil }); err != nil || rounds != 1 {
		t.Errorf("without a budget: %d rounds, %v", rounds, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := s.repeat(ctx, time.Hour, func(context.Context) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestTakeGoesOnAfterAFailure(t *testing.T) {
	var shares []float64
	s := Session{Scale: 1, Progress: func(_ string, share float64) { shares = append(shares, share) }}
	list := []Measure{
		{"bad", time.Second, func(context.Context, *Session) ([]report.Result, error) { return nil, errors.New("no luck") }},
		{"good", 3 * time.Second, func(context.Context, *Session) ([]report.Result, error) {
			return []report.Result{{Measure: "good"}}, nil
		}},
	}
	var r report.Report
	if err := s.Take(t.Context(), list, &r); err != nil {
		t.Fatal(err)
	}
	if r.Failed["bad"] != "no luck" || len(r.Results) != 1 || r.Results[0].Measure != "good" {
		t.Errorf("got %+v", r)
	}
	if want := []float64{0, 0.25, 1}; !slices.Equal(shares, want) {
		t.Errorf("the progress was %v, want %v", shares, want)
	}
}

func TestWarmCallsDoNotCount(t *testing.T) {
	calls := 0
	nanos, err := timed(3, 2, func() error { calls++; return nil })
	if err != nil || len(nanos) != 3 || calls != 5 {
		t.Errorf("%d calls, %d of them timed, %v", calls, len(nanos), err)
	}
	broken := errors.New("broken")
	if _, err := timed(1, 1, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

var kept []byte // lies on the heap

func TestAllocationsAreCounted(t *testing.T) {
	bytes, allocs, err := allocated(1000, func() error { kept = make([]byte, 1024); return nil })
	if err != nil || allocs < 1 || bytes < 1024 {
		t.Errorf("got %v bytes in %v allocations, %v; want at least 1024 in 1", bytes, allocs, err)
	}
}

func TestOverrunsAreSummedUp(t *testing.T) {
	cases := []hostileCase{
		{program: programs.Program{Name: "loop"}, over: []float64{1e6, 3e6}},
		{program: programs.Program{Name: "oom"}, outcome: "out_of_memory"},
	}
	whole := sumUp("overrun", cases, []float64{2e6, 3e6})
	if whole.Ours.Max != 3e6 || whole.Ours.N != 2 {
		t.Errorf("got %+v", whole.Ours)
	}
	if want := "2 programs, 1 of them ended before their deadline; worst of the best run: 2.00 ms"; whole.Note != want {
		t.Errorf("the note reads %q, want %q", whole.Note, want)
	}
	list := parts("overrun", cases)
	if list[0].Measure != "overrun/loop" || list[1].Note != "ended by itself: out_of_memory" {
		t.Errorf("got %+v", list)
	}
}

func TestPeersWithOneThreadStayOutOfParallelRuns(t *testing.T) {
	list := []peers.Contender{{Name: "goja"}, {Name: "node:vm", SingleThread: true}}
	if got := able(list, 1); len(got) != 2 {
		t.Errorf("one worker: %v", got)
	}
	if got := able(list, 2); len(got) != 1 || got[0].Name != "goja" {
		t.Errorf("two workers: %v", got)
	}
}
