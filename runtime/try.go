package runtime

import (
	"context"
	"strings"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Prepare makes an implementation ready to be tried under a caller's identity and rights, at the session tier, and says what
// is known of it before it runs. The function runs it once; its effects are real. The error is a *tool.Error:
// InvalidSource or InvalidRequest, for its author.
func (h *Host) Prepare(ctx context.Context, c tool.Caller, name string, impl tool.Implementation) (tool.Report, func(context.Context, tool.Trial) tool.TrialResult, error) {
	granted, err := h.opt.Policy(c)
	if err != nil {
		return tool.Report{}, nil, tool.AsError(err)
	}
	switch impl.Mode {
	case tool.SandboxMode:
		code, report, err := h.code(ctx, tool.SessionTier, impl)
		if err != nil {
			return report, nil, tool.AsError(err)
		}
		return report, func(ctx context.Context, t tool.Trial) tool.TrialResult {
			result := code.try(ctx, granted, t)
			h.admission.charge(c, result.Fuel, h.opt.Now())
			return result
		}, nil
	case tool.ComposeMode:
		made, err := h.pipeline(name, impl)
		if err != nil {
			return tool.Report{}, nil, err
		}
		report, err := h.stepsReport(ctx, c, name, impl, made.pipeline)
		if err != nil {
			return report, nil, err
		}
		return report, func(ctx context.Context, t tool.Trial) tool.TrialResult {
			began := h.opt.Now()
			out, err := made.run(ctx, &invocation{host: h, caller: c, input: t.Input, policy: granted, result: &CallResult{}})
			return tool.TrialResult{Output: out, Err: tool.AsError(err), Duration: max(h.opt.Now().Sub(began), 0)}
		}, nil
	}
	return tool.Report{}, nil, &tool.Error{
		Code: tool.InvalidRequest, Path: "/implementation/mode", Message: tool.Quote(string(impl.Mode)) + " is no mode", Hint: "compose or sandbox",
	}
}

// try runs code once.
func (b codeBody) try(ctx context.Context, granted *policy.Policy, t tool.Trial) tool.TrialResult {
	limits := within(b.limits, granted.Limits)
	limits.Fuel = lesser(t.Fuel, limits.Fuel)
	result, err := b.prepared.Call(ctx, Inputs{Input: t.Input, Limits: limits, Policy: granted, Now: t.Now, Seed: t.Seed})
	return tool.TrialResult{
		Output: result.Output, Err: tool.AsError(err), Fuel: result.Stats.Fuel, MemoryBytes: result.Stats.PeakMemoryBytes,
		Duration: result.Stats.Wall, Logs: lastLogs(result.Logs),
	}
}

// lastLogs is the end of what was written to the console, for the author of a tool.
func lastLogs(logs []wasmjs.Log) string {
	const most = 8 << 10
	var text strings.Builder
	for _, l := range logs {
		text.WriteString("console." + l.Level + ": " + l.Text + "\n")
	}
	all := text.String()
	if len(all) > most {
		all = strings.ToValidUTF8(all[len(all)-most:], "")
	}
	return all
}
