package measures

import (
	"context"
	"fmt"
	"time"

	"example.com/toolsmith/bench/peers"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/bench/stats"
)

// deadline is the timeout that hostile programs are given.
const deadline = 200 * time.Millisecond

// overrun measures by how much hostile programs outlive their deadline. Each is a part; the measure itself is about
// all that were still running then. The first deep recursion of an engine is a part of its own and no part of the sum.
// Peers are put to the test in full runs only, since many programs that they cannot stop have to be waited for.
func overrun(ctx context.Context, s *Session) ([]report.Result, error) {
	list := programs.Adversarial()
	cases := make([]hostileCase, len(list))
	for i, program := range list {
		cases[i].program = program
	}
	p, err := peers.Start(ctx, s.Ours, s.Cache)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var worst []float64 // of each run
	for i := range runs(s.Scale) {
		s.tell(float64(i) / float64(runs(s.Scale)))
		most, err := runCases(ctx, p, cases)
		if err != nil {
			return nil, err
		}
		worst = append(worst, most)
	}
	whole := sumUp(s.now.Name, cases, worst)
	if s.Scale > 1 {
		if err := enterPeers(ctx, s, cases, &whole); err != nil {
			return nil, err
		}
	}
	deep, err := firstRecursion(ctx, s)
	results := append([]report.Result{whole}, parts(s.now.Name, cases)...)
	return append(results, deep), err
}

// runs is how often the cases are run: once when quick, else three times.
func runs(scale float64) int {
	if scale <= 1 {
		return 1
	}
	return 3
}

// hostileCase is a hostile program and what became of it.
type hostileCase struct {
	program programs.Program
	over    []float64 // nanoseconds past the deadline, of the runs that it ended
	outcome string    // of the last run that ended before its deadline
}

// runCases runs every case once and returns the largest overrun.
func runCases(ctx context.Context, p *peers.Process, cases []hostileCase) (float64, error) {
	worst := 0.0
	for i := range cases {
		c := &cases[i]
		over, outcome, err := outlive(ctx, p, c.program, deadline)
		if err != nil {
			return 0, err
		}
		if over < 0 {
			c.outcome = outcome
			continue
		}
		c.over = append(c.over, over)
		worst = max(worst, over)
	}
	return worst, nil
}

// outlive runs a program once under a deadline and returns by how many nanoseconds it went past that; negative when it
// ended before.
func outlive(ctx context.Context, p *peers.Process, program programs.Program, deadline time.Duration) (over float64, outcome string, err error) {
	if _, err := ask(ctx, p, peers.Request{Do: "load", Name: program.Name, Mode: peers.Fresh, Source: program.Source}); err != nil {
		return 0, "", err
	}
	reply, err := ask(ctx, p, peers.Request{
		Do: "run", Name: program.Name, Input: program.Input, N: 1, Timeout: int(deadline.Milliseconds()),
	})
	if err != nil {
		return 0, "", err
	}
	return reply.Nanos[0] - float64(deadline.Nanoseconds()), reply.Outcome, nil
}

// sumUp describes the overruns of all cases together.
func sumUp(measure string, cases []hostileCase, worst []float64) report.Result {
	var over []float64
	early := 0
	for _, c := range cases {
		over = append(over, c.over...)
		if len(c.over) == 0 {
			early++
		}
	}
	result := report.Result{Measure: measure, Unit: report.Nanoseconds}
	if len(over) > 0 {
		result.Ours = report.Describe(over)
	}
	result.Note = fmt.Sprintf("%d programs, %d of them ended before their deadline; worst of the best run: %s",
		len(cases), early, report.Nanoseconds.Show(stats.Percentile(worst, 0)))
	return result
}

// parts describes each case that met its deadline, and notes how the others ended.
func parts(measure string, cases []hostileCase) []report.Result {
	var list []report.Result
	for _, c := range cases {
		result := report.Result{Measure: measure + "/" + c.program.Name, Unit: report.Nanoseconds}
		if len(c.over) > 0 {
			result.Ours = report.Describe(c.over)
		} else {
			result.Note = "ended by itself: " + c.outcome
		}
		list = append(list, result)
	}
	return list
}

// recursionDeadlines are where the first deep recursion is cut: growing the stack for it takes some time at its
// beginning, so the deadlines fall within that.
var recursionDeadlines = []int{1, 2, 4, 8, 16, 32} // milliseconds

// firstRecursion measures the overrun of the first deep recursion on an engine, each time in a new process that has
// served a small call before.
func firstRecursion(ctx context.Context, s *Session) (report.Result, error) {
	result := report.Result{Measure: s.now.Name + "/" + programs.DeepRecursion.Name, Unit: report.Nanoseconds}
	var over []float64
	for _, ms := range recursionDeadlines {
		one, err := recurse(ctx, s, time.Duration(ms)*time.Millisecond)
		if err != nil {
			return result, err
		}
		over = append(over, one)
	}
	result.Ours = report.Describe(over)
	result.Note = "cut at 1 to 32 ms, each time in a new process"
	return result, nil
}

// recurse returns the overrun of a first deep recursion with that deadline.
func recurse(ctx context.Context, s *Session, deadline time.Duration) (float64, error) {
	p, err := peers.Start(ctx, s.Ours, s.Cache)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if _, _, err := outlive(ctx, p, programs.Slug, callTimeout*time.Millisecond); err != nil {
		return 0, err
	}
	over, _, err := outlive(ctx, p, programs.DeepRecursion, deadline)
	return over, err
}
