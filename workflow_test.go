package toolsmith_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

// The steps of a workflow are calls of the host, as the caller of the run, and no others.
func TestWorkflowsCallThroughTheHost(t *testing.T) {
	t.Parallel()
	var callers []tool.Caller
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Tools = []runtime.Tool{{
			Name: "whoami", Description: "Says who calls it.", InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false}`),
			Run: func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) {
				callers = append(callers, call.Caller)
				return json.RawMessage(`{"persona":"` + call.Caller.Persona + `"}`), nil
			},
		}}
	})
	flows, by := w.Workflows(), tool.Actor{Caller: ann}
	plan := func(name, args string) selfimprove.WorkflowPlan {
		return selfimprove.WorkflowPlan{Name: "n", Description: "d", Steps: []selfimprove.WorkflowStep{{Tool: name, Args: json.RawMessage(args)}}}
	}
	made, err := flows.Create(t.Context(), by, plan("whoami", `{}`))
	w.must(err)
	run, err := flows.Run(t.Context(), by, made.ID, json.RawMessage(`{}`))
	if err != nil || string(run.FinalOutput) != `{"persona":"ann"}` || len(callers) != 1 || callers[0] != ann {
		t.Errorf("%+v %v %v", run, callers, err)
	}
	if _, err := flows.Create(t.Context(), by, plan("whoami", `{"more":1}`)); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Path != "/steps/0/args/more" {
		t.Errorf("an input that the tool does not take: %v", err)
	}
	if _, err := flows.Create(t.Context(), by, plan("nothing", `{}`)); err == nil || !strings.Contains(err.Error(), "not available") {
		t.Errorf("a tool that is not there: %v", err)
	}
	w.mu.Lock()
	w.denied["whoami"] = true
	w.mu.Unlock()
	if _, err := flows.Run(t.Context(), by, made.ID, json.RawMessage(`{}`)); !errors.Is(err, tool.Inactive) || len(callers) != 1 {
		t.Errorf("a tool that is forbidden meanwhile: %v, %v", callers, err)
	}
}

// A tool of a session can be a step only there, and only while it is not suspended.
func TestWorkflowsOfForgedTools(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, nil)
	r, err := w.shelf().Put(t.Context(), tool.Actor{Caller: ann}, tool.Draft{
		Name: "one", Description: "returns 1", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: "function execute() { return 1 }"}, Verdict: tool.CreationVerdict{Approved: true, Confidence: 1},
	})
	w.must(err)
	flows, by := w.Workflows(), tool.Actor{Caller: ann}
	made, err := flows.Create(t.Context(), by, selfimprove.WorkflowPlan{Name: "n", Description: "d", Steps: []selfimprove.WorkflowStep{{Tool: "one"}}})
	w.must(err)
	if run, err := flows.Run(t.Context(), by, made.ID, json.RawMessage(`{}`)); err != nil || string(run.FinalOutput) != "1" {
		t.Errorf("%+v %v", run, err)
	}
	other := by
	other.Session = "2"
	if _, err := flows.Run(t.Context(), other, made.ID, json.RawMessage(`{}`)); !errors.Is(err, tool.Inactive) {
		t.Errorf("in a session without the tool: %v", err)
	}
	_, err = w.shelf().Suspend(t.Context(), by, r.ID, tool.ByAdmin)
	w.must(err)
	if _, err := flows.Run(t.Context(), by, made.ID, json.RawMessage(`{}`)); !errors.Is(err, tool.Inactive) {
		t.Errorf("suspended: %v", err)
	}
}
