package measures

import (
	"context"
	"fmt"
	goruntime "runtime"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

// sliceMillis is how long one contender makes calls before it is the next one's turn.
const sliceMillis = 100

// throughput counts hermetic calls per second from 1, 2, 4 … goroutines, up to one for each core; each is a part, and
// the last the measure itself. Peers with one thread only take part in the first.
func throughput(ctx context.Context, s *Session) ([]report.Result, error) {
	counts := workerCounts(goruntime.NumCPU())
	budget := s.budget() / time.Duration(len(counts))
	var parts []report.Result
	for _, workers := range counts {
		part, err := pace(ctx, s, budget, workers)
		if err != nil {
			return nil, err
		}
		part.Measure = fmt.Sprintf("%s/%d", s.now.Name, workers)
		parts = append(parts, part)
	}
	whole := parts[len(parts)-1]
	whole.Measure = s.now.Name
	return append([]report.Result{whole}, parts...), nil
}

// workerCounts returns the powers of two below the number of cores, and that number.
func workerCounts(cores int) []int {
	var counts []int
	for n := 1; n < cores; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, cores)
}

// pace counts calls per second, slice by slice, with so many goroutines.
func pace(ctx context.Context, s *Session, budget time.Duration, workers int) (report.Result, error) {
	r, err := s.open(ctx, able(s.Peers, workers))
	if err != nil {
		return report.Result{}, err
	}
	defer r.close()
	spin := peers.Request{
		Do: "spin", Name: programs.Slug.Name, Input: programs.Slug.Input,
		Workers: workers, Millis: sliceMillis, Timeout: callTimeout,
	}
	c := newContest(r.peers, func(ctx context.Context, contender string) ([]float64, error) {
		reply, err := r.ask(ctx, contender, spin)
		if err != nil {
			return nil, err
		}
		return []float64{float64(reply.Calls) * 1000 / sliceMillis}, nil
	})
	if err := r.load(ctx, programs.Slug, peers.Fresh, c); err != nil {
		return report.Result{}, err
	}
	if err := s.repeat(ctx, budget, c.round); err != nil {
		return report.Result{}, err
	}
	return c.result(s.now.Name, report.CallsPerSecond), nil
}

// able returns the peers that can use so many threads.
func able(list []peers.Contender, workers int) []peers.Contender {
	var able []peers.Contender
	for _, c := range list {
		if workers == 1 || !c.SingleThread {
			able = append(able, c)
		}
	}
	return able
}
