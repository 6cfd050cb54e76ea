package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// openAI speaks chat completions, as OpenAI, Ollama, Groq and OpenRouter do.
type openAI struct{}

// openAIRequest is what is looked at of a request.
type openAIRequest struct {
	Model    string
	Messages []struct {
		Role       string
		Content    *string
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID, Type string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func (openAI) refuse(req Request) (int, string) {
	key := req.Header.Get("Authorization")
	var body openAIRequest
	err := json.Unmarshal(req.Body, &body)
	switch {
	case key != "" && key != "Bearer "+Key: // Ollama wants none
		return http.StatusUnauthorized, "Incorrect API key provided: " + key
	case err != nil:
		return http.StatusBadRequest, "We could not parse the JSON body of your request: " + err.Error()
	case body.Model == "":
		return http.StatusBadRequest, "you must provide a model parameter"
	case len(body.Messages) == 0:
		return http.StatusBadRequest, "Invalid 'messages': empty array"
	}
	return http.StatusBadRequest, body.refuse()
}

// refuse looks at the messages.
func (r openAIRequest) refuse() string {
	open := pending{}
	for i, m := range r.Messages {
		switch {
		case m.Role == "tool" && !open.answer(m.ToolCallID):
			return fmt.Sprintf("messages[%d]: 'tool' must answer a preceding message with 'tool_calls'", i)
		case m.Role != "tool" && len(open) > 0:
			return fmt.Sprintf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages", i)
		case m.Content == nil && len(m.ToolCalls) == 0:
			return fmt.Sprintf("messages[%d]: content is missing", i)
		}
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Type != "function" || !toolName.MatchString(c.Function.Name) || !json.Valid([]byte(c.Function.Arguments)) {
				return fmt.Sprintf("messages[%d]: invalid tool_calls", i)
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return "the last 'tool_calls' are not answered"
	}
	return ""
}

func (openAI) reply(step Step) []byte {
	message := object{"role": "assistant", "content": step.text(), "refusal": nil}
	stop := "stop"
	if len(step.Calls) > 0 {
		message["tool_calls"], stop = openAICalls(step.Calls), "tool_calls"
		if step.text() == "" {
			message["content"] = nil
		}
	}
	if step.Stop != "" {
		stop = step.Stop
	}
	in, out := step.tokens()
	return encode(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": "test-model",
		"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": stop}},
		"usage":   object{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out},
	})
}

func openAICalls(calls []Call) []object {
	var list []object
	for i, c := range calls {
		list = append(list, object{
			"id": c.id(i), "type": "function", "function": object{"name": c.Name, "arguments": string(c.Arguments)},
		})
	}
	return list
}

func (openAI) fault(step Step) []byte {
	kind := step.Type
	if kind == "" {
		kind = map[int]string{401: "invalid_request_error", 429: "rate_limit_exceeded", 500: "server_error"}[step.Status]
	}
	return encode(object{"error": object{"message": step.Message, "type": kind, "param": nil, "code": nil}})
}
