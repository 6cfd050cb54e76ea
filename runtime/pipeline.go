package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// pipeline checks the language of a composed tool.
func (h *Host) pipeline(name string, impl tool.Implementation) (pipelineBody, error) {
	made, err := compose.New(specOf(impl), compose.Rules{Self: name, MaxSteps: h.opt.MaxSteps})
	if err != nil {
		return pipelineBody{}, pointed(err, "/implementation")
	}
	return pipelineBody{made}, nil
}

// stepsReport says what the steps of a pipeline come to for a caller, who has to be able to call them all.
func (h *Host) stepsReport(ctx context.Context, c tool.Caller, name string, impl tool.Implementation, made *compose.Pipeline) (tool.Report, error) {
	report := tool.Report{Tools: made.Tools()}
	var problems compose.Problems
	for i, step := range impl.Steps {
		t, err := h.resolve(ctx, c, step.Tool)
		if err != nil {
			problems = append(problems, unusable(i, step, err))
			continue
		}
		report.SideEffects = report.SideEffects || t.SideEffects
	}
	if err := ctx.Err(); err != nil {
		return report, tool.AsError(err)
	}
	if circle := compose.Circle(name, made.Tools(), func(of string) []string { return h.callsOf(ctx, c, of) }); circle != nil {
		problems = append(problems, compose.Problem{
			Path: "/steps", Message: "the tools call each other in a circle: " + strings.Join(circle, " -> "), Hint: "leave out the step that leads back",
		})
	}
	if len(problems) > 0 {
		e := &tool.Error{Code: tool.InvalidRequest, Path: "/implementation" + problems[0].Path, Message: problems[0].Message, Hint: problems[0].Hint, Cause: problems}
		if len(problems) > 1 {
			e.Message = problems.Error()
		}
		return report, e
	}
	return report, nil
}

func unusable(i int, step tool.Step, err error) compose.Problem {
	e := tool.AsError(err)
	p := compose.Problem{Path: fmt.Sprintf("/steps/%d/tool", i), Message: fmt.Sprintf("step %s: %s", step.Name, e.Message), Hint: e.Hint}
	if errors.Is(err, tool.NotFound) {
		p.Message, p.Hint = fmt.Sprintf("step %s: there is no tool %.80q", step.Name, step.Tool), "search the tools for one that does it"
	}
	return p
}

// specOf is an implementation in the words of compose.
func specOf(impl tool.Implementation) compose.Spec {
	var spec compose.Spec
	for _, s := range impl.Steps {
		step := compose.Step{Name: s.Name, Tool: s.Tool, Condition: s.Condition}
		if len(s.InputMapping) > 0 {
			step.InputMapping, _ = json.Marshal(s.InputMapping) // fails only for what is no JSON, which New refuses as well
		}
		spec.Steps = append(spec.Steps, step)
	}
	return spec
}

// callsOf returns what a composed tool calls, as the caller sees it.
func (h *Host) callsOf(ctx context.Context, c tool.Caller, name string) []string {
	t, err := h.resolve(ctx, c, name)
	if err != nil {
		return nil
	}
	return t.calls
}
