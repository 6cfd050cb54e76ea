package hierarchy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// restless delegates forever, and its members call a tool forever.
func restless() *desk {
	d := newDesk()
	n := 0
	again := func(c model.ToolCall) brain {
		return func(context.Context, model.Request) (model.Reply, error) {
			return model.Reply{Text: "on and on", ToolCalls: []model.ToolCall{{ID: fmt.Sprint("c", n), Name: c.Name, Arguments: c.Arguments}}, Usage: model.Usage{InputTokens: 60, OutputTokens: 40}}, nil
		}
	}
	d.models["boss"], d.models["researcher"] = again(delegates("researcher", "x")), again(call("file_read", `{}`))
	d.hostTools("file_read")
	d.spec.Tools = []string{"file_read"}
	d.spec.Limits.MaxSteps, d.spec.Limits.AgentSteps = 100, 3
	return d
}

func TestBudgetIsSharedByAllAgents(t *testing.T) {
	t.Parallel()
	for limit, set := range map[string]func(l *Limits){
		"maxModelCalls": func(l *Limits) { l.MaxModelCalls = 10 },
		"maxToolCalls":  func(l *Limits) { l.MaxToolCalls = 10 },
		"maxTokens":     func(l *Limits) { l.MaxTokens = 1000 },
		"maxCostUSD":    func(l *Limits) { l.MaxCostUSD = 0.1 },
	} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			d := restless()
			d.opt.Price = func(model.Reply) float64 { return 0.01 }
			set(&d.spec.Limits)
			r, err := d.made(t).Run(t.Context(), boss, "x", d.watch)
			if e := tool.AsError(err); !errors.Is(err, tool.OverQuota) || r.Reason != OverBudget || r.Error != e || e.Hint == "" {
				t.Fatalf("%v %+v", err, r)
			}
			contains(t, err.Error(), "limits."+limit)
			if r.Output != "on and on" || len(r.AgentCalls) < 2 || r.Usage.TotalTokens < 900 || r.Usage.TotalTokens > 1500 || len(r.Transcript) < 9 {
				t.Errorf("%q, %d tasks, %+v", r.Output, len(r.AgentCalls), r.Usage)
			}
			if last := d.events[len(d.events)-1]; last.Kind != Final || last.Reason != OverBudget || last.Error == nil {
				t.Errorf("%+v", last)
			}
		})
	}
}

// What judges of forged tools took is the run's, also where the tool was refused. It is nobody's own.
func TestJudgingToolsCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refused error
		tokens  Count // that the run may use
		reason  Reason
	}{
		"approved":  {nil, 1000, Done},
		"refused":   {tool.Errorf(tool.Rejected, "too vague"), 1000, Done},
		"too dear":  {nil, 200, OverBudget},
		"dear, too": {tool.Errorf(tool.Rejected, "too vague"), 200, OverBudget},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(calls(call("forge_tool", `{}`)), model.Say("done"))
			d.hostTools("forge_tool")
			d.spec.Tools, d.spec.Limits.MaxTokens = []string{"forge_tool"}, c.tokens
			d.opt.Call = func(context.Context, tool.Caller, string, json.RawMessage) (json.RawMessage, tool.Spent, error) {
				return json.RawMessage(`{}`), tool.Spent{Calls: 1, InputTokens: 200, OutputTokens: 30, CostUSD: 0.5}, c.refused
			}
			r, _ := d.made(t).Run(t.Context(), boss, "x", d.watch)
			want := r.ManagerUsage.plus(Usage{PromptTokens: 200, CompletionTokens: 30, TotalTokens: 230, CostUSD: 0.5})
			if r.Reason != c.reason || r.Usage != want || r.ManagerUsage.TotalTokens < 15 || r.ManagerUsage.TotalTokens > 30 {
				t.Errorf("%s: %+v of %+v", r.Reason, r.ManagerUsage, r.Usage)
			}
		})
	}
}

// Whatever hangs, a run ends with its time and with its caller.
func TestRunsEndInTime(t *testing.T) {
	t.Parallel()
	hangs := func(reached chan<- struct{}, ctx context.Context) {
		reached <- struct{}{}
		<-ctx.Done()
	}
	for where, set := range map[string]func(d *desk, reached chan<- struct{}){
		"manager": func(d *desk, reached chan<- struct{}) {
			d.models["boss"] = brain(func(ctx context.Context, _ model.Request) (model.Reply, error) {
				hangs(reached, ctx)
				return model.Reply{}, tool.AsError(ctx.Err())
			})
		},
		"member": func(d *desk, reached chan<- struct{}) {
			d.models["researcher"] = brain(func(ctx context.Context, _ model.Request) (model.Reply, error) {
				hangs(reached, ctx)
				return model.Reply{}, tool.AsError(ctx.Err())
			})
		},
		"tool": func(d *desk, reached chan<- struct{}) {
			d.opt.Call = func(ctx context.Context, _ tool.Caller, _ string, _ json.RawMessage) (json.RawMessage, tool.Spent, error) {
				hangs(reached, ctx)
				return nil, tool.Spent{}, ctx.Err()
			}
		},
		"person": func(d *desk, reached chan<- struct{}) {
			d.spec.HITL.Approvals.BeforeAgent = []string{"researcher"}
			d.opt.Approve = func(ctx context.Context, _ ApprovalRequest) (Decision, error) {
				hangs(reached, ctx)
				return Decision{Approved: true}, nil
			}
		},
		"between attempts": func(d *desk, reached chan<- struct{}) {
			d.models["boss"] = brain(func(context.Context, model.Request) (model.Reply, error) {
				select {
				case reached <- struct{}{}:
				default:
				}
				return model.Reply{}, &tool.Error{Code: tool.Unavailable, Message: "down", RetryAfter: time.Second}
			})
		},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			for want, code := range map[Reason]tool.Code{TimedOut: tool.Timeout, Canceled: tool.Canceled} {
				d := restless()
				d.spec.HITL.Timeout = wire.Period(time.Hour)
				reached := make(chan struct{}, 100)
				set(d, reached)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if want == TimedOut {
					d.spec.Limits.Timeout = wire.Period(50 * time.Millisecond)
				} else {
					go func() {
						<-reached
						cancel()
					}()
				}
				a, ended := d.made(t), make(chan struct{})
				go func() {
					defer close(ended)
					r, err := a.Run(ctx, boss, "x", d.watch)
					if !errors.Is(err, code) || r.Reason != want || tool.AsError(err) != r.Error {
						t.Errorf("%s: %v %+v", want, err, r)
					}
				}()
				soon(t, "the run", ended)
			}
		})
	}
}
