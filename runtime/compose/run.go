package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Call is the host's one call path: it calls a tool as the caller in ctx and returns its output, JSON. It owns arguments, and
// returns soon after ctx ends.
type Call func(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error)

// Options bound a run. A zero field means its default.
type Options struct {
	// Lenient leaves an argument out when its reference finds nothing, and takes a string such as $word as text. Otherwise
	// either fails the step.
	Lenient       bool
	StepTimeout   time.Duration // of each call; default 30 s
	Timeout       time.Duration // of all; default 2 min
	MaxDepth      int           // pipelines within pipelines, this one included; default 4
	MaxCalls      int           // of the outermost pipeline, with all that its steps call; default 256
	ArgumentBytes int           // of the input, and of the arguments of one step; default 1 MiB
	OutputBytes   int           // of one step; default 1 MiB
	Now           func() time.Time
}

func (o Options) withDefaults() Options {
	o.StepTimeout = orDefault(o.StepTimeout, 30*time.Second)
	o.Timeout = orDefault(o.Timeout, 2*time.Minute)
	o.MaxDepth = orDefault(o.MaxDepth, 4)
	o.MaxCalls = orDefault(o.MaxCalls, tool.DefaultLimits.HostCalls)
	o.ArgumentBytes = orDefault(o.ArgumentBytes, tool.DefaultLimits.InputBytes)
	o.OutputBytes = orDefault(o.OutputBytes, tool.DefaultLimits.OutputBytes)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// Run runs the steps in order and returns the output of the last, which the caller owns; input is not kept. The first step
// that fails ends the run: the error is a *tool.Error of the same code that names the step and its tool, with the step's own
// error as its cause. The trace is never nil.
func (p *Pipeline) Run(ctx context.Context, input json.RawMessage, call Call, opt Options) (json.RawMessage, *Trace, error) {
	r := &run{call: call, opt: opt.withDefaults(), trace: &Trace{}}
	output, err := r.all(ctx, p.steps, input)
	if err != nil {
		return nil, r.trace, err
	}
	return output, r.trace, nil
}

// run is the state of one Run.
type run struct {
	call   Call
	opt    Options
	scope  scope
	budget budget
	trace  *Trace
}

func (r *run) all(ctx context.Context, steps []step, input json.RawMessage) (json.RawMessage, error) {
	var err error
	if r.scope.input, err = r.read(input); err != nil {
		return nil, err
	}
	if ctx, r.budget, err = spend(ctx, r.opt); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.opt.Timeout, tool.Errorf(tool.Timeout, "the pipeline took longer than %s", r.opt.Timeout))
	defer cancel()
	for _, s := range steps {
		r.trace.Steps = append(r.trace.Steps, StepTrace{Name: s.Name, Tool: s.Tool})
		t := &r.trace.Steps[len(r.trace.Steps)-1]
		output, err := r.step(ctx, s, t)
		if err != nil {
			e := failure(s, err)
			t.Code = e.Code
			return nil, e
		}
		r.scope.steps = append(r.scope.steps, output)
	}
	return slices.Clone(r.scope.prev().text), nil
}

// read takes the input.
func (r *run) read(input json.RawMessage) (*value, error) {
	if len(input) > r.opt.ArgumentBytes {
		return nil, tool.Errorf(tool.InvalidInput, "the input has %d bytes: at most %d are taken", len(input), r.opt.ArgumentBytes)
	}
	v, err := newValue(input)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidInput, "the input cannot be read: %w", err)
	}
	return v, nil
}

// step runs one step, unless its condition is against it, and returns its output.
func (r *run) step(ctx context.Context, s step, t *StepTrace) (*value, error) {
	if t.Skipped = r.skips(s, t); t.Skipped {
		return null, nil
	}
	arguments := resolver{scope: &r.scope, lenient: r.opt.Lenient, most: r.opt.ArgumentBytes}
	text, err := arguments.arguments(s.arguments)
	t.note(arguments.notes...)
	t.ArgumentBytes = len(text)
	if err != nil {
		return nil, err
	}
	return r.invoke(ctx, s.Tool, text, t)
}

// skips reports whether a step has a condition that does not hold. One that cannot be evaluated does not.
func (r *run) skips(s step, t *StepTrace) bool {
	if s.condition == nil {
		return false
	}
	v, err := s.condition.eval(&r.scope)
	if err != nil {
		t.note("the condition cannot be evaluated: " + err.Error())
		return true
	}
	return !v.truthy()
}

// invoke calls a tool within the limits of a step.
func (r *run) invoke(ctx context.Context, name string, arguments []byte, t *StepTrace) (*value, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opt.StepTimeout, tool.Errorf(tool.Timeout, "it took longer than %s", r.opt.StepTimeout))
	defer cancel()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := r.budget.call(); err != nil {
		return nil, err
	}
	start := r.opt.Now()
	output, err := r.call(ctx, name, arguments)
	t.Duration = r.opt.Now().Sub(start)
	t.OutputBytes = len(output)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case len(output) > r.opt.OutputBytes:
		return nil, tool.Errorf(tool.OutputTooLarge, "its output has %d bytes: at most %d are taken", len(output), r.opt.OutputBytes)
	}
	v, err := newValue(output)
	if err != nil {
		return nil, tool.Errorf(tool.InvalidOutput, "its output cannot be read: %w", err)
	}
	return v, nil
}

// maxCauseBytes bounds what is repeated of a step's error.
const maxCauseBytes = 2048

// failure names the step and the tool of an error.
func failure(s step, err error) *tool.Error {
	e := tool.AsError(err)
	why := e.Message
	if why == "" {
		why = "unknown error"
	}
	switch {
	case e.Line > 0:
		why += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	case e.Path != "":
		why += " (at " + e.Path + ")"
	}
	return &tool.Error{
		Code: e.Code, Name: e.Name, Hint: e.Hint, Cause: err,
		Message: fmt.Sprintf("step %q, tool %q: %s", s.Name, s.Tool, strings.ToValidUTF8(why[:min(len(why), maxCauseBytes)], "")),
	}
}
