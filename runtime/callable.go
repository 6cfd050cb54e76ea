package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Face is what a caller sees of a tool.
type Face struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	SideEffects  bool            `json:"sideEffects"`
	Tags         []string        `json:"tags,omitempty"`
	// The rest is empty for a tool of the host.
	ID      string    `json:"id,omitempty"`
	Version int       `json:"version,omitempty"`
	Tier    tool.Tier `json:"tier,omitempty"`
	Mode    tool.Mode `json:"mode,omitempty"`
}

// Own reports whether a tool is its caller's own, who alone is shown what it writes to the console.
func (f Face) Own() bool { return f.Tier == tool.SessionTier || f.Tier == tool.AgentTier }

// callable is a tool made ready to be called. It does not change.
type callable struct {
	Face
	input, output *schema.Schema // output may be nil: anything
	calls         []string       // what a composed tool calls
	memory        int64          // bytes that a call may take
	body          body
}

// body does the work of a callable.
type body interface {
	run(ctx context.Context, call *invocation) (json.RawMessage, error)
}

// invocation is one call on its way.
type invocation struct {
	host   *Host
	caller tool.Caller
	input  json.RawMessage
	policy *policy.Policy
	result *CallResult // where bodies leave what they measured
	log    func(wasmjs.Log)
}

type hostBody struct{ tool Tool }

func (b hostBody) run(ctx context.Context, call *invocation) (out json.RawMessage, err error) {
	session := call.host.box.host.Begin(call.policy, 0)
	defer session.Close()
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, tool.Errorf(tool.Internal, "the tool %s panicked: %v", b.tool.Name, p)
		}
		call.result.Uses = session.Finish()
	}()
	out, err = b.tool.Run(context.WithValue(ctx, withinCall{}, call.host), &Invocation{Caller: call.caller, Input: call.input, Policy: call.policy, Powers: session})
	most := call.host.opt.Limits.WithDefaults().OutputBytes
	switch {
	case err != nil:
		return nil, tool.AsError(err)
	case len(out) > most:
		return nil, &tool.Error{Code: tool.OutputTooLarge, Message: fmt.Sprintf("the result of %s has %d bytes; at most %d are taken", b.tool.Name, len(out), most)}
	case !utf8.Valid(out):
		return nil, tool.Errorf(tool.Internal, "the tool %s returned text that is not UTF-8", b.tool.Name)
	case !json.Valid(out):
		return nil, tool.Errorf(tool.Internal, "the tool %s returned what is not JSON", b.tool.Name)
	}
	return out, nil
}

// codeBody is JavaScript or TypeScript in the sandbox.
type codeBody struct {
	prepared *Prepared
	limits   tool.Limits
}

func (b codeBody) run(ctx context.Context, call *invocation) (json.RawMessage, error) {
	limits := withinQuota(ctx, within(b.limits, call.policy.Limits))
	result, err := b.prepared.Call(ctx, Inputs{Input: call.input, Limits: limits, Policy: call.policy, Log: call.log})
	call.result.Stats, call.result.Logs, call.result.Uses = result.Stats, result.Logs, result.Uses
	return result.Output, err
}

// pipelineBody is a composed tool: its steps take the same way as any call.
type pipelineBody struct{ pipeline *compose.Pipeline }

func (b pipelineBody) run(ctx context.Context, call *invocation) (json.RawMessage, error) {
	step := func(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
		result, err := call.host.step(ctx, call.caller, name, arguments)
		if err != nil {
			return nil, withoutData(name, err)
		}
		return result.Output, nil
	}
	limits := call.host.opt.Limits.WithDefaults()
	out, trace, err := b.pipeline.Run(ctx, call.input, step, compose.Options{ArgumentBytes: limits.InputBytes, OutputBytes: limits.OutputBytes})
	call.result.Trace = trace
	return out, err
}

// withoutData leaves out of a step's mismatch what the values were: they may come from another step, and the error goes to
// whoever calls the pipeline.
func withoutData(name string, err error) error {
	found, ok := errors.AsType[schema.Mismatches](err)
	if !ok || len(found) == 0 {
		return err
	}
	e := *tool.AsError(err)
	what := "input"
	if e.Code == tool.InvalidOutput {
		what = "output"
	}
	e.Message = fmt.Sprintf("the %s of %s breaks its schema at %s", what, name, found[0].Keyword)
	return &e
}

// code makes a sandboxed implementation ready, and says what the gate found in it.
func (h *Host) code(ctx context.Context, tier tool.Tier, impl tool.Implementation) (codeBody, tool.Report, error) {
	limits, err := h.limits(tier, impl)
	if err != nil {
		return codeBody{}, tool.Report{}, err
	}
	request := Request{Language: impl.Language, Code: impl.Code, Allow: impl.Allowlist, Limits: limits}
	report, err := h.box.inspect(ctx, request)
	if err != nil {
		return codeBody{}, tool.Report{}, err
	}
	prepared, err := h.box.Prepare(ctx, request)
	if err != nil {
		return codeBody{}, tool.Report{}, err
	}
	return codeBody{prepared, limits}, reportOf(report), nil
}

// inspect returns what the static gate finds in a source that passes it.
func (s *Sandbox) inspect(ctx context.Context, r Request) (*source.Report, error) {
	r, err := r.bounded()
	if err != nil {
		return nil, err
	}
	r.SkipGate = true
	code, err := s.admit(ctx, r)
	if err != nil {
		return nil, err
	}
	return source.Check(code, source.Options{Allow: r.Allow, MaxBytes: r.Limits.SourceBytes})
}

// factFlags are the flags that facts of the gate raise.
var factFlags = map[source.FactKind]tool.Flag{source.FactRandom: tool.FlagNondeterministic, source.FactClock: tool.FlagReadsClock}

func reportOf(found *source.Report) tool.Report {
	report := tool.Report{Uses: found.Uses, Unused: found.Unused, SideEffects: slices.Contains(found.Uses, source.Fetch)}
	for _, fact := range found.Facts {
		if flag := factFlags[fact.Kind]; flag != "" && !slices.Contains(report.Flags, flag) {
			report.Flags = append(report.Flags, flag)
		}
		report.Notes = append(report.Notes, fmt.Sprintf("line %d, column %d: %s", fact.Line, fact.Column, fact.Message))
	}
	if len(found.Unused) > 0 {
		report.Flags = append(report.Flags, tool.FlagUnusedCapability)
	}
	return report
}

// limits are those of an implementation in a tier: what it asks for, as far as the tier lets it.
func (h *Host) limits(tier tool.Tier, impl tool.Implementation) (tool.Limits, error) {
	most := h.opt.Limits
	if tier == tool.SessionTier {
		most = within(h.opt.SessionLimits, most)
	}
	asked, err := impl.Limits()
	if err != nil {
		return tool.Limits{}, err
	}
	return within(asked, most).WithDefaults(), nil
}
