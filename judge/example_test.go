package judge_test

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

// A review by a script in place of a model. Without a model at all, everything is rejected.
func Example() {
	opt, err := judge.ReadScript([]byte(`{"creation": [
		{"safety": {"passed": true}, "correctness": {"passed": true}, "confidence": 0.9, "reasoning": "It doubles a number."}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	j, err := judge.New(opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	candidate := tool.Candidate{
		Name: "double", Description: "Doubles a number.", InputSchema: json.RawMessage(`{"type": "number"}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: "function execute(n) { return 2 * n; }"},
		TestResults:    []tool.TestResult{{Input: json.RawMessage(`2`), Output: json.RawMessage(`4`), Success: true, Repeatable: true}},
		Report:         tool.Report{Deterministic: true},
	}
	for range 2 {
		verdict, err := j.Review(context.Background(), tool.Actor{Name: "example"}, candidate)
		fmt.Println(verdict.Approved, verdict.Confidence, verdict.Reasoning, err)
	}
	// Output:
	// true 0.9 It doubles a number. <nil>
	// false 0 LLM call failed: the script of the model has 1 replies, and this is request 2 <nil>
}
