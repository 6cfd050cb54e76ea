package builtin

import (
	"bytes"
	"encoding/json"
	"errors"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// All are the tools of this package; generate_text is one of them when there is a model. prepare, which may be nil, is handed
// its requests.
func All(m model.Model, prepare Prepare) []runtime.Tool {
	all := []runtime.Tool{HTTPRequest(), ReadFile(), JSONQuery(), TextTemplate()}
	if m != nil {
		all = append(all, GenerateText(m, prepare))
	}
	return all
}

// CheckText returns why a tool of this package refuses a text in a member of its input, whatever else the input has: a template or a
// query that cannot be read. The error is a *tool.Error of code InvalidInput.
func CheckText(name, member, text string) (err error) {
	switch name + "." + member {
	case "text_template.template":
		_, err = parseTemplate(text)
	case "json_query.query":
		_, err = parseQuery(text)
	}
	return err
}

// powers are those of a call; a call without any has none that are granted.
func powers(call *runtime.Invocation) *hostapi.Session {
	if call.Powers == nil {
		return hostapi.New(hostapi.Options{}).Begin(nil, 0) // it opens nothing that must be closed
	}
	return call.Powers
}

// read puts the input of a call into a struct. The schema has been asked before; this is for whoever calls without it.
func read(input json.RawMessage, into any) error {
	err := json.Unmarshal(input, into)
	if err == nil {
		return nil
	}
	e := tool.Errorf(tool.InvalidInput, "the input cannot be read: %w", err)
	e.Hint = "give one JSON object, as the input schema has it"
	return e
}

// write is the result of a call as JSON. Raw messages in it keep their text.
func write(result any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return nil, tool.Errorf(tool.Internal, "the result cannot be written: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// invalid is an error in a member of the input.
func invalid(path, message, hint string) *tool.Error {
	return &tool.Error{Code: tool.InvalidInput, Path: path, Message: message, Hint: hint}
}

// hinted gives an error of one of the codes a hint, unless it has one.
func hinted(err error, hints map[tool.Code]string) error {
	known, ok := errors.AsType[*tool.Error](err)
	if !ok || known.Hint != "" {
		return err
	}
	e := *known
	e.Hint = hints[e.Code]
	return &e
}

// clip cuts what a message repeats of its input to a readable length.
func clip(text string) string {
	const most = 60
	if runes := []rune(text[:min(len(text), 4*most)]); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
