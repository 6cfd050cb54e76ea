package wasmjs

import (
	"context"
	"slices"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// CallOptions are the inputs of a call besides its input.
type CallOptions struct {
	Limits tool.Limits     // zero fields mean the defaults
	Now    time.Time       // the guest's clock at the start; zero: the engine's clock
	Seed   uint64          // of Math.random; zero: a fresh one
	Funcs  map[string]Func // host functions by operation
	Warn   func(Warning)   // called, on the call's goroutine, once for each limit of which 80 % is used; may be nil
	Log    func(Log)       // told of each line that Result.Logs gets, as it comes, on the call's goroutine; must return soon; may be nil
}

// Result is what a call came to. It belongs to the caller.
type Result struct {
	Output    []byte   // JSON text; nil when the call failed
	Logs      []Log    // the first lines written to the console, those of loading included
	LogsCut   bool     // there were more
	Unhandled []string // promise rejections that nothing handled, at most 16, each as name and message
	Stats     Stats
}

// Stats are what a call cost.
type Stats struct {
	Fuel            uint64        // units of about 10 ns; the same for the same program, input, seed and clock
	Wall            time.Duration // as the caller saw it
	PeakMemoryBytes uint64        // linear memory, the stack included
	HostCalls       int           // asynchronous requests to host functions
}

// Call runs the program's entry function once, with input (JSON text, not kept) as its argument, and returns its result
// as JSON. It stops at the end of ctx or at the first limit met. The error is a *tool.Error; the Result is there even
// then, with logs and stats.
func (p *Program) Call(ctx context.Context, input []byte, opt CallOptions) (*Result, error) {
	start := time.Now()
	result := &Result{}
	err := p.call(ctx, input, opt, start, result)
	result.Stats.Wall = time.Since(start)
	return result, err
}

func (p *Program) call(ctx context.Context, input []byte, opt CallOptions, start time.Time, result *Result) error {
	if err := opt.Limits.Validate(); err != nil {
		return err
	}
	limits := opt.Limits.WithDefaults()
	if err := checkInput(input, limits.InputBytes); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return tool.AsError(err)
	}
	e := p.engine
	if err := e.enter(); err != nil {
		return err
	}
	defer e.leave()
	im, how, err := p.image(ctx, limits, start)
	if err != nil {
		return err
	}
	in, err := e.pool.acquire(ctx, im, start.Add(limits.Timeout))
	if err != nil {
		return tool.AsError(err)
	}
	if in.image != im {
		in.attach(im)
	} else if how == StartRestored {
		how = StartWarm
	}
	e.started(how, start)
	j := p.newCall(ctx, limits, opt, start)
	j.logs = im.logs
	j.logs.lines = slices.Clip(im.logs.lines)
	j.tellLogs(0)
	in.begin(j)
	err = in.callTool(input, e.seed(opt.Seed), result)
	j.host.cancel()
	e.settle(in, err)
	if err != nil {
		return locate(err, p.source)
	}
	return nil
}

// newCall is the job of a call.
func (p *Program) newCall(ctx context.Context, limits tool.Limits, opt CallOptions, start time.Time) *job {
	now := opt.Now
	if now.IsZero() {
		now = p.engine.options.Now()
	}
	j := &job{ctx: ctx, budget: newBudget(ctx, limits, start, opt.Warn), tell: opt.Log, now: now, zone: p.zone, file: p.source.Name}
	j.host = newHostCalls(ctx, j.budget.deadline, opt.Funcs, &p.engine.running)
	return j
}

// callTool runs the entry function to its end and fills the result, whatever the end is.
func (in *instance) callTool(input []byte, seed uint64, result *Result) error {
	in.setSeed(seed)
	err := in.runTool(input)
	if err == nil {
		result.Output = in.output()
		in.job.budget.look("output", uint64(len(result.Output)), uint64(in.job.budget.limits.OutputBytes)) //nolint:gosec // both are positive
	}
	if !isStopped(err) {
		result.Unhandled = in.unhandled()
	}
	result.Stats = in.stats()
	result.Logs, result.LogsCut = in.job.logs.lines, in.job.logs.truncated
	return err
}

// runTool enters the guest, and enters it again whenever what it waits for has come.
func (in *instance) runTool(input []byte) error {
	st, err := in.write(input)
	if err == nil && st == statusDone {
		st, err = in.enter(opCall, uint32(len(input)), 0) //nolint:gosec // capped by the limits
	}
	for err == nil && st == statusWaiting {
		st, err = in.wait()
	}
	if err != nil {
		return in.stopped(err)
	}
	return in.outcome(st)
}

// wait sleeps until a host function answers or the guest's next timer is due, and lets the guest go on.
func (in *instance) wait() (status, error) {
	j := in.job
	before := time.Now()
	if !before.Before(j.budget.deadline) {
		return 0, stop{tool.Timeout}
	}
	pause := j.budget.deadline.Sub(before)
	due, hasTimer := in.timerDue()
	if hasTimer {
		pause = min(pause, max(0, due-in.elapsed()))
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case a := <-j.host.answers:
		if j.host.ctx.Err() != nil {
			return 0, j.over() // the answer may say no more than that the call is over
		}
		j.budget.waited += time.Since(before)
		j.host.reply = a.reply
		return in.enter(opSettle, a.id, boolWord(a.ok))
	case <-j.budget.done:
		return 0, stop{tool.Canceled}
	case <-timer.C:
	}
	if !hasTimer || !time.Now().Before(j.budget.deadline) {
		return 0, stop{tool.Timeout}
	}
	j.budget.waited += max(0, due-in.elapsed())
	return in.enter(opTimers, 0, 0)
}

// over is why a call ended whose context is done: its deadline, or its caller.
func (j *job) over() error {
	if time.Now().Before(j.budget.deadline) {
		return stop{tool.Canceled}
	}
	return stop{tool.Timeout}
}

func boolWord(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// maxUnhandled is how many unhandled rejections the guest keeps (guest/shim/run.h).
const maxUnhandled = 16

// unhandled reads the promise rejections that nothing handled.
func (in *instance) unhandled() []string {
	var texts []string
	for i := range min(in.shared32(sharedRejections), maxUnhandled) {
		st, err := in.enter(opUnhandled, i, 0)
		if err != nil {
			break // reading a reason ran into a limit; the call's own outcome stands
		}
		if st == statusDone {
			texts = append(texts, readReport(in.output()).summary())
		}
	}
	return texts
}

// largeGrowth is the memory from which on an instance is restored behind the caller's back: giving it back to the
// system takes about 0.1 ms a MiB, for which a call that ended at its deadline must not wait.
const largeGrowth = 1 << 20

// settle returns an instance to the pool as good as new, or closes it when the host itself failed in it.
func (e *Engine) settle(in *instance, err error) {
	in.job = nil
	if isHostFault(err) {
		e.pool.discard(in)
		return
	}
	if in.memoryBytes() < uint64(in.image.end())+largeGrowth {
		e.renew(in)
		return
	}
	e.running.Go(func() { e.renew(in) })
}

func (e *Engine) renew(in *instance) {
	in.shedStack()
	in.restore()
	e.pool.release(in)
}
