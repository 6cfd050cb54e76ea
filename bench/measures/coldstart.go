package measures

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// coldStart measures the time from the start of a process to its first result: a contender's process starts, loads the
// small tool, calls it once and answers. Ours finds its compiled code in the cache. Parts of it are ours alone:
// "empty_cache" is the very first start on a machine, "host_run" a whole `host run` with its compiled code in the cache.
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
	dir, err := os.MkdirTemp("", "toolsmith-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	result := c.result(s.now.Name, report.Nanoseconds)
	empty, err := emptyCache(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	h, err := buildHost(ctx, dir)
	if err != nil { // no Go here, perhaps
		result.Note = strings.TrimPrefix(result.Note+"; ", "; ") + "host_run is missing: " + err.Error()
		return []report.Result{result, empty}, nil
	}
	whole, err := hostRun(ctx, s, h)
	return []report.Result{result, empty, whole}, err
}

// emptyCache measures one start of ours with no compiled code in the folder.
func emptyCache(ctx context.Context, s *Session, dir string) (report.Result, error) {
	result := report.Result{Measure: s.now.Name + "/empty_cache", Unit: report.Nanoseconds}
	samples, err := firstResult(ctx, s.Ours, dir)
	if err != nil {
		return result, err
	}
	result.Ours = report.Describe(samples)
	return result, nil
}

// hostRun measures whole runs of the host command; the first fills the cache and does not count.
func hostRun(ctx context.Context, s *Session, h *host) (report.Result, error) {
	result := report.Result{Measure: s.now.Name + "/host_run", Unit: report.Nanoseconds}
	if _, err := h.run(ctx); err != nil {
		return result, err
	}
	var samples []float64
	err := s.repeat(ctx, s.budget()/2, func(ctx context.Context) error {
		took, err := h.run(ctx)
		samples = append(samples, took)
		return err
	})
	result.Ours = report.Describe(samples)
	return result, err
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
