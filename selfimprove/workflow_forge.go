package selfimprove

import (
	"cmp"
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// ForgeRequest returns a workflow as a request to forge a composed tool of a name, with the workflow's description unless another
// is given. The test cases are a JSON list, as forge_tool takes them; the forge infers the schemas from them.
func (w *Workflows) ForgeRequest(ctx context.Context, c tool.Caller, id, name, description string, cases json.RawMessage) (json.RawMessage, error) {
	found, err := w.Get(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if !json.Valid(cases) {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Path: "/testCases", Message: "the test cases are not JSON",
			Hint: `give [{"input": {…}, "expectedOutput": …}]`,
		}
	}
	object := map[string]any{"type": "object"}
	request := map[string]any{
		"name": name, "description": cmp.Or(description, found.Description), "inputSchema": object, "outputSchema": object,
		"implementation": map[string]any{"mode": tool.ComposeMode, "steps": specOf(found.Steps).Steps}, "testCases": cases,
	}
	text, err := encodeWorkflow(request)
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the request cannot be written: %w", err)
	}
	return text, nil
}
