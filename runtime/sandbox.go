package runtime

import (
	"context"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Options are what a Sandbox is made of. The zero value is right for the real world.
type Options struct {
	Engine wasmjs.Options
	Host   hostapi.Options // what powers reach the world through
}

// Sandbox takes a source through the static gate and, where it is TypeScript, the stripper, and runs it in the engine with
// the powers that the request asks for and its policy grants. It is safe for concurrent use.
type Sandbox struct {
	engine   *wasmjs.Engine
	stripper *source.Stripper
	host     *hostapi.Host
}

// OpenSandbox starts an engine of its own. The caller closes the sandbox. The error is a *tool.Error.
func OpenSandbox(ctx context.Context, opt Options) (*Sandbox, error) {
	engine, err := wasmjs.New(ctx, opt.Engine)
	if err != nil {
		return nil, tool.AsError(err)
	}
	return &Sandbox{engine, source.NewStripper(engine), hostapi.New(opt.Host)}, nil
}

// Close waits for the runs in flight and frees the engine.
func (s *Sandbox) Close() error { return s.engine.Close() }

// Stats is the state of the engine at one moment.
func (s *Sandbox) Stats() wasmjs.EngineStats { return s.engine.Stats() }

// Compiled reports whether the engine runs as machine code. Where it cannot, an interpreter does the work, 10 to 50 times
// slower.
func (s *Sandbox) Compiled() bool { return s.engine.Stats().Compiler }

// Request is one run of a source.
type Request struct {
	File     string // its name in error positions; "" = tool.js
	Language string // "js" or "ts"; "" = as the ending of File says, else JavaScript
	Code     string
	Input    []byte      // JSON
	Limits   tool.Limits // zero fields are the policy's, else the defaults; others are held to the policy's
	TimeZone string      // IANA name; "" = UTC
	Now      time.Time   // zero = the real time
	Seed     uint64      // of Math.random, and of what randomness crypto gives; zero = fresh
	SkipGate bool        // leave the static gate out: the sandbox holds without it

	Allow  []string       // the APIs that it asks for, as hostapi.Names lists them; others are absent inside
	Policy *policy.Policy // what is granted of them; not changed meanwhile; nil = nothing
}

// Result is what a run came to. It belongs to the caller.
type Result struct {
	wasmjs.Result
	Uses []hostapi.Use // what it did with its powers
}

// Run checks the source and runs it once; loading and the call together end within the time limit. The error is a
// *tool.Error. The result is never nil: with an error it holds the stats, logs and uses of what was run, if anything was.
func (s *Sandbox) Run(ctx context.Context, r Request) (*Result, error) {
	r, err := r.bounded()
	if err != nil {
		return &Result{}, err
	}
	start := time.Now()
	prepared, err := s.prepare(ctx, r)
	if err != nil {
		return &Result{}, timedOut(ctx, err, r.Limits)
	}
	limits := r.Limits
	limits.Timeout = max(limits.Timeout-time.Since(start), 1)
	result, err := prepared.call(ctx, Inputs{Input: r.Input, Limits: limits, Policy: r.Policy, Now: r.Now, Seed: r.Seed})
	return result, timedOut(ctx, err, r.Limits)
}

// bounded returns the request with a policy, and with limits that are within it and complete.
func (r Request) bounded() (Request, error) {
	if r.Policy == nil {
		r.Policy = &policy.Policy{}
	}
	r.Limits = within(r.Limits, r.Policy.Limits)
	if err := r.Limits.Validate(); err != nil {
		return r, err
	}
	r.Limits = r.Limits.WithDefaults()
	return r, nil
}

// admit returns the JavaScript of a source that passes the gate. TypeScript loses its types before the gate sees it, which
// keeps its lines.
func (s *Sandbox) admit(ctx context.Context, r Request) (string, error) {
	language, err := source.LanguageOf(r.File, r.Language)
	if err != nil {
		return "", err
	}
	code := r.Code
	if language == source.TypeScript {
		if code, err = s.stripper.Strip(ctx, code); err != nil {
			return "", err
		}
	}
	if r.SkipGate {
		return code, nil
	}
	_, err = source.Check(code, source.Options{Allow: r.Allow, MaxBytes: r.Limits.SourceBytes})
	return code, err
}
