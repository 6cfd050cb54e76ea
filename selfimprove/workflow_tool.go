package selfimprove

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// WorkflowTool is the name of the tool that makes and runs workflows.
const WorkflowTool = "create_workflow"

const workflowSchema = `{
  "type": "object",
  "properties": {
    "action": {
      "type": "string", "enum": ["create", "run", "list", "remove"],
      "description": "create needs name, description and steps; run and remove need workflowId; run may have input"
    },
    "name": {"type": "string", "maxLength": 200, "description": "What the workflow is called"},
    "description": {"type": "string", "maxLength": 1024, "description": "What the workflow is for"},
    "steps": {
      "type": "array",
      "description": "The tools to call, in order",
      "items": {
        "type": "object",
        "properties": {
          "tool": {"type": "string", "maxLength": 200, "description": "The name of a tool that can be called now"},
          "args": {
            "type": "object",
            "description": "Its input: literals, and references that become values: $input, $prev (what the step before returned), $steps[N] (from 0), each with a path such as $input.order.items[0]; $$ is a dollar sign"
          },
          "condition": {
            "type": "string", "maxLength": 1024,
            "description": "When to call it, else it is skipped: references, literals, == != < <= > >= && || !, parentheses and .length, such as $prev.hits.length > 0"
          }
        },
        "required": ["tool"],
        "additionalProperties": false
      }
    },
    "workflowId": {"type": "string", "maxLength": 200, "description": "The id that create returned or list shows: workflow-1"},
    "input": {"type": "object", "description": "What $input refers to in a run; {} when it is left out"}
  },
  "required": ["action"],
  "additionalProperties": false
}`

// Tool returns create_workflow, by which an agent makes, runs, lists and removes the workflows of its own persona.
func (w *Workflows) Tool() Tool {
	return Tool{
		Name: WorkflowTool,
		Description: "Keeps chains of tool calls and runs them: create one from steps, run it with an input, list those that there are, remove one. " +
			"Each step is called as you would call it yourself. A workflow is yours, in all of your sessions.",
		InputSchema: json.RawMessage(workflowSchema),
		Run:         w.act,
	}
}

// workflowRequest is the input of the tool.
type workflowRequest struct {
	WorkflowPlan
	Action     string          `json:"action"`
	WorkflowID string          `json:"workflowId"`
	Input      json.RawMessage `json:"input"`
}

func (w *Workflows) act(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, error) {
	var r workflowRequest
	if err := json.Unmarshal(input, &r); err != nil {
		return nil, tool.Errorf(tool.InvalidInput, "the input cannot be read: %w", err)
	}
	result, err := w.do(ctx, tool.Actor{Caller: c}, r)
	if err != nil {
		return nil, err
	}
	return encodeWorkflow(result)
}

// do returns what becomes the output of the tool.
func (w *Workflows) do(ctx context.Context, by tool.Actor, r workflowRequest) (any, error) {
	switch r.Action {
	case "create":
		made, err := w.Create(ctx, by, r.WorkflowPlan)
		return workflowMade{made.ID, made.Name, len(made.Steps)}, err
	case "run":
		if r.Input == nil {
			r.Input = json.RawMessage("{}")
		}
		return w.Run(ctx, by, r.WorkflowID, r.Input)
	case "list":
		list, err := w.List(ctx, by.Caller)
		return map[string]any{"workflows": summaries(list)}, err
	case "remove":
		return map[string]any{"workflowId": r.WorkflowID, "removed": true}, w.Remove(ctx, by, r.WorkflowID)
	}
	return nil, &tool.Error{
		Code: tool.InvalidInput, Path: "/action", Message: "there is no action " + tool.Quote(r.Action), Hint: "create, run, list or remove",
	}
}

// workflowMade is what create returns.
type workflowMade struct {
	WorkflowID string `json:"workflowId"`
	Name       string `json:"name"`
	StepCount  int    `json:"stepCount"`
}

// WorkflowSummary is a workflow without its steps.
type WorkflowSummary struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	StepCount   int       `json:"stepCount"`
	RunCount    int       `json:"runCount"`
	CreatedAt   tool.Time `json:"createdAt"`
}

// Summary leaves out the steps.
func (one Workflow) Summary() WorkflowSummary {
	return WorkflowSummary{one.ID, one.Name, one.Description, len(one.Steps), one.RunCount, one.CreatedAt}
}

func summaries(list []Workflow) []WorkflowSummary {
	short := make([]WorkflowSummary, 0, len(list))
	for _, one := range list {
		short = append(short, one.Summary())
	}
	return short
}
