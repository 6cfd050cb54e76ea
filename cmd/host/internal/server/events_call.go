package server

import (
	"context"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// callEvent tells that a call begins or has ended. Of one that fails, the outcome is the code of its error.
type callEvent struct {
	Kind       string    `json:"kind"` // started or ended
	Call       uint64    `json:"call"` // tells the calls of a server apart
	Persona    string    `json:"persona"`
	Session    string    `json:"session"`
	Tool       string    `json:"tool"`
	Tier       tool.Tier `json:"tier,omitempty"`
	Outcome    string    `json:"outcome,omitempty"`
	DurationMs float64   `json:"durationMs,omitempty"`
	Missed     int       `json:"missed,omitempty"` // events of calls before this one, which the client was too slow for
}

// stageKind is the kind of a forge event that tells of a stage.
const stageKind forge.EventKind = "stage"

// Observe lets a host with these options tell of its calls, and of the stages that forging comes to, as long as anybody listens. Who
// was told before is told still.
func (e *Events) Observe(opt *toolsmith.Options) {
	call, forging := opt.Observer.Call, opt.Observer.Forge
	if call == nil {
		call = func(ctx context.Context, _ tool.Caller, _ string) (context.Context, func(*runtime.CallResult, error)) {
			return ctx, func(*runtime.CallResult, error) {}
		}
	}
	if forging == nil {
		forging = func(ctx context.Context, _ tool.Caller) (context.Context, func(*forge.Result, error)) {
			return ctx, func(*forge.Result, error) {}
		}
	}
	opt.Observer.Call = func(ctx context.Context, c tool.Caller, name string) (context.Context, func(*runtime.CallResult, error)) {
		within, ended := call(ctx, c, name)
		if !e.heard.Load() {
			return within, ended
		}
		return within, e.watch(c, name, ended)
	}
	opt.Observer.Forge = func(ctx context.Context, c tool.Caller) (context.Context, func(*forge.Result, error)) {
		within, ended := forging(ctx, c)
		if e.heard.Load() {
			within = forge.WithStages(within, func(name string, stage forge.Stage) {
				e.tellForge(c, forgeEvent{Kind: stageKind, Persona: c.Persona, Session: c.Session, Name: name, Stage: stage})
			})
		}
		return within, ended
	}
}

// watch tells that a call begins; what it returns tells that it has ended, and goes on to who was told before.
func (e *Events) watch(c tool.Caller, name string, next func(*runtime.CallResult, error)) func(*runtime.CallResult, error) {
	if len(name) > tool.MaxNameBytes {
		name = name[:tool.MaxNameBytes]
	}
	told := callEvent{Kind: "started", Call: e.calls.Add(1), Persona: c.Persona, Session: c.Session, Tool: name}
	e.tellCall(c, told)
	return func(r *runtime.CallResult, err error) {
		next(r, err)
		told.Kind, told.Tier, told.Outcome, told.DurationMs = "ended", r.Tool.Tier, "ok", tool.Millis(r.Duration)
		if err != nil {
			told.Outcome = string(tool.AsError(err).Code)
		}
		e.tellCall(c, told)
	}
}

// tellCall tells of a call. Who is slow hears of fewer.
func (e *Events) tellCall(c tool.Caller, of callEvent) {
	e.tell(c.Tenant, c.Persona, func(l *listener) bool {
		of.Missed = l.missed
		select {
		case l.called <- of:
			l.missed = 0
		default:
			l.missed++
		}
		return true
	})
}
