package compose_test

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime/compose"
)

func Example() {
	pipeline, err := compose.Parse([]byte(`{"steps": [
		{"name": "find", "tool": "search", "inputMapping": {"query": "$input.topic news", "limit": 2}},
		{"name": "sum-up", "tool": "summarize", "inputMapping": {"texts": ["$prev.hits[0].text"]}, "condition": "$prev.hits.length > 0"}
	]}`), compose.Rules{Self: "brief"})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(_ context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
		fmt.Println(tool, string(arguments))
		return json.RawMessage(`{"hits": [{"text": "ants build"}]}`), nil
	}
	_, trace, err := pipeline.Run(context.Background(), json.RawMessage(`{"topic": "ants"}`), call, compose.Options{})
	fmt.Println(len(trace.Steps), "steps,", err)
	// Output:
	// search {"query":"ants news","limit":2}
	// summarize {"texts":["ants build"]}
	// 2 steps, <nil>
}
