package measures

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// What a peer may take beyond a deadline before its process is ended from outside.
const (
	grace       = time.Second
	memoryGuard = 2 << 30 // resident bytes
)

// resistance is how a peer stood the hostile programs.
type resistance struct {
	over      []float64 // nanoseconds past the deadline; grace for those that had to be ended from outside
	pairs     stats.Pairs
	unstopped int
}

// enterPeers lets every peer that has limits run the hostile programs and enters how it stood them.
func enterPeers(ctx context.Context, s *Session, cases []hostileCase, into *report.Result) error {
	for _, c := range s.Peers {
		if c.Unlimited {
			continue
		}
		r, err := resist(ctx, s, c, cases)
		if err != nil {
			return err
		}
		if len(r.over) == 0 {
			continue
		}
		figures := report.Describe(r.over)
		into.Enter(c.Name, report.Figures{P50: figures.P50, P99: figures.P99, Max: figures.Max}, r.pairs.Ratio())
		into.Note += fmt.Sprintf("\n  %s: %d of %d had to be ended from outside, %v after the deadline or at 2 GiB",
			c.Name, r.unstopped, len(cases), grace)
	}
	return nil
}

// resist runs each hostile program once on a peer.
func resist(ctx context.Context, s *Session, c peers.Contender, cases []hostileCase) (*resistance, error) {
	r := &resistance{}
	var p *peers.Process
	defer func() { end(p) }()
	for _, hostile := range cases {
		if p == nil {
			var err error
			if p, err = peers.Start(ctx, c, s.Cache); err != nil {
				return nil, err
			}
		}
		over, stopped := guarded(ctx, p, hostile.program)
		if !stopped {
			end(p)
			p = nil
			r.unstopped++
		}
		if over < 0 {
			continue
		}
		r.over = append(r.over, over)
		if len(hostile.over) > 0 {
			r.pairs.Add([]float64{stats.Median(hostile.over)}, []float64{over})
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return r, nil
}

// guarded runs a hostile program under its deadline. When the peer does not stop it, or grows without end, or breaks
// down, that counts as the whole grace.
func guarded(ctx context.Context, p *peers.Process, program programs.Program) (over float64, stopped bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, deadline+grace, errors.New("not stopped"))
	defer cancel()
	go guardMemory(ctx, p)
	over, _, err := outlive(ctx, p, program, deadline)
	if err != nil {
		return float64(grace.Nanoseconds()), false
	}
	return over, true
}

// guardMemory kills the process when it takes more than it may, until ctx ends.
func guardMemory(ctx context.Context, p *peers.Process) {
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if bytes, err := p.ResidentBytes(); err == nil && bytes > memoryGuard {
			p.Kill()
			tick.Stop()
			return
		}
	}
}

// end ends a process that may hang; nil is none.
func end(p *peers.Process) {
	if p != nil {
		p.Kill()
		_ = p.Close()
	}
}
