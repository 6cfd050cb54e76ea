// Embed opens a host in a directory, gives it a tool of its own, forges another that an agent asked for, and calls it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"example.com/toolsmith"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

const request = `{
  "name": "price_of_order", "description": "Looks up the price of an article for an order.",
  "implementation": {"mode": "compose", "steps": [{"name": "price", "tool": "price", "inputMapping": {"article": "$input.article"}}]},
  "testCases": [{"input": {"article": "tea"}, "expectedOutput": {"cents": 350}}, {"input": {"article": "cup"}, "expectedOutput": {"cents": 799}}]
}`

func price(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) {
	var order struct{ Article string }
	err := json.Unmarshal(call.Input, &order)
	return fmt.Appendf(nil, `{"cents": %d}`, map[string]int{"tea": 350, "cup": 799}[order.Article]), err
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./examples/embed DIR")
	}
	ctx, settings := context.Background(), config.Default()
	settings.Emergent = true
	reviewer := must(judge.NewHuman(judge.HumanOptions{ApproveAs: "ada"})) // without one, the model of OPENAI_API_KEY and its like
	host := must(toolsmith.Open(ctx, os.Args[1], toolsmith.Options{Config: &settings, Judge: reviewer}))
	defer host.Close()
	check(host.Register(runtime.Tool{
		Name: "price", Description: "Gives the price of an article, in cents.", Run: price,
		InputSchema: json.RawMessage(`{"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]}`),
	}))
	agent := tool.Caller{Tenant: "shop", Persona: "clerk", Session: "morning"}
	must(host.Forge(ctx, agent, []byte(request)))
	result := must(host.Call(ctx, agent, "price_of_order", json.RawMessage(`{"article": "tea"}`)))
	fmt.Println(string(result.Output))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
