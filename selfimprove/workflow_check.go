package selfimprove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// maxCheckedSteps bounds the steps that are looked at when there are more than are allowed.
const maxCheckedSteps = 100

// check makes a plan into a pipeline that its caller may run now. Everything that is wrong is told at once, what is known of the
// text that the plan was read from first.
func (w *Workflows) check(ctx context.Context, c tool.Caller, plan WorkflowPlan, misread compose.Problems) (*compose.Pipeline, error) {
	f := findings(slices.Clone(misread))
	f.texts(plan, w.opt.MaxSteps)
	steps := plan.Steps[:min(len(plan.Steps), max(w.opt.MaxSteps, maxCheckedSteps))]
	f.recursion(steps)
	for i, s := range steps {
		at := fmt.Sprintf("/steps/%d/tool", i)
		switch {
		case strings.TrimSpace(s.Tool) == "" || compose.Meta(s.Tool): // compose says so
		case !w.opt.Visible(ctx, c, s.Tool):
			f.add(at, fmt.Sprintf("step %d: the tool %s is not available", i, tool.Quote(s.Tool)), "search the tools for one that does it")
		case !w.allowed(s.Tool):
			f.add(at, fmt.Sprintf("step %d: the tool %s is not permitted in workflows", i, tool.Quote(s.Tool)), "an operator can add it to allowedTools")
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, tool.AsError(err) // what could not be looked up is not missing
	}
	made, err := compose.New(specOf(steps), compose.Rules{MaxSteps: max(1, len(steps))})
	f.language(err)
	f.unresolved(compose.References(specOf(steps)))
	f.inputs(ctx, w, c, steps)
	return made, f.failure()
}

func (w *Workflows) allowed(name string) bool {
	return slices.Contains(w.opt.AllowedTools, "*") || slices.Contains(w.opt.AllowedTools, name)
}

// specOf is a chain in the words of compose; its steps are named by their place, from 1.
func specOf(steps []WorkflowStep) (spec compose.Spec) {
	for i, s := range steps {
		spec.Steps = append(spec.Steps, compose.Step{Name: fmt.Sprintf("step_%d", i+1), Tool: s.Tool, InputMapping: s.Args, Condition: s.Condition})
	}
	return spec
}

// texts checks what every workflow has.
func (f *findings) texts(plan WorkflowPlan, maxSteps int) {
	for _, field := range []struct {
		name, text string
		most       int
	}{{"name", plan.Name, MaxWorkflowNameBytes}, {"description", plan.Description, MaxWorkflowDescribeBytes}} {
		switch {
		case strings.TrimSpace(field.text) == "":
			f.add("/"+field.name, field.name+" is required", "say what the workflow is for")
		case len(field.text) > field.most:
			f.add("/"+field.name, fmt.Sprintf("the %s has %d bytes: at most %d are kept", field.name, len(field.text), field.most), "say it in fewer words")
		}
	}
	size := 0
	for _, s := range plan.Steps {
		size += len(s.Tool) + len(s.Args) + len(s.Condition)
	}
	switch n := len(plan.Steps); {
	case n == 0:
		f.add("/steps", "steps is required: a list with at least one step", stepsHint)
	case n > maxSteps:
		f.add("/steps", fmt.Sprintf("the workflow has %d steps: maxSteps is %d", n, maxSteps), "make several workflows of it")
	case size > MaxWorkflowBytes:
		f.add("/steps", fmt.Sprintf("the steps have %d bytes: at most %d are kept", size, MaxWorkflowBytes), "hand long values in with the input")
	}
}

const stepsHint = `give [{"tool": NAME, "args": {…}}]`

// recursion finds workflows within workflows.
func (f *findings) recursion(steps []WorkflowStep) {
	for i, s := range steps {
		if tool.FoldName(s.Tool) == WorkflowTool {
			message := fmt.Sprintf("step %d: recursion: a workflow cannot call %s", i, WorkflowTool)
			f.add(fmt.Sprintf("/steps/%d/tool", i), message, "copy the steps of the other workflow")
		}
	}
}

// language adds what compose says of the steps, in the words of workflows.
func (f *findings) language(err error) {
	problems, _ := errors.AsType[compose.Problems](err)
	for _, p := range problems {
		f.add(argsPath(p.Path), strings.Replace(p.Message, "the inputMapping", "args", 1), p.Hint)
	}
}

// argsPath is a place that compose names in the words of workflows.
func argsPath(path string) string { return strings.Replace(path, "/inputMapping", "/args", 1) }

// unresolved finds words that look like references and are none: a run would fail with them.
func (f *findings) unresolved(references [][]compose.Reference) {
	for i := range references {
		for _, r := range references[i] {
			at := argsPath(r.At)
			switch {
			case r.Root != "input" && r.Root != "prev" && r.Root != "steps":
				f.add(at, fmt.Sprintf("step %d: %s refers to nothing: references begin with $input, $prev or $steps", i, tool.Quote(r.Text)), "write $$ for a dollar sign")
			case r.Root == "prev" && i == 0 && len(r.Path) > 0:
				f.add(at, fmt.Sprintf("step %d: %s refers to a step, and no step comes before this one", i, tool.Quote(r.Text)), "$input is what the run is given")
			}
		}
	}
}
