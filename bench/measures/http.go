package measures

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/toolsmith/bench/load"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// overHTTP measures a host that is served over HTTP: what it does under loads up to and past its capacity, with a tool that
// computes and with the small one; what a tenant feels of a noisy one; and what a call costs beside one within the process.
func overHTTP(ctx context.Context, s *Session) (results []report.Result, err error) {
	at, err := openServer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, at.close()) }()
	for name, code := range map[string]string{"worker": programs.Worker.Source, "slug": programs.Slug.Source, "noise": programs.Noise.Source} {
		if err := at.forge(ctx, name, code); err != nil {
			return nil, err
		}
	}
	for _, part := range []func() (report.Result, error){
		func() (report.Result, error) {
			return s.curve(ctx, s.now.Name, at, at.calls("worker", programs.Worker))
		},
		func() (report.Result, error) {
			return s.curve(ctx, s.now.Name+"_small", at, at.calls("slug", programs.Slug))
		},
		func() (report.Result, error) { return s.neighbour(ctx, s.now.Name+"_neighbour", at) },
		func() (report.Result, error) { return s.beside(ctx, s.now.Name+"_call", at) },
	} {
		result, err := part()
		if err != nil {
			return results, err
		}
		results = append(results, result)
		s.tell(float64(len(results)) / 4)
	}
	return results, nil
}

// Loads of a curve.
var (
	crowds = []int{1, 2, 4, 8, 16, 32, 64}
	shares = []float64{0.25, 0.5, 0.75, 1, 1.5, 2, 2, 2} // of the capacity
)

// connections are more than a server answers at once.
const connections = 600

// loadTime is how long each load is put on.
func (s *Session) loadTime() time.Duration {
	const quick = 300 * time.Millisecond
	return time.Duration(s.Scale * float64(quick))
}

// curve puts growing loads on a server: clients first, as many as find its capacity, and then shares of that, which is measured
// anew before each of them: a machine that is shared changes its speed.
func (s *Session) curve(ctx context.Context, measure string, at *server, to load.Target) (report.Result, error) {
	during := s.loadTime()
	result := report.Result{Measure: measure, Unit: report.CallsPerSecond}
	best, crowd := 0.0, 0
	closed := func(clients int) report.Load {
		return at.under(fmt.Sprintf("%d clients", clients), 0, func() *load.Tally { return load.Closed(ctx, to, clients, during) })
	}
	closed(crowds[0]) // warms
	for _, clients := range crowds {
		row := closed(clients)
		result.Load = append(result.Load, row)
		if row.Served > best {
			best, crowd = row.Served, clients
		}
	}
	if best == 0 {
		return result, fmt.Errorf("%s: nothing is served: %s", measure, result.Load[0].Complaint)
	}
	clients := load.Dial(ctx, to.Address, connections)
	defer load.Hang(clients)
	var peaks, kept, refusals []float64
	for i, share := range shares {
		peak := closed(crowd).Served
		offered := share * peak
		arrivals := load.Arrivals(offered, during, uint64(i))
		row := at.under(fmt.Sprintf("%.2f of capacity", share), offered, func() *load.Tally { return load.Open(ctx, to, clients, arrivals) })
		result.Load, peaks = append(result.Load, row), append(peaks, peak)
		if share == 2 {
			kept, refusals = append(kept, row.Served/peak), append(refusals, row.RefusedP95)
		}
	}
	result.Ours = report.Describe(peaks)
	result.Note = fmt.Sprintf("at twice the capacity, %.0f %% of it is served (wanted 90 %%), and refusals take %s at p95 (wanted 5 ms): medians of %d",
		100*stats.Median(kept), took(stats.Median(refusals)), len(kept))
	return result, ctx.Err()
}

// took shows how long refusals took; 0 is that there were none.
func took(nanoseconds float64) string {
	if nanoseconds == 0 {
		return "no time, since there are none,"
	}
	return report.Nanoseconds.Show(nanoseconds)
}

// under puts a load on the server and describes what came of it.
func (s *server) under(name string, offered float64, run func() *load.Tally) report.Load {
	before := s.cpu()
	tally := run()
	row := report.DescribeLoad(name, offered, tally)
	if answers := tally.Served.N() + tally.Refused.N(); answers > 0 {
		row.CPU = float64((s.cpu() - before).Nanoseconds()) / float64(answers)
	}
	return row
}
