package measures

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// coldStart measures the time from the start of a process to its first result: a contender's process starts, loads the
// small tool, calls it once and answers. Ours finds its compiled code in the cache; its part "empty_cache" is the very
// first start on a machine.
func coldStart(ctx context.Context, s *Session) ([]report.Result, error) {
	contenders := map[string]peers.Contender{ours: s.Ours}
	var names []string
	for _, c := range s.Peers {
		contenders[c.Name] = c
		names = append(names, c.Name)
	}
	c := newContest(names, func(ctx context.Context, contender string) ([]float64, error) {
		return firstResult(ctx, contenders[contender], s.Cache)
	})
	if err := s.repeat(ctx, s.budget(), c.round); err != nil {
		return nil, err
	}
	empty, err := emptyCache(ctx, s)
	return []report.Result{c.result(s.now.Name, report.Nanoseconds), empty}, err
}

// emptyCache measures one start of ours with an empty cache of compiled code.
func emptyCache(ctx context.Context, s *Session) (report.Result, error) {
	result := report.Result{Measure: s.now.Name + "/empty_cache", Unit: report.Nanoseconds}
	cache, err := os.MkdirTemp("", "toolsmith-bench-")
	if err != nil {
		return result, err
	}
	defer os.RemoveAll(cache)
	samples, err := firstResult(ctx, s.Ours, cache)
	if err != nil {
		return result, err
	}
	result.Ours = report.Describe(samples)
	return result, nil
}

// firstResult starts a contender's process and returns the nanoseconds until it has answered a first call.
func firstResult(ctx context.Context, c peers.Contender, cache string) ([]float64, error) {
	begin := time.Now()
	p, err := peers.Start(ctx, c, cache)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	tool := programs.Slug
	if _, err := ask(ctx, p, peers.Request{Do: "load", Name: tool.Name, Mode: peers.Fresh, Source: tool.Source}); err != nil {
		return nil, err
	}
	reply, err := ask(ctx, p, peers.Request{Do: "run", Name: tool.Name, Input: tool.Input, N: 1, Timeout: callTimeout})
	if err != nil {
		return nil, err
	}
	if reply.Output != tool.Want {
		return nil, fmt.Errorf("%s: %s returned %s%s", c.Name, tool.Name, reply.Output, reply.Outcome)
	}
	return []float64{float64(time.Since(begin).Nanoseconds())}, nil
}
