package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// anthropic speaks Messages.
type anthropic struct{}

// anthropicRequest is what is looked at of a request.
type anthropicRequest struct {
	Model     string
	MaxTokens int `json:"max_tokens"`
	Messages  []struct {
		Role    string
		Content []struct {
			Type, Text, ID, Name string
			ToolUseID            string `json:"tool_use_id"`
			Input                map[string]any
		}
	}
}

func (anthropic) refuse(req Request) (int, string) {
	var body anthropicRequest
	err := json.Unmarshal(req.Body, &body)
	switch {
	case req.Header.Get("X-Api-Key") != Key:
		return http.StatusUnauthorized, "invalid x-api-key"
	case req.Header.Get("Anthropic-Version") == "":
		return http.StatusBadRequest, "anthropic-version: header is required"
	case err != nil:
		return http.StatusBadRequest, "The request body is not valid JSON: " + err.Error()
	case body.Model == "":
		return http.StatusBadRequest, "model: Field required"
	case body.MaxTokens < 1:
		return http.StatusBadRequest, "max_tokens: Field required"
	case len(body.Messages) == 0 || body.Messages[0].Role != "user":
		return http.StatusBadRequest, "messages: first message must use the user role"
	}
	return http.StatusBadRequest, body.refuse()
}

// refuse looks at the messages.
func (r anthropicRequest) refuse() string {
	open := pending{}
	for i, m := range r.Messages {
		asked := pending{}
		for _, b := range m.Content {
			switch {
			case b.Type == "text" && b.Text == "":
				return fmt.Sprintf("messages.%d: text content blocks must be non-empty", i)
			case b.Type == "tool_use" && (b.ID == "" || !toolName.MatchString(b.Name) || b.Input == nil):
				return fmt.Sprintf("messages.%d: tool_use needs id, name and input", i)
			case b.Type == "tool_result" && !open.answer(b.ToolUseID):
				return fmt.Sprintf("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i, b.ToolUseID)
			case b.Type == "tool_use":
				asked[b.ID] = true
			}
		}
		if len(open) > 0 {
			return fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
		}
		open = asked
	}
	if len(open) > 0 {
		return "`tool_use` ids were found without `tool_result` blocks after"
	}
	return ""
}

func (anthropic) reply(step Step) []byte {
	content := []object{}
	if text := step.text(); text != "" {
		content = append(content, object{"type": "text", "text": text})
	}
	stop := "end_turn"
	for i, c := range step.Calls {
		stop = "tool_use"
		input := any(json.RawMessage(c.Arguments))
		if !json.Valid([]byte(c.Arguments)) { // this protocol cannot carry what is no JSON
			input = string(c.Arguments)
		}
		content = append(content, object{"type": "tool_use", "id": c.id(i), "name": c.Name, "input": input})
	}
	if step.Stop != "" {
		stop = step.Stop
	}
	in, out := step.tokens()
	return encode(object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "test-model", "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": in, "output_tokens": out, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	})
}

func (anthropic) fault(step Step) []byte {
	kind := step.Type
	if kind == "" {
		kind = map[int]string{401: "authentication_error", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[step.Status]
	}
	if kind == "" {
		kind = "invalid_request_error"
	}
	return encode(object{"type": "error", "error": object{"type": kind, "message": step.Message}, "request_id": "req_1"})
}
