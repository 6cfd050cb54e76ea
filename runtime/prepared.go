package runtime

import (
	"context"
	"fmt"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Prepared is a source that was let through the gate and loaded. It is safe for concurrent use and needs no closing.
type Prepared struct {
	box     *Sandbox
	program *wasmjs.Program
	powers  bool // it asks for an API
}

// Inputs are what one call of a Prepared depends on.
type Inputs struct {
	Input  []byte         // JSON
	Limits tool.Limits    // zero fields are the defaults
	Policy *policy.Policy // what is granted of the APIs it asks for; not changed meanwhile; nil = nothing
	Now    time.Time      // zero = the real time
	Seed   uint64         // of its randomness; zero = fresh

	Log func(wasmjs.Log) // told of what it writes to the console, as it comes; must return soon; nil = nobody
}

// Prepare checks and loads a source, within the request's time limit. The error is a *tool.Error.
func (s *Sandbox) Prepare(ctx context.Context, r Request) (*Prepared, error) {
	r, err := r.bounded()
	if err != nil {
		return nil, err
	}
	prepared, err := s.prepare(ctx, r)
	return prepared, timedOut(ctx, err, r.Limits)
}

func (s *Sandbox) prepare(ctx context.Context, r Request) (*Prepared, error) {
	apis, err := hostapi.APIs(r.Allow)
	if err == nil {
		r.Code, err = s.admit(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	program, err := s.engine.Load(ctx, wasmjs.Source{Name: r.File, Code: r.Code, TimeZone: r.TimeZone, APIs: apis}, r.Limits)
	if err != nil {
		return nil, err
	}
	return &Prepared{s, program, len(apis) > 0}, nil
}

// Call runs the entry function once. The error is a *tool.Error; the result is never nil.
func (p *Prepared) Call(ctx context.Context, in Inputs) (*Result, error) {
	result, err := p.call(ctx, in)
	return result, timedOut(ctx, err, in.Limits.WithDefaults())
}

func (p *Prepared) call(ctx context.Context, in Inputs) (*Result, error) {
	opt := wasmjs.CallOptions{Limits: in.Limits, Now: in.Now, Seed: in.Seed, Log: in.Log}
	if !p.powers {
		result, err := p.program.Call(ctx, in.Input, opt)
		return &Result{Result: *result}, err
	}
	session := p.box.host.Begin(in.Policy, in.Seed)
	defer session.Close()
	opt.Funcs = session.Funcs()
	result, err := p.program.Call(ctx, in.Input, opt)
	return &Result{*result, session.Finish()}, err
}

// timedOut makes an error a *tool.Error, and one about time speak of the whole limit: a call knows only its part.
func timedOut(ctx context.Context, err error, limits tool.Limits) error {
	if err == nil {
		return nil
	}
	e := tool.AsError(err)
	if e.Code == tool.Timeout && ctx.Err() == nil { // the limit, not the caller's own deadline
		e.Message = fmt.Sprintf("timed out after %d ms", limits.Timeout.Milliseconds())
	}
	return e
}
