package measures

import (
	"context"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// hermeticCall measures the small tool when every call begins from a clean state.
func hermeticCall(ctx context.Context, s *Session) ([]report.Result, error) {
	return calls(ctx, s, peers.Fresh, 8, 1)
}

// warmCall measures the small tool when peers keep one context for all calls. Ours knows no such calls: it makes the
// same hermetic ones.
func warmCall(ctx context.Context, s *Session) ([]report.Result, error) {
	return calls(ctx, s, peers.Kept, 16, 2)
}

// calls runs a contest in batches of n calls after warm ones.
func calls(ctx context.Context, s *Session, mode peers.Mode, n, warm int) ([]report.Result, error) {
	r, err := s.open(ctx, s.Peers)
	if err != nil {
		return nil, err
	}
	defer r.close()
	c := newContest(r.peers, func(ctx context.Context, contender string) ([]float64, error) {
		return r.run(ctx, contender, programs.Slug, n, warm)
	})
	if err := r.load(ctx, programs.Slug, mode, c); err != nil {
		return nil, err
	}
	if err := s.repeat(ctx, s.budget(), c.round); err != nil {
		return nil, err
	}
	return []report.Result{c.result(s.now.Name, report.Nanoseconds)}, nil
}
