package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Step is one answer of the server. The zero value is a reply with no text.
type Step struct {
	// When is text that the body of a request has to hold for the step to be its answer. A request gets the first step that
	// is left and fits it; so requests that come at the same time can be told apart.
	When string `json:"when,omitempty"`

	// What the model says. JSON stands in for Text.
	Text  string          `json:"text,omitempty"`
	JSON  json.RawMessage `json:"json,omitempty"`
	Calls []Call          `json:"calls,omitempty"`
	Stop  string          `json:"stop,omitempty"` // in the protocol's own words; "" fits the reply

	// Echo is a regular expression. What its first group finds in the body of the request stands in for $1 in what the model
	// says: so it can repeat what it was told.
	Echo string `json:"echo,omitempty"`

	// The tokens that it reports; 0 means 10 in and 5 out, below zero none.
	InputTokens  int `json:"inputTokens,omitempty"`
	OutputTokens int `json:"outputTokens,omitempty"`

	// What goes wrong.
	Status     int               `json:"status,omitempty"`     // other than 200: an error in the protocol's shape
	Message    string            `json:"message,omitempty"`    // of that error
	Type       string            `json:"type,omitempty"`       // of that error
	RetryAfter string            `json:"retryAfter,omitempty"` // the header, as it is sent
	Header     map[string]string `json:"header,omitempty"`
	Body       string            `json:"body,omitempty"`    // sent as it is, instead of all that stands above
	DelayMs    int               `json:"delayMs,omitempty"` // milliseconds before anything is sent
	Cut        bool              `json:"cut,omitempty"`     // the connection ends in the middle of the body
	Hang       bool              `json:"hang,omitempty"`    // nothing is sent at all; with Cut, nothing after the middle
}

// Call is a tool call of the model.
type Call struct {
	ID   string `json:"id,omitempty"` // "" means one that is counted up
	Name string `json:"name"`
	// Arguments is what the model writes: JSON, or what is not. In a file of steps it is JSON, and a string stands for its text.
	Arguments Arguments `json:"arguments,omitempty"`
}

// Arguments is the text of a call's arguments.
type Arguments string

// UnmarshalJSON takes a string for the text and anything else as it stands.
func (a *Arguments) UnmarshalJSON(raw []byte) error {
	text, ok := asText(raw)
	if !ok {
		text = string(raw)
	}
	*a = Arguments(text)
	return nil
}

// Text is a step that says something.
func Text(text string) Step { return Step{Text: text} }

// JSON is a step that says a value as JSON. It panics when the value has no such form.
func JSON(value any) Step {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("modeltest.JSON: %v", err))
	}
	return Step{JSON: text}
}

// Calls is a step that asks for one tool to be called.
func Calls(name, arguments string) Step {
	return Step{Calls: []Call{{Name: name, Arguments: Arguments(arguments)}}}
}

// Fault is a step that fails with an HTTP status.
func Fault(status int, message string) Step { return Step{Status: status, Message: message} }

// Parse reads a JSON list of steps, in which a string is a Text. Members that there are not are errors.
func Parse(text []byte) ([]Step, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("the steps are not a JSON list: %w", err)
	}
	steps := make([]Step, len(list))
	for i, raw := range list {
		if text, ok := asText(raw); ok {
			steps[i].Text = text
			continue
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&steps[i]); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if _, err := regexp.Compile(steps[i].Echo); err != nil {
			return nil, fmt.Errorf("step %d: echo: %w", i+1, err)
		}
	}
	return steps, nil
}

// asText returns the text that a JSON string stands for.
func asText(raw []byte) (text string, ok bool) {
	ok = bytes.HasPrefix(raw, []byte{'"'}) && json.Unmarshal(raw, &text) == nil
	return text, ok
}

func (s Step) delay() time.Duration { return time.Duration(s.DelayMs) * time.Millisecond }

// text is what the model says.
func (s Step) text() string {
	if len(s.JSON) > 0 {
		return string(s.JSON)
	}
	return s.Text
}

// to is the step as the answer to a request.
func (s Step) to(body []byte) Step {
	if s.Echo == "" {
		return s
	}
	found := ""
	if m := regexp.MustCompile(s.Echo).FindSubmatch(body); len(m) > 1 {
		found = string(m[1])
	}
	s.Text, s.JSON = strings.ReplaceAll(s.text(), "$1", found), nil
	return s
}

// tokens returns the tokens in and out.
func (s Step) tokens() (in, out int) { return tokens(s.InputTokens, 10), tokens(s.OutputTokens, 5) }

func tokens(given, otherwise int) int {
	if given == 0 {
		return otherwise
	}
	return max(given, 0)
}
