package model

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

const (
	anthropicVersion   = "2023-06-01"
	anthropicMaxTokens = 4096 // when the request says nothing; the protocol wants a number
)

// anthropic asks a server that speaks Anthropic's Messages.
type anthropic struct {
	*exchange
	url string
}

func newAnthropic(x *exchange, base *url.URL) *anthropic {
	root := *base
	root.Path = strings.TrimSuffix(root.Path, "/v1")
	return &anthropic{x, root.JoinPath("v1/messages").String()}
}

// The protocol, as far as it is used here.
type (
	anthropicRequest struct {
		Model        string             `json:"model"`
		MaxTokens    int                `json:"max_tokens"`
		System       []anthropicBlock   `json:"system,omitempty"`
		Messages     []anthropicMessage `json:"messages"`
		Tools        []anthropicTool    `json:"tools,omitempty"`
		Temperature  *float64           `json:"temperature,omitempty"`
		OutputConfig *anthropicOutput   `json:"output_config,omitempty"`
	}
	anthropicMessage struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	}
	anthropicBlock struct {
		Type         string          `json:"type"`
		Text         string          `json:"text,omitempty"`
		ID           string          `json:"id,omitempty"`
		Name         string          `json:"name,omitempty"`
		Input        json.RawMessage `json:"input,omitempty"`
		ToolUseID    string          `json:"tool_use_id,omitempty"`
		Content      string          `json:"content,omitempty"`
		IsError      bool            `json:"is_error,omitempty"`
		CacheControl *anthropicKind  `json:"cache_control,omitempty"`
	}
	anthropicTool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	anthropicOutput struct {
		Format anthropicKind `json:"format"`
	}
	anthropicKind struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema,omitempty"`
	}
	anthropicReply struct {
		Type    string
		Model   string
		Content []struct {
			Type, Text, ID, Name string
			Input                json.RawMessage
		}
		StopReason string `json:"stop_reason"`
		Usage      struct {
			InputTokens  int64 `json:"input_tokens"`
			OutputTokens int64 `json:"output_tokens"`
			CacheWritten int64 `json:"cache_creation_input_tokens"`
			CacheRead    int64 `json:"cache_read_input_tokens"`
		}
	}
)

// Chat implements Model.
func (m *anthropic) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := req.check(); err != nil {
		return Reply{}, err
	}
	body, err := json.Marshal(m.request(req))
	if err != nil {
		return Reply{}, tool.Errorf(tool.InvalidRequest, "the request to the model has no JSON form: %w", err)
	}
	answer, err := m.post(ctx, m.url, m.header(), body)
	if err != nil {
		return Reply{}, err
	}
	var reply anthropicReply
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Type != "message" {
		return Reply{}, m.who.fault("gave an answer that is no message")
	}
	return m.reply(reply)
}

func (m *anthropic) header() http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Anthropic-Version": {anthropicVersion}}
	if m.who.key != "" {
		h.Set("X-Api-Key", m.who.key)
	}
	return h
}

func (m *anthropic) request(req Request) anthropicRequest {
	out := anthropicRequest{Model: m.who.model, MaxTokens: req.MaxTokens, Messages: anthropicMessages(req.Messages)}
	if out.MaxTokens == 0 {
		out.MaxTokens = anthropicMaxTokens
	}
	if req.System != "" {
		out.System = []anthropicBlock{{Type: "text", Text: req.System, CacheControl: &anthropicKind{Type: "ephemeral"}}}
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, anthropicTool{t.Name, t.Description, t.schema()})
	}
	if req.Temperature != nil {
		most := min(*req.Temperature, 1) // this provider's scale ends at 1
		out.Temperature = &most
	}
	if len(req.JSONSchema) > 0 {
		out.OutputConfig = &anthropicOutput{anthropicKind{"json_schema", req.JSONSchema}}
	}
	return out
}

// anthropicMessages joins what one side says in a row: all results of one turn must stand in one message.
func anthropicMessages(messages []Message) []anthropicMessage {
	var out []anthropicMessage
	for _, msg := range messages {
		role := "user"
		if msg.Role == Assistant {
			role = "assistant"
		}
		if len(out) == 0 || out[len(out)-1].Role != role {
			out = append(out, anthropicMessage{Role: role})
		}
		last := &out[len(out)-1]
		last.Content = append(last.Content, anthropicBlocks(msg)...)
	}
	return out
}

func anthropicBlocks(msg Message) []anthropicBlock {
	if msg.Role == Tool {
		return []anthropicBlock{{Type: "tool_result", ToolUseID: msg.CallID, Content: msg.Text, IsError: msg.Failed}}
	}
	var out []anthropicBlock
	if msg.Text != "" {
		out = append(out, anthropicBlock{Type: "text", Text: msg.Text})
	}
	for _, c := range msg.ToolCalls {
		out = append(out, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.name(), Input: c.arguments()})
	}
	return out
}

func (m *anthropic) reply(in anthropicReply) (Reply, error) {
	r := Reply{Model: in.Model, StopReason: anthropicStop(in.StopReason)}
	for _, b := range in.Content {
		switch b.Type {
		case "text":
			r.Text += b.Text
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, newCall(b.ID, b.Name, string(b.Input)))
		}
	}
	written, read := max(in.Usage.CacheWritten, 0), max(in.Usage.CacheRead, 0)
	r.Usage = Usage{min(in.Usage.InputTokens, maxTokens) + min(written, maxTokens) + min(read, maxTokens), in.Usage.OutputTokens, read}
	return m.who.finish(r)
}

func anthropicStop(reason string) StopReason {
	switch reason {
	case "end_turn", "stop_sequence":
		return StopEnd
	case "tool_use":
		return StopToolUse
	case "max_tokens", "model_context_window_exceeded":
		return StopLength
	case "refusal":
		return StopRefusal
	}
	return StopOther
}
