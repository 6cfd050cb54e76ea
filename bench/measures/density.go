package measures

import (
	"context"
	"errors"
	"fmt"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// How many are held to find out what one costs.
const (
	heldInstances = 200
	heldTools     = 400
)

// density measures how many live instances, each idle after one call, fit in a GiB of resident memory; its part
// "tools" how many loaded tools that are not running. For most peers a tool at rest is but its text, so that part is
// about ours alone.
func density(ctx context.Context, s *Session) ([]report.Result, error) {
	instances, err := liveInstances(ctx, s)
	if err != nil {
		return nil, err
	}
	atRest, err := perGiB(ctx, s, s.Ours, peers.Fresh, heldTools)
	tools := report.Result{Measure: s.now.Name + "/tools", Unit: report.PerGiB, Ours: single(atRest)}
	return []report.Result{instances, tools}, err
}

// liveInstances measures all contenders, one after the other: memory does not vary with the machine's speed.
func liveInstances(ctx context.Context, s *Session) (report.Result, error) {
	result := report.Result{Measure: s.now.Name, Unit: report.PerGiB}
	mine, err := perGiB(ctx, s, s.Ours, peers.Kept, heldInstances)
	if err != nil {
		return result, err
	}
	result.Ours = single(mine)
	faults := map[string]string{}
	for _, c := range s.Peers {
		theirs, err := perGiB(ctx, s, c, peers.Kept, heldInstances)
		if err != nil {
			faults[c.Name] = err.Error()
			continue
		}
		result.Enter(c.Name, single(theirs), mine/theirs)
	}
	result.Note = missing(faults)
	return result, nil
}

// single is a figure that is one number.
func single(v float64) report.Figures { return report.Figures{P50: v, P99: v, N: 1} }

// perGiB lets a fresh process hold n and returns how many of them would fill a GiB.
func perGiB(ctx context.Context, s *Session, c peers.Contender, mode peers.Mode, n int) (float64, error) {
	p, err := peers.Start(ctx, c, s.Cache)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	hold := peers.Request{Do: "hold", Mode: mode, Source: programs.Slug.Source, Input: programs.Slug.Input, Timeout: callTimeout}
	first, err := residentAfter(ctx, p, hold, warmUp)
	if err != nil {
		return 0, err
	}
	last, err := residentAfter(ctx, p, hold, n)
	if err != nil {
		return 0, err
	}
	if last <= first {
		return 0, errors.New("its memory does not grow")
	}
	return float64(n) * (1 << 30) / float64(last-first), nil
}

// warmUp are held before the first look, so that what is there only once does not count.
const warmUp = 4

// residentAfter returns the process's resident bytes once it holds n more.
func residentAfter(ctx context.Context, p *peers.Process, hold peers.Request, n int) (uint64, error) {
	hold.N = n
	if _, err := ask(ctx, p, hold); err != nil {
		return 0, err
	}
	bytes, err := p.ResidentBytes()
	if err != nil {
		return 0, fmt.Errorf("resident memory is not known here: %w", err)
	}
	return bytes, nil
}
