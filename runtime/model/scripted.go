package model

import (
	"context"
	"slices"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// Scripted is a model that gives replies, or errors, from a list, in order. After the last one it fails: nothing is ever
// made up.
type Scripted struct {
	mu    sync.Mutex
	steps []Step
	asked []Request
}

// Step is one answer of a Scripted model.
type Step struct {
	Reply Reply
	Err   error // instead of the reply; Chat makes it a *tool.Error
}

// NewScripted makes a model that answers with the steps.
func NewScripted(steps ...Step) *Scripted { return &Scripted{steps: steps} }

// Say is a step that replies with a text.
func Say(text string) Step { return Step{Reply: Reply{Text: text}} }

// Call is a step that asks for a tool to be called. The arguments are what a model would write: JSON or not.
func Call(name, arguments string) Step {
	return Step{Reply: Reply{ToolCalls: []ToolCall{newCall("", name, arguments)}}}
}

// Fail is a step that fails.
func Fail(code tool.Code, message string) Step { return Step{Err: tool.Errorf(code, "%s", message)} }

// Chat implements Model.
func (s *Scripted) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := req.check(); err != nil {
		return Reply{}, err
	}
	if err := ctx.Err(); err != nil {
		return Reply{}, source{provider: "script"}.broken(ctx, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.asked)
	if at == len(s.steps) {
		return Reply{}, tool.Errorf(tool.Unavailable, "the script of the model has %d replies, and this is request %d", at, at+1)
	}
	s.asked = append(s.asked, req)
	step := s.steps[at]
	if step.Err != nil {
		return Reply{}, tool.AsError(step.Err)
	}
	return step.reply(), nil
}

// reply fills in what a script may leave out.
func (s Step) reply() Reply {
	r := s.Reply
	r.ToolCalls = slices.Clone(r.ToolCalls)
	identify(r.ToolCalls)
	r.Provider = "script"
	if r.Model == "" {
		r.Model = "script"
	}
	if r.StopReason == "" {
		r.StopReason = StopEnd
		if len(r.ToolCalls) > 0 {
			r.StopReason = StopToolUse
		}
	}
	return r
}

// Asked returns the requests that were answered so far. What they point to is the askers'.
func (s *Scripted) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Left is how many steps have not been used.
func (s *Scripted) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.steps) - len(s.asked)
}
