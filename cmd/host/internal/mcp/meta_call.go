package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// callTool calls a tool by its name or handle.
func callTool() *metaTool {
	return &metaTool{
		name: "call_tool", title: "Call a tool", lenient: true, open: true,
		description: `Call a tool by its handle or name, with an input that its inputSchema says. The result has its output. ` +
			`An error has a code, where in the input it is, and a hint: mend the input, or forge a better version when the tool itself is wrong. ` +
			`Limits bind: a tool that runs out of time, fuel or memory is ended.`,
		schema: `{"type":"object","additionalProperties":false,"required":["tool"],"properties":{"tool":` + toolArgument + `,` +
			`"input":{"type":"object","description":"What the tool takes; {} unless given."}}}`,
		run: runCall,
	}
}

// called is what a call came to.
type called struct {
	Output  json.RawMessage `json:"output"`
	Tool    string          `json:"tool"`
	Handle  string          `json:"handle"`
	Logs    []wasmjs.Log    `json:"logs,omitempty"`
	Anomaly string          `json:"anomaly,omitempty"`
}

// failedCall tells of a call that failed.
type failedCall struct {
	Error *tool.Error  `json:"error"`
	Tool  string       `json:"tool,omitempty"`
	Logs  []wasmjs.Log `json:"logs,omitempty"`
}

func runCall(ctx context.Context, c *call) (any, error) {
	which, input, err := c.readCall()
	if err != nil {
		return nil, err
	}
	result, err := c.desk.Call(ctx, which, input)
	if err != nil {
		return failedCall{forModels(err), result.Tool.Name, result.Logs}, err
	}
	return outcome(result), nil
}

// readCall reads the arguments. The input is handed on as it was written, and may nest as deep as tools take it.
func (c *call) readCall() (which string, input json.RawMessage, err error) {
	var ask map[string]json.RawMessage
	if err := json.Unmarshal(c.args, &ask); err != nil {
		return "", nil, &tool.Error{Code: tool.InvalidInput, Message: "the arguments of call_tool are no object", Hint: `give {"tool": …, "input": {…}}`}
	}
	input = ask["input"]
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	delete(ask, "input")
	rest, err := json.Marshal(ask)
	if err == nil {
		err = c.tool.checked.Validate(rest)
	}
	if err == nil {
		err = json.Unmarshal(ask["tool"], &which)
	}
	if err != nil {
		return "", nil, c.tool.unfit(err)
	}
	if input[0] == '"' { // what models write: an object within text
		var text string
		if json.Unmarshal(input, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(text)) {
			input = json.RawMessage(text)
		}
	}
	return which, input, nil
}

func outcome(r *runtime.CallResult) called {
	out := called{Output: r.Output, Tool: r.Tool.Name, Handle: handle(r.Tool), Logs: r.Logs}
	if r.Reuse.Anomaly {
		out.Anomaly = r.Reuse.AnomalyReason
	}
	return out
}
