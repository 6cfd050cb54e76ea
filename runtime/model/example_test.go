package model_test

import (
	"context"
	"fmt"

	"example.com/toolsmith/runtime/model"
)

// A conversation with one tool, against a script in place of a provider. With one, m comes from Open.
func Example() {
	m := model.NewScripted(model.Call("add", `{"a": 1, "b": 2}`), model.Say("It is 3."))
	req := model.Request{
		System:   "You add with the tool.",
		Messages: []model.Message{model.Ask("What is 1 + 2?")},
		Tools:    []model.ToolSpec{{Name: "add", Description: "adds a and b"}},
	}
	for {
		reply, err := m.Chat(context.Background(), req)
		if err != nil {
			fmt.Println(err)
			return
		}
		if len(reply.ToolCalls) == 0 {
			fmt.Println(reply.Text)
			return
		}
		req.Messages = append(req.Messages, reply.Message())
		for _, call := range reply.ToolCalls {
			fmt.Println(call.Name, string(call.Arguments))
			req.Messages = append(req.Messages, call.Result("3"))
		}
	}
	// Output:
	// add {"a": 1, "b": 2}
	// It is 3.
}
