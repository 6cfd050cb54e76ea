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

// Prepare changes a request to a model, on a caller's behalf, before it is made: by the persona's traits and the session's
// parameters, say. It may be called by several goroutines at once.
type Prepare func(ctx context.Context, c tool.Caller, req *model.Request) error

// GenerateText is the tool generate_text: what a model, which must not be nil, says to a prompt. prepare may be nil.
func GenerateText(m model.Model, prepare Prepare) runtime.Tool {
	return runtime.Tool{
		Name: "generate_text", Description: generateDescription,
		InputSchema: json.RawMessage(generateInput), OutputSchema: json.RawMessage(generateOutput),
		Run: func(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
			req, err := readGenerate(call.Input)
			if err == nil && prepare != nil {
				err = prepare(ctx, call.Caller, &req)
			}
			if err != nil {
				return nil, err
			}
			return generate(ctx, m, req)
		},
	}
}

// readGenerate reads an input into the request that it stands for.
func readGenerate(input json.RawMessage) (req model.Request, err error) {
	ask := struct {
		Prompt    string `json:"prompt"`
		System    string `json:"system"`
		MaxTokens int    `json:"maxTokens"`
	}{MaxTokens: usualTokens}
	if err := read(input, &ask); err != nil {
		return req, err
	}
	switch {
	case ask.Prompt == "" || utf8.RuneCountInString(ask.Prompt) > maxPrompt:
		return req, invalid("/prompt", "the prompt is empty or too long", "give 1 to 200000 characters")
	case utf8.RuneCountInString(ask.System) > maxPrompt:
		return req, invalid("/system", "the system text is too long", "give at most 200000 characters")
	case ask.MaxTokens < 1 || ask.MaxTokens > maxTokens:
		return req, invalid("/maxTokens", "maxTokens is out of range", "give 1 to 4096")
	}
	return model.Request{System: ask.System, Messages: []model.Message{model.Ask(ask.Prompt)}, MaxTokens: ask.MaxTokens}, nil
}

func generate(ctx context.Context, m model.Model, req model.Request) (json.RawMessage, error) {
	reply, err := m.Chat(ctx, req)
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
