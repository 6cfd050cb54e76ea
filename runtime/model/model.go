package model

import (
	"context"
	"encoding/json"
	"time"
)

// The bounds of every call.
const (
	MaxRequestBytes = 4 << 20 // of the text of a Request, and of the body that carries it
	MaxReplyBytes   = 4 << 20 // of the body of an answer
	MaxToolCalls    = 64      // in one Reply
	MaxWait         = 5 * time.Minute
)

// Model answers a conversation. Chat keeps nothing of the request, and the caller owns the reply. It is safe for concurrent
// use. The error is a *tool.Error.
type Model interface {
	Chat(ctx context.Context, req Request) (Reply, error)
}

// Request is a conversation and how it is to be continued. Only Messages has to be there.
type Request struct {
	System   string // what stays the same from call to call; providers may cache it
	Messages []Message
	Tools    []ToolSpec

	// MaxTokens bounds the reply; 0 means what the provider takes, and 4096 for Anthropic, which wants a number.
	MaxTokens int
	// Temperature is from 0 to 2; nil is the provider's default. It is cut to what the provider takes, and left out for
	// reasoning models, which have none.
	Temperature *float64
	// Seed asks for the same reply to the same request, where the provider knows of that.
	Seed *int64
	// JSONSchema is the shape that the provider is to hold the reply to; it is not sent where the provider's models do not
	// all take one. Write what all of them accept: an object, every property required, additionalProperties false. The
	// reply is not checked against it.
	JSONSchema json.RawMessage
}

// ToolSpec is a tool that the model may ask for.
type ToolSpec struct {
	Name        string // 1 to 64 of A-Z a-z 0-9 _ -
	Description string
	Schema      json.RawMessage // of the arguments; empty means an object without properties
}

// StopReason says why a reply ends.
type StopReason string

// The reasons, the same for all providers.
const (
	StopEnd     StopReason = "end"      // the model had said all
	StopToolUse StopReason = "tool_use" // it waits for the results of its tool calls
	StopLength  StopReason = "length"   // MaxTokens or the context ran out: the text is cut
	StopRefusal StopReason = "refusal"  // the model or its provider would not; Text may hold why
	StopOther   StopReason = "other"
)

// Reply is what a model said.
type Reply struct {
	Text       string     `json:"text,omitempty"`
	ToolCalls  []ToolCall `json:"toolCalls,omitempty"`
	Usage      Usage      `json:"usage,omitzero"`
	Provider   string     `json:"provider,omitempty"`
	Model      string     `json:"model,omitempty"` // as the provider names it; may be longer than what was asked for
	StopReason StopReason `json:"stopReason,omitempty"`
}

// Message is the reply as part of the conversation that goes on.
func (r Reply) Message() Message {
	return Message{Role: Assistant, Text: r.Text, ToolCalls: r.ToolCalls}
}

// ToolCall is a tool that the model asks to be called.
type ToolCall struct {
	ID        string          `json:"id,omitempty"` // names the call in its result; never empty in a Reply
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // always valid JSON in a Reply, and an object unless Malformed
	// Malformed means that the model did not write a JSON object. Arguments is then its text as a JSON string.
	Malformed bool `json:"malformed,omitempty"`
}

// Usage counts tokens.
type Usage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	CachedTokens int64 `json:"cachedTokens,omitempty"` // the part of InputTokens that the provider had kept from before
}

func (u Usage) plus(more Usage) Usage {
	return Usage{u.InputTokens + more.InputTokens, u.OutputTokens + more.OutputTokens, u.CachedTokens + more.CachedTokens}
}
