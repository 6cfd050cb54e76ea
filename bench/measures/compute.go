package measures

import (
	"context"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// compute measures programs that only compute, in contexts that peers keep.
func compute(ctx context.Context, s *Session) ([]report.Result, error) { return suite(ctx, s, s.Peers) }

// metering measures what the fuel checks cost: the same programs on our engine with and without them.
func metering(ctx context.Context, s *Session) ([]report.Result, error) {
	return suite(ctx, s, []peers.Contender{peers.Unmetered})
}

// suite runs all compute programs against the contenders, program by program and round by round, and sums them up.
func suite(ctx context.Context, s *Session, against []peers.Contender) ([]report.Result, error) {
	r, err := s.open(ctx, against)
	if err != nil {
		return nil, err
	}
	defer r.close()
	list := programs.Compute()
	contests := make([]*contest, len(list))
	for i, program := range list {
		contests[i] = newContest(r.peers, func(ctx context.Context, contender string) ([]float64, error) {
			return r.run(ctx, contender, program, 1, 0)
		})
		if err := r.load(ctx, program, peers.Kept, contests[i]); err != nil {
			return nil, err
		}
	}
	if err := s.repeat(ctx, s.budget(), roundOf(contests)); err != nil {
		return nil, err
	}
	parts := make([]report.Result, len(list))
	for i, program := range list {
		parts[i] = contests[i].result(s.now.Name+"/"+program.Name, report.Nanoseconds)
	}
	return append([]report.Result{report.Mean(s.now.Name, parts)}, parts...), nil
}

// roundOf makes one round out of a round of each contest.
func roundOf(contests []*contest) func(context.Context) error {
	return func(ctx context.Context) error {
		for _, c := range contests {
			if err := c.round(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}
