package builtin

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Bounds of what a model is asked.
const (
	usualTokens = 1024
	maxTokens   = 4096
	maxPrompt   = 200_000 // characters of the prompt, and of the system text
)

const generateDescription = `Asks a language model to write text, and returns what it wrote. Use it to summarise, translate, classify or phrase something within a pipeline.

Arguments: prompt (the task, with all that the model has to know: it remembers nothing and has no tools), system (how it is to behave, optional), maxTokens (1 to 4096, 1024 when left out).
Result: text, model (its name), stopReason ("end" when it had said all, "length" when maxTokens cut the text, "refusal" when it would not).
Limits: 200000 characters each of prompt and system. The same prompt can give another text each time. When the model's provider fails, the code is unavailable: try again later.
Example: {"prompt": "Write a title for this text: ...", "maxTokens": 40}`

const generateInput = `{
	"type": "object",
	"properties": {
		"prompt": {"type": "string", "minLength": 1, "maxLength": 200000, "description": "What the model is to do, with all that it has to know."},
		"system": {"type": "string", "maxLength": 200000, "description": "How the model is to behave."},
		"maxTokens": {"type": "integer", "minimum": 1, "maximum": 4096, "description": "The most tokens of the answer; 1024 when left out."}
	},
	"required": ["prompt"],
	"additionalProperties": false
}`

const generateOutput = `{
	"type": "object",
	"properties": {
		"text": {"type": "string", "description": "What the model wrote."},
		"model": {"type": "string", "description": "The model, as its provider names it."},
		"stopReason": {"type": "string", "description": "Why the text ends: end, length, refusal or other."}
	},
	"required": ["text", "model", "stopReason"],
	"additionalProperties": false
}`

// GenerateText is the tool generate_text: what a model, which must not be nil, says to a prompt.
func GenerateText(m model.Model) runtime.Tool {
	return runtime.Tool{
		Name: "generate_text", Description: generateDescription,
		InputSchema: json.RawMessage(generateInput), OutputSchema: json.RawMessage(generateOutput),
		Run: func(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
			return generate(ctx, m, call.Input)
		},
	}
}

func generate(ctx context.Context, m model.Model, input json.RawMessage) (json.RawMessage, error) {
	ask := struct {
		Prompt    string `json:"prompt"`
		System    string `json:"system"`
		MaxTokens int    `json:"maxTokens"`
	}{MaxTokens: usualTokens}
	if err := read(input, &ask); err != nil {
		return nil, err
	}
	switch {
	case ask.Prompt == "" || utf8.RuneCountInString(ask.Prompt) > maxPrompt:
		return nil, invalid("/prompt", "the prompt is empty or too long", "give 1 to 200000 characters")
	case utf8.RuneCountInString(ask.System) > maxPrompt:
		return nil, invalid("/system", "the system text is too long", "give at most 200000 characters")
	case ask.MaxTokens < 1 || ask.MaxTokens > maxTokens:
		return nil, invalid("/maxTokens", "maxTokens is out of range", "give 1 to 4096")
	}
	reply, err := m.Chat(ctx, model.Request{System: ask.System, Messages: []model.Message{model.Ask(ask.Prompt)}, MaxTokens: ask.MaxTokens})
	if err != nil {
		return nil, modelFailed(err)
	}
	return write(struct {
		Text       string           `json:"text"`
		Model      string           `json:"model"`
		StopReason model.StopReason `json:"stopReason"`
	}{reply.Text, reply.Model, reply.StopReason})
}

// modelFailed is the error of a model for the caller of a tool, who asked for nothing that a provider could find invalid.
func modelFailed(err error) error {
	e := *tool.AsError(err)
	switch e.Code {
	case tool.Canceled, tool.Timeout, tool.OverQuota, tool.Limit:
	default:
		e.Code = tool.Unavailable
	}
	if e.Hint == "" && e.Code != tool.Canceled {
		e.Hint = "try again later, or ask for less"
	}
	return &e
}
