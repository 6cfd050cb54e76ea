package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// CallResult is what a call came to. It belongs to the caller.
type CallResult struct {
	Output   json.RawMessage
	Tool     Face
	Duration time.Duration
	Reuse    tool.ReuseVerdict // of a forged tool whose output was looked at
	Stats    wasmjs.Stats      // of a sandboxed tool
	Uses     []hostapi.Use     // what it did with its powers; for the operator
	Logs     []wasmjs.Log      // what it wrote to the console; for its author, never for whoever calls a tool of others
	Trace    *compose.Trace    // of a composed tool
}

// Call calls a tool by name. The input is JSON and is not kept. The error is a *tool.Error; the result is never nil, and holds
// with an error what was measured. A call that a tool of the host makes with the context it was given is part of its own.
func (h *Host) Call(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (*CallResult, error) {
	if err := c.Validate(); err != nil {
		return &CallResult{}, err
	}
	if ctx.Value(withinCall{}) == h {
		return h.step(ctx, c, name, input)
	}
	memory := h.mayTake(c, name)
	place, err := h.admission.enter(ctx, c, memory, h.opt.Now())
	if err != nil {
		return h.refused(ctx, c, name, err)
	}
	var fuel uint64
	defer func() { h.admission.leave(place, fuel, h.opt.Now()) }()
	if place.memory < memory {
		ctx = context.WithValue(ctx, memoryKey{}, place.memory)
	}
	result, err := h.call(ctx, c, name, input)
	fuel = result.Stats.Fuel
	return result, err
}

// step is a call within another, which has been admitted.
func (h *Host) step(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (*CallResult, error) {
	result, err := h.call(ctx, c, name, input)
	if result.Stats.Fuel > 0 {
		h.admission.charge(c, result.Stats.Fuel, h.opt.Now())
	}
	return result, err
}

// memoryKey is the key under which a context has the most memory that code may take, where a quota gives it less than its own
// limits do. Steps of a composed tool are bound by it, too.
type memoryKey struct{}

// withinQuota holds the limits of a call to what the quota leaves it.
func withinQuota(ctx context.Context, limits tool.Limits) tool.Limits {
	if most, less := ctx.Value(memoryKey{}).(int64); less {
		limits.MemoryBytes = min(limits.MemoryBytes, uint64(most)) //nolint:gosec // above zero
	}
	return limits
}

// mayTake is how much memory a call of a name may take, in bytes: the most that any may where the tool is not ready yet.
func (h *Host) mayTake(c tool.Caller, name string) int64 {
	if h.tools.get(name) != nil {
		return 0
	}
	if t, _ := h.table.get(seat{c, name}); t != nil {
		return t.memory
	}
	return h.mostMemory()
}

func (h *Host) mostMemory() int64 {
	return int64(h.opt.Limits.WithDefaults().MemoryBytes) //nolint:gosec // at most 1 GiB
}

// refused is the outcome of a call that was not let in, which is observed, too.
func (h *Host) refused(ctx context.Context, c tool.Caller, name string, err error) (*CallResult, error) {
	result := &CallResult{}
	if h.opt.Observe != nil {
		_, ended := h.opt.Observe(ctx, c, name)
		ended(result, err)
	}
	return result, err
}

// withinCall is the key under which a context names the host in whose call it is.
type withinCall struct{}

// call is the one way to a tool, which is observed.
func (h *Host) call(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (*CallResult, error) {
	if h.opt.Observe == nil {
		return h.run(ctx, c, name, input)
	}
	within, ended := h.opt.Observe(ctx, c, name)
	result, err := h.run(within, c, name, input)
	ended(result, err)
	return result, err
}

// run takes a call to the tool's body and back: caller, state, input schema, run, output schema, usage.
func (h *Host) run(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (*CallResult, error) {
	result := &CallResult{}
	t, err := h.resolve(ctx, c, name)
	if err != nil {
		return result, tool.AsError(err)
	}
	result.Tool = t.Face
	granted, err := h.opt.Policy(c)
	if err == nil {
		err = h.fits(t, input)
	}
	if err == nil && t.ID != "" {
		err = h.opt.Shelf.Counts(ctx) // what cannot be counted does not run
	}
	if err != nil {
		return result, tool.AsError(err)
	}
	began := h.opt.Now()
	within, log := logsOf(ctx, t.Face)
	out, err := t.body.run(within, &invocation{host: h, caller: c, input: input, policy: granted, result: result, log: log})
	result.Duration = max(h.opt.Now().Sub(began), 0)
	var shape uint64
	if err == nil {
		shape, err = t.reuse(out, &result.Reuse)
	}
	if err == nil {
		result.Output = out
	}
	if t.ID != "" {
		err = errors.Join(err, h.account(ctx, c, t, shape, result, err))
	}
	if len(result.Uses) > 0 {
		err = errors.Join(err, h.tellDenials(ctx, c, t, result.Uses))
	}
	if err != nil {
		result.Output = nil
		return result, tool.AsError(err)
	}
	return result, nil
}

// fits checks an input.
func (h *Host) fits(t *callable, input json.RawMessage) error {
	if most := h.opt.Limits.WithDefaults().InputBytes; len(input) > most {
		return &tool.Error{Code: tool.InvalidInput, Message: fmt.Sprintf("the input has %d bytes; at most %d are taken", len(input), most), Hint: "give it less at once"}
	}
	err := t.input.Validate(input)
	if err == nil {
		return nil
	}
	e := *tool.AsError(err).Hinted()
	e.Message = "the input of " + t.Name + ": " + e.Message
	return &e
}

// reuse checks an output against what the tool promises, and returns its shape.
func (t *callable) reuse(out json.RawMessage, verdict *tool.ReuseVerdict) (shape uint64, err error) {
	verdict.Valid = true
	if t.output == nil {
		return 0, nil
	}
	value, err := schema.Decode(out)
	if err == nil {
		err = t.output.ValidateValue(value)
	}
	if err == nil {
		return value.Shape(), nil
	}
	verdict.Valid = false
	e := *tool.AsError(err)
	if mismatches, ok := errors.AsType[schema.Mismatches](err); ok {
		for _, m := range mismatches {
			verdict.SchemaErrors = append(verdict.SchemaErrors, m.Path+": "+m.Message)
		}
	}
	if e.Code == tool.InvalidInput {
		e.Code = tool.InvalidOutput
	}
	e.Message = "output schema validation failed for " + t.Name + ": " + e.Message
	e.Hint = "the tool breaks what it promises; its author can forge a next version"
	return 0, &e
}

// account counts a use, and looks for drift. A call that failed for its caller's own reasons is none of the tool's.
func (h *Host) account(ctx context.Context, c tool.Caller, t *callable, shape uint64, result *CallResult, failure error) error {
	if failure != nil && !slices.Contains(ownFaults, tool.AsError(failure).Code) {
		return nil
	}
	h.drift.look(c.Tenant, t.ID, shape, result, failure)
	use := tool.Use{Success: failure == nil, Duration: result.Duration, At: h.opt.Now()}
	ctx = context.WithoutCancel(ctx) // the use has happened
	if err := h.opt.Shelf.RecordUse(ctx, c.Tenant, t.ID, use); err != nil {
		if errors.Is(err, tool.NotFound) {
			return nil // it was removed meanwhile
		}
		return err
	}
	if err := h.opt.Shelf.Touch(ctx, c); err != nil {
		return err
	}
	if failure == nil && t.Tier == tool.SessionTier {
		h.opt.Used(c, t.ID)
	}
	return nil
}

// ownFaults are the failures that say something of the tool, and not of its caller, the policy or the host.
var ownFaults = []tool.Code{
	tool.GuestError, tool.Timeout, tool.OutOfFuel, tool.OutOfMemory, tool.StackOverflow, tool.Unsettled,
	tool.InvalidOutput, tool.OutputTooLarge, tool.InvalidSource, tool.Limit,
}
