package forge

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// Sandbox tries implementations that are not registered.
type Sandbox interface {
	// Prepare checks an implementation for a caller and says what is known of it before it runs; the function runs it once.
	Prepare(ctx context.Context, c tool.Caller, name string, impl tool.Implementation) (tool.Report, func(context.Context, tool.Trial) tool.TrialResult, error)
	// Reserved reports whether a name belongs to the host.
	Reserved(name string) bool
	// Similar returns the tools that a caller may call and that are at least so much like a candidate, the most alike first; the
	// one whose place the candidate would take is not among them.
	Similar(ctx context.Context, c tool.Caller, candidate tool.Candidate, least float64) ([]search.Similar, error)
}

// Judge reviews. Whatever goes wrong is a verdict that does not approve; the error is the context's end.
type Judge interface {
	Review(ctx context.Context, by tool.Actor, c tool.Candidate) (tool.CreationVerdict, error)
}

// Shelf keeps what was forged. What it acknowledges is on disk.
type Shelf interface {
	Purse
	// NameIsFree returns the id of the caller's own tool of that name; "" when there is none.
	NameIsFree(ctx context.Context, c tool.Caller, name string) (older string, err error)
	// NotBarred refuses what is suspended.
	NotBarred(ctx context.Context, c tool.Caller, sourceHash string) error
	Attempt(ctx context.Context, by tool.Actor, data any) (int, error)
	Put(ctx context.Context, by tool.Actor, d tool.Draft) (*tool.Record, error)
	Log(ctx context.Context, by tool.Actor, toolID string, kind tool.EventType, data any) error
}

// Options say what may be forged. The zero value refuses everything.
type Options struct {
	Enabled      bool // else every request is refused
	AllowSandbox bool // else only compositions are forged
	MinTestCases int  // 0 is 2

	// AllowDuplicates lets requests pass that repeat a tool which their author could call. Otherwise DuplicateThreshold is how
	// alike the two must be for a refusal, up to 1, which is the same implementation; 0 is 0.92.
	AllowDuplicates    bool
	DuplicateThreshold float64

	// KeepFailing lets the judge see candidates whose tests fail. They are refused before it otherwise.
	KeepFailing bool
	TestTime    time.Duration // for everything that is run of one request; 0 is 30 s

	Watch  func(Event) // told what becomes of requests, one goroutine per request; must return soon; nil: nobody
	Now    func() time.Time
	Random io.Reader // of the seeds of trials; nil is crypto/rand
}

// Forge takes requests through the gates.
type Forge struct {
	opt     Options
	sandbox Sandbox
	judge   Judge
	shelf   Shelf
	told    tool.Told[overrun] // of requests that were no attempt any more
}

// New makes a forge of the rooms it works with.
func New(sandbox Sandbox, judge Judge, shelf Shelf, opt Options) *Forge {
	if opt.MinTestCases <= 0 {
		opt.MinTestCases = 2
	}
	if opt.DuplicateThreshold <= 0 {
		opt.DuplicateThreshold = duplicateThreshold
	}
	if opt.TestTime <= 0 {
		opt.TestTime = 30 * time.Second
	}
	if opt.Watch == nil {
		opt.Watch = func(Event) {}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	return &Forge{opt: opt, sandbox: sandbox, judge: judge, shelf: shelf}
}

// Forge reads a request, in JSON as models write it, and takes it through all gates. The result is never nil; with an error it
// says what each stage found until then. A tool that it returns is registered and on disk, as are all audit entries.
func (f *Forge) Forge(ctx context.Context, by tool.Actor, arguments []byte) (*Result, error) {
	job := &job{forge: f, by: by, result: &Result{}}
	return job.done(ctx, job.run(ctx, func() error { return job.read(arguments) }))
}

// done ends a job.
func (j *job) done(ctx context.Context, err error) (*Result, error) {
	if err != nil {
		err = j.refused(ctx, err)
	}
	return j.result, err
}

// job is one request on its way.
type job struct {
	forge     *Forge
	by        tool.Actor
	request   *Request
	candidate tool.Candidate
	origin    *tool.Import // nil unless it comes from a package
	try       func(context.Context, tool.Trial) tool.TrialResult
	result    *Result
}

// run takes a request from stage to stage. Each stage sets itself as where the job is, and ends it with an error.
func (j *job) run(ctx context.Context, read func() error) error {
	for _, stage := range []func(context.Context) error{
		j.enabled,
		func(ctx context.Context) error { return j.attempt(ctx, read) },
		j.nameIsFree,
		j.permitted,
		j.check,
		j.notBarred,
		j.unlike,
	} {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	j.tell(Event{Kind: Started})
	order := []func(context.Context) error{j.test, j.review}
	if j.candidate.Implementation.Mode == tool.ComposeMode && j.candidate.Report.SideEffects {
		order = []func(context.Context) error{j.review, j.test} // tests with effects are for what was approved
	}
	for _, stage := range append(order, j.register) {
		if err := stage(ctx); err != nil {
			return err
		}
	}
	return nil
}
