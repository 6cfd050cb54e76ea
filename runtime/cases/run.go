package cases

import (
	"context"
	"iter"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Options say how cases are run.
type Options struct {
	Jobs   int  // cases at once; 0 = 1
	NoGate bool // the runner leaves the static gate out, which widens what is right
}

// A Runner runs one case with the powers that it asks for, which it is granted: it returns a result, or an error that has a tool.Code; the result may be there even then. It is
// called from Options.Jobs goroutines at once.
type Runner func(ctx context.Context, c Case) (*wasmjs.Result, error)

// Run runs the cases and yields a report of each, in their order. It stops early when the loop over it does or ctx ends;
// the case that was then running is not reported. No goroutine outlives the loop.
func Run(ctx context.Context, run Runner, all []Case, opt Options) iter.Seq[Report] {
	return func(yield func(Report) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()

		reports := make([]chan Report, len(all))
		for i := range reports {
			reports[i] = make(chan Report, 1)
		}
		queue := make(chan int)
		for range max(opt.Jobs, 1) {
			workers.Go(func() {
				for i := range queue {
					reports[i] <- one(ctx, run, all[i], opt)
				}
			})
		}
		workers.Go(func() { feed(ctx, queue, len(all)) })
		for i := range all {
			select {
			case r := <-reports[i]:
				if ctx.Err() != nil || !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// feed hands out the numbers below n until ctx ends, then closes the queue.
func feed(ctx context.Context, queue chan<- int, n int) {
	defer close(queue)
	for i := range n {
		select {
		case queue <- i:
		case <-ctx.Done():
			return
		}
	}
}

// one runs and judges a single case.
func one(ctx context.Context, run Runner, c Case, opt Options) Report {
	r := Report{Case: c, Outcome: OK}
	start := time.Now()
	result, err := run(ctx, c)
	r.Took = time.Since(start)
	if result != nil {
		r.Stats = result.Stats
	}
	if err != nil {
		r.Err = tool.AsError(err)
		r.Outcome = Failure(r.Err.Code)
	} else {
		r.Output = result.Output
	}
	r.judge(opt)
	return r
}
