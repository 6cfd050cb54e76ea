package hierarchy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// maxTask bounds the task that a member gets.
const maxTask = 64 << 10

// delegation is what an agent writes to delegate.
type delegation struct {
	Task string `json:"task"`
}

const delegationSchema = `{"type":"object","properties":{"task":{"type":"string","description":"What the member is to do, with all that it needs to know."}},` +
	`"required":["task"],"additionalProperties":false}`

// delegateTo is the tool that gives a member a task.
func (s *seat) delegateTo(m *member) offer {
	spec := model.ToolSpec{
		Name: DelegatePrefix + m.Name, Schema: json.RawMessage(delegationSchema),
		Description: cutText(fmt.Sprintf("Gives a task to %s, and returns its answer. %s", m.Name, m.about()), maxListed+200),
	}
	return offer{spec, func(ctx context.Context, arguments json.RawMessage) answer {
		d, err := readDelegation(arguments)
		if err != nil {
			return failure(err)
		}
		return s.delegate(ctx, m, d.Task)
	}}
}

func readDelegation(arguments json.RawMessage) (d delegation, err error) {
	if err := wire.JSON(arguments, &d); err != nil {
		return d, badArguments(err, `write {"task": "what the member is to do"}`)
	}
	switch {
	case blank(d.Task):
		err = &tool.Error{Code: tool.InvalidInput, Path: "/task", Message: "the task is missing or empty", Hint: "say what the member is to do"}
	case len(d.Task) > maxTask:
		err = &tool.Error{Code: tool.InvalidInput, Path: "/task", Message: "the task is too long", Hint: "write at most 64 KiB"}
	}
	return d, err
}

// badArguments is an error of reading in the words of a call.
func badArguments(err error, hint string) error {
	e := *tool.AsError(err)
	e.Code, e.Hint = tool.InvalidInput, hint
	return &e
}

// delegate gives a member a task, if whoever has to be asked agrees, and answers with what it says.
func (s *seat) delegate(ctx context.Context, m *member, task string) answer {
	began := s.run.agency.opt.Now()
	decision, err := s.run.mayWork(ctx, s.who.Name, m, task)
	if err != nil {
		return failure(err)
	}
	child := s.run.seat(m.Agent, m.caller, append(slices.Clone(s.chain), m.Name))
	child.emit(Event{Kind: Delegated, Text: task})
	found, err := child.work(ctx, withAdvice(task, decision.Instructions))
	a := child.answerOf(found, err)
	call := AgentCall{
		Agent: m.Name, By: s.who.Name, Input: task, Output: cutText(found.text, maxAnswer), Error: a.failed, ToolCalls: append([]Call{}, child.calls...),
		Usage: child.used, DurationMs: tool.Millis(s.run.agency.opt.Now().Sub(began)), Emergent: m.emergent, ApprovedBy: decision.By,
	}
	s.run.called(call)
	child.emit(Event{Kind: DelegateEnded, Text: call.Output, Error: call.Error, Usage: &call.Usage, DurationMs: call.DurationMs})
	if err := s.run.log(context.WithoutCancel(ctx), tool.Actor{Caller: m.caller}, tool.Delegated, call.entry(s.run.id)); err != nil {
		return failure(err)
	}
	return a
}

// withAdvice is a task with what a person who approved it adds.
func withAdvice(task, advice string) string {
	if blank(advice) {
		return task
	}
	return task + "\n\n" + cutText(advice, maxTask)
}

// answerOf is what whoever delegated hears of an agent that has stopped.
func (s *seat) answerOf(found answered, err error) answer {
	if err != nil {
		e := *tool.AsError(err)
		e.Message = s.who.Name + " has failed: " + e.Message
		return answer{failed: &e}
	}
	a := said(found.text)
	switch found.reason { //nolint:exhaustive // the others do not end a member
	case Steps:
		a.failed = tool.Errorf(tool.Limit, "%s has used all of its %d turns without an answer", s.who.Name, s.who.MaxSteps)
		a.failed.Hint = "give it a smaller task"
	case Refused:
		a.failed = tool.Errorf(tool.Rejected, "the model of %s would not answer", s.who.Name)
		a.failed.Hint = "put the task in other words, or go on without it"
	case Cut:
		a.note = "the answer was cut at the limit of the model"
	}
	return a
}

// called keeps the record of a task that was delegated.
func (r *run) called(call AgentCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call.Input, call.Output = cutText(call.Input, r.room(maxTurnText)), cutText(call.Output, r.room(maxTurnText))
	r.calls = append(r.calls, call)
}

// delegatedEntry is what the audit log tells of a task that was delegated: no texts.
type delegatedEntry struct {
	Run        string    `json:"run"`
	Agent      string    `json:"agent"`
	By         string    `json:"by"`
	Emergent   bool      `json:"emergent"`
	ApprovedBy string    `json:"approvedBy,omitempty"`
	OK         bool      `json:"ok"`
	Code       tool.Code `json:"code,omitempty"`
	Tokens     int64     `json:"tokens"`
	DurationMs float64   `json:"durationMs"`
}

func (c AgentCall) entry(run string) delegatedEntry {
	e := delegatedEntry{
		Run: run, Agent: c.Agent, By: c.By, Emergent: c.Emergent, ApprovedBy: c.ApprovedBy, OK: c.Error == nil, Tokens: c.Usage.TotalTokens,
		DurationMs: c.DurationMs,
	}
	if c.Error != nil {
		e.Code = c.Error.Code
	}
	return e
}

// refusedEntry is what the audit log tells of a task that a person did not approve.
type refusedEntry struct {
	Run       string `json:"run"`
	Agent     string `json:"agent"`
	By        string `json:"by"`
	DecidedBy string `json:"decidedBy,omitempty"` // missing when nobody has answered
	Reason    string `json:"reason"`
}

// mayWork asks a person whether a member may get a task, where the Spec wants that. The decision is empty where it does not.
func (r *run) mayWork(ctx context.Context, by string, m *member, task string) (Decision, error) {
	if !slices.Contains(r.agency.spec.HITL.Approvals.BeforeAgent, m.Name) {
		return Decision{}, nil
	}
	d, refused := r.askPerson(ctx, ApprovalRequest{
		Type: ApproveAgent, Agent: by, Action: DelegatePrefix + m.Name, Description: fmt.Sprintf("%s wants to give %s a task", by, m.Name),
		Details: map[string]string{"agent": m.Name, "task": task},
	})
	if refused == nil {
		return d, nil
	}
	entry := refusedEntry{Run: r.id, Agent: m.Name, By: by, DecidedBy: cutText(d.By, maxWord), Reason: tool.AsError(refused).Message}
	if err := r.log(context.WithoutCancel(ctx), tool.Actor{Caller: r.caller}, tool.DelegateRejected, entry); err != nil {
		return d, err
	}
	return d, refused
}
