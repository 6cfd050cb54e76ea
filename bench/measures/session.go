package measures

import (
	"context"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/report"
)

// Session is one run of the benchmarks.
type Session struct {
	Ours  peers.Contender   // all others are compared with it
	Peers []peers.Contender // those that turned out to be absent are left out by Prepare
	Cache string            // folder for what is built or fetched once
	Scale float64           // by which the budgets of a quick run are multiplied
	// Progress is told, now and then, which measure runs and what share of the whole run is done; not nil.
	Progress func(measure string, share float64)

	now   Measure       // being taken
	done  time.Duration // budgets of the measures that are over
	sum   time.Duration // budgets of all
	shown float64       // share that was told last
}

// Prepare starts every contender once, which builds and installs what is missing, and tells who is there.
func (s *Session) Prepare(ctx context.Context) ([]report.Contender, error) {
	ours, err := introduce(ctx, s.Ours, s.Cache)
	if err != nil {
		return nil, err
	}
	list := []report.Contender{ours}
	present := s.Peers[:0:0]
	for _, c := range s.Peers {
		entry, err := introduce(ctx, c, s.Cache)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			entry.Absent = err.Error()
		} else {
			present = append(present, c)
		}
		list = append(list, entry)
	}
	s.Peers = present
	return list, nil
}

// introduce starts a contender and asks who it is.
func introduce(ctx context.Context, c peers.Contender, cache string) (report.Contender, error) {
	entry := report.Contender{Name: c.Name, What: c.What}
	process, err := peers.Start(ctx, c, cache)
	if err != nil {
		return entry, err
	}
	entry.Version = process.Version
	return entry, process.Close()
}

// Take takes the measures into the report. A measure that fails is noted there, and the next one is taken.
func (s *Session) Take(ctx context.Context, list []Measure, into *report.Report) error {
	into.Failed = map[string]string{}
	for _, m := range list {
		s.sum += m.Budget
	}
	for _, m := range list {
		s.now = m
		s.tell(0)
		results, err := m.take(ctx, s)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			into.Failed[m.Name] = err.Error()
		}
		into.Results = append(into.Results, results...)
		s.done += m.Budget
	}
	s.Progress("done", 1)
	return nil
}

// tell reports how much of the run is done when so much of the current measure is. It never goes back.
func (s *Session) tell(share float64) {
	whole := (float64(s.done) + min(1, share)*float64(s.now.Budget)) / float64(s.sum)
	s.shown = max(s.shown, whole)
	s.Progress(s.now.Name, s.shown)
}

// budget is how long the current measure may sample.
func (s *Session) budget() time.Duration { return time.Duration(s.Scale * float64(s.now.Budget)) }

// repeat calls round until the budget is spent, at least once.
func (s *Session) repeat(ctx context.Context, budget time.Duration, round func(context.Context) error) error {
	begin := time.Now()
	for spent := time.Duration(0); spent == 0 || spent < budget; spent = time.Since(begin) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := round(ctx); err != nil {
			return err
		}
		s.tell(float64(time.Since(begin)) / float64(s.budget()))
	}
	return nil
}

// sample times one call after the other until the budget is spent, and returns the nanoseconds of each.
func (s *Session) sample(ctx context.Context, budget time.Duration, call func() error) (samples []float64, err error) {
	err = s.repeat(ctx, budget, func(context.Context) error {
		took, err := timed(1, 0, call)
		samples = append(samples, took...)
		return err
	})
	return samples, err
}
