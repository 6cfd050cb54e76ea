package runtime

import (
	"context"
	"fmt"
	"time"

	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Sandbox takes a source through the static gate and, where it is TypeScript, the stripper, and runs it in the engine. It
// grants no powers: a tool computes, and reaches nothing. It is safe for concurrent use.
type Sandbox struct {
	engine   *wasmjs.Engine
	stripper *source.Stripper
}

// OpenSandbox starts an engine of its own. The caller closes the sandbox. The error is a *tool.Error.
func OpenSandbox(ctx context.Context, opt wasmjs.Options) (*Sandbox, error) {
	engine, err := wasmjs.New(ctx, opt)
	if err != nil {
		return nil, tool.AsError(err)
	}
	return &Sandbox{engine, source.NewStripper(engine)}, nil
}

// Close waits for the runs in flight and frees the engine.
func (s *Sandbox) Close() error { return s.engine.Close() }

// Compiled reports whether the engine runs as machine code. Where it cannot, an interpreter does the work, 10 to 50 times
// slower.
func (s *Sandbox) Compiled() bool { return s.engine.Stats().Compiler }

// Request is one run of a source.
type Request struct {
	File     string // its name in error positions; "" = tool.js
	Language string // "js" or "ts"; "" = as the ending of File says, else JavaScript
	Code     string
	Input    []byte      // JSON
	Limits   tool.Limits // zero fields are the defaults
	TimeZone string      // IANA name; "" = UTC
	Now      time.Time   // zero = the real time
	Seed     uint64      // of Math.random; zero = fresh
	SkipGate bool        // leave the static gate out: the sandbox holds without it
}

// Run checks the source and runs it once; loading and the call together end within the time limit. The error is a
// *tool.Error. The result is never nil: with an error it holds the stats and logs of what was run, if anything was.
func (s *Sandbox) Run(ctx context.Context, r Request) (*wasmjs.Result, error) {
	if err := r.Limits.Validate(); err != nil {
		return &wasmjs.Result{}, err
	}
	code, err := s.admit(ctx, r)
	if err != nil {
		return &wasmjs.Result{}, tool.AsError(err)
	}
	r.Code, r.Limits = code, r.Limits.WithDefaults()
	result, err := s.execute(ctx, r)
	if err == nil {
		return result, nil
	}
	e := tool.AsError(err)
	if e.Code == tool.Timeout {
		e.Message = fmt.Sprintf("timed out after %d ms", r.Limits.Timeout.Milliseconds()) // of which the call knows only its part
	}
	return result, e
}

// execute loads and calls a JavaScript source within one time limit.
func (s *Sandbox) execute(ctx context.Context, r Request) (*wasmjs.Result, error) {
	start := time.Now()
	program, err := s.engine.Load(ctx, wasmjs.Source{Name: r.File, Code: r.Code, TimeZone: r.TimeZone}, r.Limits)
	if err != nil {
		return &wasmjs.Result{}, err
	}
	limits := r.Limits
	limits.Timeout = max(limits.Timeout-time.Since(start), 1)
	return program.Call(ctx, r.Input, wasmjs.CallOptions{Limits: limits, Now: r.Now, Seed: r.Seed})
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
	_, err = source.Check(code, source.Options{MaxBytes: r.Limits.WithDefaults().SourceBytes})
	return code, err
}
