package selfimprove

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// WorkflowRun is what a run that succeeded came to. It belongs to the caller.
type WorkflowRun struct {
	WorkflowID  string          `json:"workflowId"`
	RunCount    int             `json:"runCount"`
	StepResults []StepResult    `json:"stepResults"`
	FinalOutput json.RawMessage `json:"finalOutput"` // of the last step
}

// StepResult is what a step returned.
type StepResult struct {
	Step         int             `json:"step"` // from 0
	Tool         string          `json:"tool"`
	Skipped      bool            `json:"skipped,omitempty"` // its condition did not hold; its output counts as null
	Output       json.RawMessage `json:"output,omitempty"`
	OmittedBytes int             `json:"omittedBytes,omitempty"` // of an output that would have made the result too large
	Notes        []string        `json:"notes,omitempty"`        // a condition that could not be evaluated
}

// maxRunBytes bounds the outputs that a run tells of, so that with everything around them they fit into the output of a tool.
const maxRunBytes = 960 << 10

// Run runs a workflow of the caller's persona. All steps are checked again before the first is called; each is called as the
// caller, for at most StepTimeout. The error is a *tool.Error: Inactive when a step may no longer be called, or that of the step
// which failed, with what the earlier ones returned as its Value: {completedSteps, stepResults}.
func (w *Workflows) Run(ctx context.Context, by tool.Actor, id string, input json.RawMessage) (*WorkflowRun, error) {
	found, err := w.Get(ctx, by.Caller, id)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(strings.TrimSpace(string(input)), "{") {
		return nil, &tool.Error{Code: tool.InvalidInput, Path: "/input", Message: "the input of a workflow is an object", Hint: "give {} where it needs none"}
	}
	pipeline, err := w.check(ctx, by.Caller, WorkflowPlan{found.Name, found.Description, found.Steps}, nil)
	if err != nil {
		return nil, w.refused(ctx, by, id, inactive(err))
	}
	var outputs []json.RawMessage
	call := func(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
		out, err := w.opt.Call(ctx, by.Caller, name, arguments)
		if err == nil {
			outputs = append(outputs, out)
		}
		return out, err
	}
	output, trace, err := pipeline.Run(ctx, input, call, compose.Options{
		StepTimeout: w.opt.StepTimeout, Timeout: w.opt.Timeout, OutputBytes: maxRunBytes, Now: w.opt.Now,
	})
	if err != nil {
		return nil, w.stopped(ctx, by, id, err, trace, outputs)
	}
	results := resultsOf(trace.Steps, outputs)
	run := &WorkflowRun{WorkflowID: id, StepResults: within(maxRunBytes-len(output), results), FinalOutput: output}
	run.RunCount, err = w.record(ctx, by, found.RunCount, runEntry{WorkflowID: id, OK: true, CompletedSteps: len(results)})
	if err != nil {
		return nil, err
	}
	return run, nil
}

// inactive is the error of a workflow that could be made once and cannot be run now.
func inactive(err error) error {
	e := *tool.AsError(err)
	if e.Code == tool.InvalidRequest {
		e.Code = tool.Inactive
	}
	return &e
}

// refused writes down that a run did not begin, and returns the error of it.
func (w *Workflows) refused(ctx context.Context, by tool.Actor, id string, why error) error {
	if _, err := w.record(ctx, by, 0, runEntry{WorkflowID: id, Code: tool.AsError(why).Code}); err != nil {
		return err
	}
	return why
}

// resultsOf are the results of steps that were done, of which those that were not skipped have an output.
func resultsOf(steps []compose.StepTrace, outputs []json.RawMessage) (results []StepResult) {
	for i, t := range steps {
		r := StepResult{Step: i, Tool: t.Tool, Skipped: t.Skipped, Notes: t.Notes}
		if !t.Skipped {
			r.Output, outputs = outputs[0], outputs[1:]
		}
		results = append(results, r)
	}
	return results
}

// stopped writes down that a run failed, and returns the error of it in the words of workflows.
func (w *Workflows) stopped(ctx context.Context, by tool.Actor, id string, err error, trace *compose.Trace, outputs []json.RawMessage) error {
	e := *tool.AsError(err)
	done := 0
	if n := len(trace.Steps); n > 0 {
		done = n - 1
		last, what := trace.Steps[done], "failed"
		if e.Code == tool.Timeout {
			what = "timed out"
		}
		why := strings.TrimPrefix(e.Message, fmt.Sprintf("step %q, tool %q: ", last.Name, last.Tool))
		e.Message = fmt.Sprintf("step %d, tool %s, %s: %s", done, tool.Quote(last.Tool), what, why)
	}
	// what a tool returned too much of was called, but is no result
	e.Value, err = encodeWorkflow(map[string]any{"completedSteps": done, "stepResults": within(maxRunBytes, resultsOf(trace.Steps[:done], outputs))})
	if err != nil {
		return tool.Errorf(tool.Internal, "the results of the steps cannot be written: %w", err)
	}
	if _, err := w.record(ctx, by, 0, runEntry{WorkflowID: id, CompletedSteps: done, Code: e.Code}); err != nil {
		return err
	}
	return &e
}

// runEntry is what the audit log tells of a run.
type runEntry struct {
	WorkflowID     string    `json:"workflowId"`
	OK             bool      `json:"ok"`
	CompletedSteps int       `json:"completedSteps"`
	Code           tool.Code `json:"code,omitempty"`
}

// record writes down that a workflow was run, whatever became of the context, and counts a run that succeeded. It returns the
// count, which goes on from before for a workflow that was removed meanwhile.
func (w *Workflows) record(ctx context.Context, by tool.Actor, before int, entry runEntry) (count int, err error) {
	err = w.edit(context.WithoutCancel(ctx), by, func(b *workflowBook) (tool.DocumentEvent, error) {
		count = before + 1
		if i, err := b.find(entry.WorkflowID); err == nil && entry.OK {
			b.Workflows[i].RunCount++
			count = b.Workflows[i].RunCount
		}
		return tool.DocumentEvent{Type: tool.WorkflowRun, Data: entry}, nil
	})
	return count, err
}

// within leaves out of the results what is more than some bytes.
func within(left int, results []StepResult) []StepResult {
	kept := make([]StepResult, 0, len(results))
	for _, r := range results {
		if n := len(r.Output); n > left {
			r.Output, r.OmittedBytes = nil, n
		} else {
			left -= n
		}
		kept = append(kept, r)
	}
	return kept
}

// encodeWorkflow is JSON that keeps outputs as they are: escapes would make them longer than they were measured.
func encodeWorkflow(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(text.Bytes()), err
}
