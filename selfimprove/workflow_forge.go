package selfimprove

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// ForgeRequest returns a workflow as a request to forge a composed tool of a name, with the workflow's description unless another
// is given. The test cases are a JSON list, as forge_tool takes them; the forge infers the schemas from them. The notes say what was
// found out about the workflow.
func (w *Workflows) ForgeRequest(
	ctx context.Context, c tool.Caller, id, name, description string, cases json.RawMessage,
) (text json.RawMessage, notes []string, err error) {
	found, err := w.Get(ctx, c, id)
	if err != nil {
		return nil, nil, err
	}
	if !json.Valid(cases) {
		return nil, nil, &tool.Error{
			Code: tool.InvalidRequest, Path: "/testCases", Message: "the test cases are not JSON",
			Hint: `give [{"input": {…}, "expectedOutput": …}]`,
		}
	}
	output, notes := returns(found.Steps, cases)
	request := map[string]any{
		"name": name, "description": cmp.Or(description, found.Description), "inputSchema": json.RawMessage(object + "}"), "outputSchema": output,
		"implementation": map[string]any{"mode": tool.ComposeMode, "steps": specOf(found.Steps).Steps}, "testCases": cases,
	}
	if text, err = encodeWorkflow(request); err != nil {
		return nil, nil, tool.Errorf(tool.Internal, "the request cannot be written: %w", err)
	}
	return text, notes, nil
}

// How schemas of objects begin, and of those that may be null.
const (
	object       = `{"type":"object"`
	objectOrNull = `{"type":["object","null"]`
)

// returns is the schema of what a workflow returns. The forge infers what objects have; that it may be null as well is known here.
func returns(steps []WorkflowStep, cases json.RawMessage) (output json.RawMessage, notes []string) {
	expected, null := expectations(cases)
	if null {
		notes = append(notes, "a test case expects null: the output may be null")
	}
	if last := len(steps) - 1; last >= 0 && steps[last].Condition != "" {
		notes = append(notes, "the last step may be skipped: the output may be null")
	}
	if notes == nil {
		return json.RawMessage(object + "}"), nil
	}
	inferred, err := schema.Infer(expected...)
	if err != nil || inferred == nil { // what is wrong with the cases, the forge will say
		return json.RawMessage(objectOrNull + "}"), notes
	}
	return append([]byte(objectOrNull), bytes.TrimPrefix(inferred, []byte(object))...), notes
}

// expectations are what test cases expect of the whole output, and whether one of them expects null.
func expectations(cases json.RawMessage) (whole [][]byte, null bool) {
	var list []struct {
		ExpectedOutput json.RawMessage `json:"expectedOutput"`
		Partial        bool            `json:"partial"`
	}
	if json.Unmarshal(cases, &list) != nil {
		return nil, false
	}
	for _, one := range list {
		switch {
		case one.ExpectedOutput == nil || one.Partial:
		case string(one.ExpectedOutput) == "null":
			null = true
		default:
			whole = append(whole, one.ExpectedOutput)
		}
	}
	return whole, null
}
