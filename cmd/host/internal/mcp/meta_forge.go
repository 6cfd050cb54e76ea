package mcp

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// forgeTool takes a request through all gates.
func forgeTool() *metaTool {
	definition := forge.ToolDefinition()
	return &metaTool{
		name: definition.Name, title: definition.DisplayName, schema: string(definition.InputSchema), asks: true, lenient: true,
		description: definition.Description + ` On success the result has a handle: call the tool at once with call_tool. ` +
			`Search with search_tools first; a tool that repeats one you have is refused. The tool lives as long as this session, unless promote_tool keeps it.`,
		run: runForge,
	}
}

// forged is what a request came to, for whoever asked.
type forged struct {
	Handle       string          `json:"handle"`
	Name         string          `json:"name"`
	Version      int             `json:"version"`
	Tier         tool.Tier       `json:"tier"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Tests        int             `json:"testsPassed"`
	Verdict      verdict         `json:"verdict"`
	Notes        []string        `json:"notes,omitempty"`
	Next         string          `json:"next"`
}

// verdict is what the judge said.
type verdict struct {
	Approved   bool     `json:"approved"`
	Confidence float64  `json:"confidence"`
	Reasoning  string   `json:"reasoning,omitempty"`
	Concerns   []string `json:"concerns,omitempty"`
	By         string   `json:"by,omitempty"`
}

// refused tells of a request that did not pass, and all that helps to mend it.
type refused struct {
	Error    *tool.Error       `json:"error"`
	Stage    forge.Stage       `json:"stage,omitempty"`
	Problems []*tool.Error     `json:"problems,omitempty"`
	Failed   []tool.TestResult `json:"failedTests,omitempty"`
	Verdict  *verdict          `json:"verdict,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
	Next     string            `json:"next"`
}

func runForge(ctx context.Context, c *call) (any, error) {
	ctx = forge.WithStages(ctx, func(_ string, s forge.Stage) { c.line.progress(stageWords[s]) })
	result, err := c.desk.Forge(ctx, c.args)
	if err != nil {
		return c.refusal(result, err), err
	}
	t := result.Tool
	out := forged{
		Handle: t.ID, Name: t.Name, Version: t.Version, Tier: t.Tier, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Tests: len(result.TestResults), Notes: result.Notes, Next: "call it with call_tool: {\"tool\": the handle, \"input\": what inputSchema says}",
	}
	if v := verdictOf(result.Verdict); v != nil {
		out.Verdict = *v
	}
	return out, nil
}

// stageWords say what happens at the stages that take time.
var stageWords = map[forge.Stage]string{
	forge.StageStatic: "checking the code", forge.StageTests: "running the test cases", forge.StageJudge: "under review", forge.StageRegister: "registering",
}

func (c *call) refusal(r *forge.Result, err error) *refused {
	out := &refused{Error: forModels(c.line.declined(err)), Stage: r.Stage, Notes: r.Notes, Verdict: verdictOf(r.Verdict), Next: "mend what the error names, and call forge_tool again"}
	if len(r.Problems) > 1 {
		for _, p := range r.Problems {
			out.Problems = append(out.Problems, p.Hinted())
		}
	}
	for _, t := range r.TestResults {
		if !t.Success {
			out.Failed = append(out.Failed, t)
		}
	}
	switch {
	case c.line.tipFor(err) != "":
		out.Next = "tell the person what came of it, and go on without the tool"
	case out.Error.RetryAfter > 0:
		out.Next = "wait, and call forge_tool again with the same request"
	}
	switch out.Error.Code {
	case tool.Denied, tool.Unavailable, tool.Internal:
		out.Next = "the same request will not pass now; an operator of the host has to help"
	case tool.Collision:
		out.Next = "use the tool that there is (search_tools finds it), or choose another name"
	default: // as above
	}
	return out
}

func verdictOf(v *tool.CreationVerdict) *verdict {
	if v == nil {
		return nil
	}
	return &verdict{v.Approved, v.Confidence, v.Reasoning, v.Concerns, v.JudgeModel}
}
