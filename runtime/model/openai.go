package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"

	openai "github.com/sashabaranov/go-openai"

	"example.com/toolsmith/runtime/tool"
)

// openAI asks a server that speaks OpenAI's chat completions.
type openAI struct {
	client *openai.Client
	who    source
	schema bool // a schema of the reply may be sent
	theirs bool // OpenAI's own server, which wants max_completion_tokens; others know max_tokens only
}

func newOpenAI(x *exchange, base *url.URL, p provider) *openAI {
	config := openai.DefaultConfig(x.who.key)
	config.BaseURL = base.String()
	config.HTTPClient = doer{x}
	return &openAI{openai.NewClientWithConfig(config), x.who, p.schema, base.Host == "api.openai.com"}
}

// Chat implements Model.
func (m *openAI) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := req.check(); err != nil {
		return Reply{}, err
	}
	resp, err := m.client.CreateChatCompletion(ctx, m.request(req))
	if err != nil {
		return Reply{}, m.failed(err)
	}
	return m.reply(resp)
}

// failed tells our errors from those of the library.
func (m *openAI) failed(err error) error {
	if known, ok := errors.AsType[*tool.Error](err); ok {
		return known
	}
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return m.who.fault("gave an answer that is no chat completion")
	}
	return tool.Errorf(tool.InvalidRequest, "the model %s cannot be asked so: %w", clip(m.who.model), err)
}

func (m *openAI) request(req Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: m.who.model, Messages: m.messages(req), MaxCompletionTokens: req.MaxTokens}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: t.schema(),
		}})
	}
	if req.Temperature != nil {
		out.Temperature = max(float32(*req.Temperature), math.SmallestNonzeroFloat32) // the library leaves out 0
	}
	if req.Seed != nil {
		seed := int(*req.Seed)
		out.Seed = &seed
	}
	if m.schema && len(req.JSONSchema) > 0 {
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "reply", Schema: req.JSONSchema, Strict: true},
		}
	}
	m.suit(&out)
	return out
}

// suit fits a request to the server and to what the library knows of reasoning models: these count other tokens and have no
// temperature.
func (m *openAI) suit(out *openai.ChatCompletionRequest) {
	rules := openai.NewReasoningValidator()
	old := *out
	old.MaxTokens, old.MaxCompletionTokens = out.MaxCompletionTokens, 0 //nolint:staticcheck // what others than OpenAI know
	if !m.theirs && !errors.Is(rules.Validate(old), openai.ErrReasoningModelMaxTokensDeprecated) {
		*out = old
	}
	if err := rules.Validate(*out); errors.Is(err, openai.ErrReasoningModelLimitationsOther) || errors.Is(err, openai.ErrReasoningSamplingUnsupported) {
		out.Temperature = 0
	}
}

func (m *openAI) messages(req Request) []openai.ChatCompletionMessage {
	var out []openai.ChatCompletionMessage
	if req.System != "" {
		out = append(out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: req.System})
	}
	for _, msg := range req.Messages {
		one := openai.ChatCompletionMessage{Role: string(msg.Role), Content: msg.Text, ToolCallID: msg.CallID}
		if msg.Role == Tool {
			one.Content = resultText(msg)
		}
		for _, c := range msg.ToolCalls {
			one.ToolCalls = append(one.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: c.name(), Arguments: string(c.arguments())},
			})
		}
		out = append(out, one)
	}
	return out
}

// resultText is the result of a tool as this protocol carries it: it has no mark for failures, and takes no empty text.
func resultText(msg Message) string {
	switch {
	case msg.Failed:
		return "error: " + msg.Text
	case msg.Text == "":
		return "(empty)"
	}
	return msg.Text
}

func (m *openAI) reply(resp openai.ChatCompletionResponse) (Reply, error) {
	if len(resp.Choices) == 0 {
		return Reply{}, m.who.fault("gave an answer without a reply in it")
	}
	choice := resp.Choices[0]
	if choice.FinishReason == "error" { // a gateway whose own provider failed
		return Reply{}, m.who.fault("broke off its reply")
	}
	r := Reply{Text: choice.Message.Content, Model: resp.Model, Usage: Usage{
		InputTokens: int64(resp.Usage.PromptTokens), OutputTokens: int64(resp.Usage.CompletionTokens),
	}}
	if details := resp.Usage.PromptTokensDetails; details != nil {
		r.Usage.CachedTokens = int64(details.CachedTokens)
	}
	for _, part := range choice.Message.MultiContent {
		r.Text += part.Text
	}
	for _, c := range choice.Message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, newCall(c.ID, c.Function.Name, c.Function.Arguments))
	}
	r.StopReason = openAIStop(choice.FinishReason, len(r.ToolCalls) > 0)
	if choice.Message.Refusal != "" {
		r.Text, r.StopReason = choice.Message.Refusal, StopRefusal
	}
	return m.who.finish(r)
}

// openAIStop reads why a reply ends. Some servers say "stop" with tool calls.
func openAIStop(reason openai.FinishReason, calls bool) StopReason {
	switch reason {
	case openai.FinishReasonLength:
		return StopLength
	case openai.FinishReasonContentFilter:
		return StopRefusal
	case openai.FinishReasonStop, openai.FinishReasonToolCalls, openai.FinishReasonNull, "":
		if calls {
			return StopToolUse
		}
		return StopEnd
	default:
		return StopOther
	}
}

// doer lets the library send through an exchange.
type doer struct{ *exchange }

// Do implements openai.HTTPDoer.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	answer, err := d.post(req.Context(), req.URL.String(), req.Header, body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer))}, nil
}

var _ openai.HTTPDoer = doer{}
