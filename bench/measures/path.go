package measures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"time"

	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

const (
	// pathCounted is over how many calls allocations are counted: so many that what goes on behind them, such as writing
	// their uses down, has its part in it.
	pathCounted = 5000
	// pathBudget is the most that is sampled: the calls of a session within a minute are capped.
	pathBudget = 20 * time.Second
)

// sandbox is the peer of the call path: the hermetic call in the middle of it.
const sandbox = "sandbox"

// callPath measures the call of a registered tool as callers make it, beside the same tool's call in the sandbox: what the
// ratio has beyond 1 is the caller, the schemas, the quota, usage and audit.
func callPath(ctx context.Context, s *Session) (results []report.Result, err error) {
	smith, err := openSmith(ctx, s.Cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, smith.close()) }()
	calls, err := smith.calls(ctx)
	if err != nil {
		return nil, err
	}
	c := newContest([]string{sandbox}, func(_ context.Context, contender string) ([]float64, error) {
		return timed(8, 1, calls[contender])
	})
	if err := s.repeat(ctx, min(s.budget(), pathBudget), c.round); err != nil {
		return nil, err
	}
	result := c.result(s.now.Name, report.Nanoseconds)
	if err := count(&result, calls); err != nil {
		return nil, err
	}
	return []report.Result{result}, nil
}

// calls registers the small tool, and returns one call of it by each way.
func (s *smith) calls(ctx context.Context) (map[string]func() error, error) {
	tested, c := programs.Slug, tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}
	text, err := request(tested.Name, tested)
	if err != nil {
		return nil, err
	}
	if _, err := s.Forge(ctx, c, text); err != nil {
		return nil, err
	}
	prepared, err := s.box.Prepare(ctx, runtime.Request{Code: tested.Source})
	if err != nil {
		return nil, err
	}
	return map[string]func() error{
		ours: func() error {
			result, err := s.Call(ctx, c, tested.Name, json.RawMessage(tested.Input))
			return expect(tested, result.Output, err)
		},
		sandbox: func() error {
			result, err := prepared.Call(ctx, runtime.Inputs{Input: []byte(tested.Input)})
			return expect(tested, result.Output, err)
		},
	}, nil
}

// expect is the error of a call that did not return what it should.
func expect(p programs.Program, output []byte, err error) error {
	if err == nil && string(output) != p.Want {
		return fmt.Errorf("%s returned %s, want %s", p.Name, output, p.Want)
	}
	return err
}

// timed makes n calls, after warm ones that do not count, and returns the nanoseconds of each.
func timed(n, warm int, call func() error) ([]float64, error) {
	nanos := make([]float64, 0, n)
	for i := range warm + n {
		begin := time.Now()
		if err := call(); err != nil {
			return nil, err
		}
		if i >= warm {
			nanos = append(nanos, float64(time.Since(begin).Nanoseconds()))
		}
	}
	return nanos, nil
}

// count enters what a call of each contender allocates.
func count(into *report.Result, calls map[string]func() error) (err error) {
	if into.Ours.Bytes, into.Ours.Allocs, err = allocated(pathCounted, calls[ours]); err != nil {
		return err
	}
	for peer, figures := range into.Peers {
		if figures.Bytes, figures.Allocs, err = allocated(pathCounted, calls[peer]); err != nil {
			return err
		}
		into.Peers[peer] = figures
	}
	return nil
}

// allocated returns what a call allocates, on the average of n, with what other goroutines do meanwhile.
func allocated(n int, call func() error) (bytes, allocs float64, err error) {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for range n {
		if err := call(); err != nil {
			return 0, 0, err
		}
	}
	goruntime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n), nil
}
