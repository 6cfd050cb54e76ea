package cases_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// ending is a runner for which every case ends in the same way.
func ending(output string, err error) cases.Runner {
	return func(context.Context, cases.Case) (*wasmjs.Result, error) {
		return &wasmjs.Result{Output: []byte(output), Stats: wasmjs.Stats{Fuel: 7}}, err
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	timeout := tool.Errorf(tool.Timeout, "stopped")
	two := []json.RawMessage{json.RawMessage("1"), json.RawMessage("2")}
	banned := []cases.Outcome{cases.Failure(tool.InvalidSource)}
	for name, c := range map[string]struct {
		c      cases.Case
		run    cases.Runner
		noGate bool
		want   bool
		reason string
	}{
		"right output":          {cases.Case{Expect: []cases.Outcome{cases.OK}, Outputs: two}, ending("2.0", nil), false, true, ""},
		"wrong output":          {cases.Case{Expect: []cases.Outcome{cases.OK}, Outputs: two}, ending("3", nil), false, false, "got output 3, want 1 or 2"},
		"any output":            {cases.Case{Expect: []cases.Outcome{cases.OK}, AnyOK: true}, ending("3", nil), false, true, ""},
		"right error":           {cases.Case{Expect: []cases.Outcome{cases.OK, "error:timeout"}, Outputs: two}, ending("", timeout), false, true, ""},
		"wrong error":           {cases.Case{Expect: []cases.Outcome{"error:denied"}}, ending("", timeout), false, false, "got error:timeout (stopped), want error:denied"},
		"ok, not expected":      {cases.Case{Expect: []cases.Outcome{"error:denied"}}, ending("3", nil), false, false, "got ok with output 3, want error:denied"},
		"host fault":            {cases.Case{Expect: []cases.Outcome{"error:internal"}}, ending("", tool.Internal), false, false, "the host itself failed: internal: internal"},
		"banned, let through":   {cases.Case{Expect: banned}, ending("3", nil), false, false, "got ok with output 3, want error:invalid_source"},
		"no gate":               {cases.Case{Expect: banned}, ending("3", nil), true, true, ""},
		"no gate, error":        {cases.Case{Expect: banned}, ending("", timeout), true, true, ""},
		"no gate, host fault":   {cases.Case{Expect: banned}, ending("", tool.Internal), true, false, "the host itself failed: internal: internal"},
		"no gate, other wishes": {cases.Case{Expect: []cases.Outcome{"error:denied"}}, ending("3", nil), true, false, "got ok with output 3, want error:denied"},
	} {
		opt := cases.Options{NoGate: c.noGate}
		for r := range cases.Run(t.Context(), c.run, []cases.Case{c.c}, opt) {
			if r.OK != c.want || r.Reason != c.reason {
				t.Errorf("%s: %v, %q; want %v, %q", name, r.OK, r.Reason, c.want, c.reason)
			}
			if r.Stats.Fuel != 7 {
				t.Errorf("%s: the stats are lost", name)
			}
		}
	}
}

// A right outcome that comes too late is wrong.
func TestLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for took, want := range map[time.Duration]bool{1300 * time.Millisecond: true, 1301 * time.Millisecond: false} {
			late := func(context.Context, cases.Case) (*wasmjs.Result, error) {
				time.Sleep(took)
				return nil, tool.Timeout
			}
			c := cases.Case{Limits: tool.Limits{Timeout: 300 * time.Millisecond}, Expect: []cases.Outcome{"error:timeout"}}
			for r := range cases.Run(t.Context(), late, []cases.Case{c}, cases.Options{NoGate: true}) {
				if r.OK != want {
					t.Errorf("after %v: %v (%s)", took, r.OK, r.Reason)
				}
			}
		}
	})
}

// Reports come in the order of the cases, and no more than Jobs run at once.
func TestOrderAndJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		busy := func(_ context.Context, c cases.Case) (*wasmjs.Result, error) {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			time.Sleep(time.Duration(len(c.Source)) * time.Second)
			return nil, tool.Timeout
		}
		var got, want []string
		var all []cases.Case
		for id := range strings.SplitSeq("abcdefgh", "") {
			all = append(all, cases.Case{ID: id, Source: strings.Repeat("x", 9-len(all))})
			want = append(want, id)
		}
		for r := range cases.Run(t.Context(), busy, all, cases.Options{Jobs: 3}) {
			got = append(got, r.Case.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" || most.Load() != 3 {
			t.Errorf("%d at once, %s", most.Load(), diff)
		}
	})
}

// The end of the loop or of the context ends what runs, and nothing is left behind (synctest would report it).
func TestStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		hang := func(ctx context.Context, c cases.Case) (*wasmjs.Result, error) {
			if c.ID != "first" {
				<-ctx.Done()
			}
			return &wasmjs.Result{}, ctx.Err()
		}
		all := []cases.Case{{ID: "first"}, {ID: "second"}, {ID: "third"}}
		for range cases.Run(ctx, hang, all, cases.Options{Jobs: 2}) {
			break
		}
		n := 0
		for range cases.Run(ctx, hang, all, cases.Options{Jobs: 2}) {
			cancel()
			n++
		}
		if n != 1 {
			t.Errorf("%d reports", n)
		}
	})
}
