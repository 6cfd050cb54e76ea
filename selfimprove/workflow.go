package selfimprove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// Workflow is a chain of tool calls that a persona keeps. It is a plain value; whoever receives one owns it.
type Workflow struct {
	ID          string         `json:"id"` // workflow-N, with N from 1 within the persona; none is used twice
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Steps       []WorkflowStep `json:"steps"`
	CreatedAt   tool.Time      `json:"createdAt"`
	RunCount    int            `json:"runCount"` // runs that succeeded
}

// WorkflowStep calls one tool.
type WorkflowStep struct {
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args,omitempty"`      // an object of literals and references, as package compose has them; empty means {}
	Condition string          `json:"condition,omitempty"` // as package compose has it; the step is skipped when it does not hold. "" means always
}

// WorkflowPlan is what a workflow is made of.
type WorkflowPlan struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Steps       []WorkflowStep `json:"steps"`
}

// Bounds of workflows.
const (
	MaxWorkflows             = 100      // of one persona
	MaxWorkflowBytes         = 64 << 10 // of the steps of one
	MaxWorkflowNameBytes     = 200
	MaxWorkflowDescribeBytes = 1 << 10 // of its description
	// MaxWorkflowsBytes bounds all workflows of a persona together, with a little room left for counting their runs.
	MaxWorkflowsBytes = 1000 << 10
)

// WorkflowOptions are what Workflows are made of. The zero value knows no tools and allows none.
type WorkflowOptions struct {
	MaxSteps     int           // 0 is 10
	AllowedTools []string      // that may be steps; "*" is any
	StepTimeout  time.Duration // 0 is 30 s
	Timeout      time.Duration // of a whole run; 0 is 2 min
	// Call is the host's one way of calling a tool as a caller. It returns soon after ctx ends. nil: there are no tools.
	Call func(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (json.RawMessage, error)
	// Visible reports whether a caller may call a tool now. nil: there are no tools.
	Visible func(ctx context.Context, c tool.Caller, name string) bool
	// InputSchema returns the JSON Schema of what a tool takes that a caller may call; nil when it is not known. nil knows none.
	InputSchema func(ctx context.Context, c tool.Caller, name string) json.RawMessage
	// CheckText returns why a tool refuses a text in a member of its input whatever else the input has, such as a template that
	// cannot be read. nil finds nothing.
	CheckText func(tool, member, text string) error
	Now       func() time.Time // nil is time.Now
}

func (opt WorkflowOptions) withDefaults() WorkflowOptions {
	const maxSteps = 10
	if opt.MaxSteps <= 0 {
		opt.MaxSteps = maxSteps
	}
	if opt.Call == nil || opt.Visible == nil {
		opt.Visible = func(context.Context, tool.Caller, string) bool { return false }
	}
	if opt.InputSchema == nil {
		opt.InputSchema = func(context.Context, tool.Caller, string) json.RawMessage { return nil }
	}
	if opt.CheckText == nil {
		opt.CheckText = func(string, string, string) error { return nil }
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return opt
}

// Workflows keeps the workflows of personas and runs them. All sessions of a persona share its workflows; nobody else sees them.
type Workflows struct {
	shelf Shelf
	opt   WorkflowOptions
}

// NewWorkflows makes workflows that are kept on a shelf.
func NewWorkflows(shelf Shelf, opt WorkflowOptions) *Workflows {
	return &Workflows{shelf, opt.withDefaults()}
}

// Create checks a plan and keeps it as a workflow. What was wrong with the text that the plan was read from is told together with
// all else. The error is a *tool.Error: InvalidRequest with compose.Problems as its cause, the first 20 of them, or Limit when there
// are too many workflows already.
func (w *Workflows) Create(ctx context.Context, by tool.Actor, plan WorkflowPlan, misread ...compose.Problem) (Workflow, error) {
	if _, err := w.check(ctx, by.Caller, plan, misread); err != nil {
		return Workflow{}, err
	}
	var made Workflow
	err := w.edit(ctx, by, func(b *workflowBook) (tool.DocumentEvent, error) {
		if len(b.Workflows) >= MaxWorkflows {
			return tool.DocumentEvent{}, &tool.Error{
				Code: tool.Limit, Message: fmt.Sprintf("there are %d workflows already", MaxWorkflows), Hint: "remove one that is no longer needed",
			}
		}
		b.Last++
		made = Workflow{
			ID: fmt.Sprintf("workflow-%d", b.Last), Name: plan.Name, Description: plan.Description, Steps: plan.Steps, CreatedAt: tool.At(w.opt.Now()),
		}
		b.Workflows = append(b.Workflows, made)
		if err := b.fits(by.Persona); err != nil {
			return tool.DocumentEvent{}, err
		}
		data := map[string]any{"workflowId": made.ID, "name": made.Name, "tools": toolsOf(made.Steps)}
		return tool.DocumentEvent{Type: tool.WorkflowCreated, Data: data}, nil
	})
	return made, err
}

// toolsOf are the tools that steps call, each once.
func toolsOf(steps []WorkflowStep) (names []string) {
	for _, s := range steps {
		if !slices.Contains(names, s.Tool) {
			names = append(names, s.Tool)
		}
	}
	return names
}

// List returns the workflows of the caller's persona, the oldest first.
func (w *Workflows) List(ctx context.Context, c tool.Caller) ([]Workflow, error) {
	var b workflowBook
	text, err := w.shelf.Document(ctx, persona(c, tool.Workflows, ""))
	if err == nil {
		err = b.read(text)
	}
	return b.Workflows, err
}

// Get returns a workflow of the caller's persona.
func (w *Workflows) Get(ctx context.Context, c tool.Caller, id string) (Workflow, error) {
	list, err := w.List(ctx, c)
	if err != nil {
		return Workflow{}, err
	}
	i, err := (&workflowBook{Workflows: list}).find(id)
	if err != nil {
		return Workflow{}, err
	}
	return list[i], nil
}

// Remove deletes a workflow. Its id is not used again.
func (w *Workflows) Remove(ctx context.Context, by tool.Actor, id string) error {
	return w.edit(ctx, by, func(b *workflowBook) (tool.DocumentEvent, error) {
		i, err := b.find(id)
		if err != nil {
			return tool.DocumentEvent{}, err
		}
		b.Workflows = slices.Delete(b.Workflows, i, i+1)
		return tool.DocumentEvent{Type: tool.Removed, Data: map[string]any{"workflowId": id}}, nil
	})
}

// workflowBook is the document with the workflows of a persona.
type workflowBook struct {
	Last      int        `json:"last"`      // the number in the id of the newest that there ever was
	Workflows []Workflow `json:"workflows"` // the oldest first
}

func (b *workflowBook) read(text []byte) error {
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, b); err != nil {
		return tool.Errorf(tool.Internal, "the stored workflows cannot be read: %w", err)
	}
	return nil
}

// fits returns nil when there is room for the workflows of a persona.
func (b *workflowBook) fits(persona string) error {
	text, err := json.Marshal(b)
	if err != nil {
		return tool.Errorf(tool.Internal, "the workflows cannot be written: %w", err)
	}
	const kib = 1 << 10
	if len(text) <= MaxWorkflowsBytes {
		return nil
	}
	return &tool.Error{
		Code: tool.Limit, Message: fmt.Sprintf("the workflows of %s take %d KiB together: at most %d KiB are kept", persona, (len(text)+kib-1)/kib, MaxWorkflowsBytes/kib),
		Hint: "remove one that is no longer needed, or hand long values in with the input",
	}
}

// find returns where a workflow stands.
func (b *workflowBook) find(id string) (int, error) {
	i := slices.IndexFunc(b.Workflows, func(one Workflow) bool { return one.ID == id })
	switch {
	case id == "":
		return 0, &tool.Error{Code: tool.InvalidRequest, Path: "/workflowId", Message: "workflowId is missing", Hint: "list names the workflows that there are"}
	case i < 0:
		return 0, &tool.Error{
			Code: tool.NotFound, Path: "/workflowId", Message: "workflow " + tool.Quote(id) + " not found", Hint: "list names the workflows that there are",
		}
	}
	return i, nil
}

// edit changes the workflows of a persona in one transaction with the audit entry that tells of it. fn may run again.
func (w *Workflows) edit(ctx context.Context, by tool.Actor, fn func(*workflowBook) (tool.DocumentEvent, error)) error {
	return w.shelf.EditDocument(ctx, by, persona(by.Caller, tool.Workflows, ""), func(old []byte) (tool.DocumentChange, error) {
		var b workflowBook
		if err := b.read(old); err != nil {
			return tool.DocumentChange{}, err
		}
		event, err := fn(&b)
		if err != nil {
			return tool.DocumentChange{}, err
		}
		value, err := json.Marshal(b)
		return tool.DocumentChange{Value: value, Events: []tool.DocumentEvent{event}}, err
	})
}
