package hierarchy

import (
	"context"
	"errors"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// ApprovalType says what a person is asked about.
type ApprovalType string

// The types.
const (
	ApproveEmergent ApprovalType = "emergent" // a specialist
	ApproveAgent    ApprovalType = "agent"    // a task for a member
)

// ApprovalRequest is a question to a person. What stands in it was written by models, except for the names of declared members.
type ApprovalRequest struct {
	ID          string            `json:"id"` // a UUID
	Type        ApprovalType      `json:"type"`
	Caller      tool.Caller       `json:"caller"` // on whose behalf the agency runs
	Run         string            `json:"run"`
	Agent       string            `json:"agent"`  // who wants it
	Action      string            `json:"action"` // spawn_specialist:ROLE or delegate_to_NAME
	Description string            `json:"description"`
	Details     map[string]string `json:"details"`           // role, instructions, justification; or agent, task
	Tools       []string          `json:"tools,omitempty"`   // of a specialist: what it could call
	Members     []string          `json:"members,omitempty"` // of a specialist: who is there already
	Context     ApprovalContext   `json:"context"`
	Deadline    tool.Time         `json:"deadline"` // no answer by then is a no
}

// ApprovalContext is how far the run has come.
type ApprovalContext struct {
	AgentCalls   int     `json:"agentCalls"`
	TotalTokens  int64   `json:"totalTokens"`
	TotalCostUSD float64 `json:"totalCostUSD"`
	ElapsedMs    float64 `json:"elapsedMs"`
}

// Decision is what a person answered.
type Decision struct {
	Approved bool   `json:"approved"`
	By       string `json:"by,omitempty"` // who decided, or what did; needed for a specialist of the shared tier
	Reason   string `json:"reason,omitempty"`
	// Instructions are added to the task, or to the instructions of the specialist, before the judge reads them.
	Instructions string `json:"instructions,omitempty"`
}

// AlwaysApprove and AlwaysReject are for Options.Approve. They answer requests of every type.
func AlwaysApprove(by string) func(context.Context, ApprovalRequest) (Decision, error) {
	return func(context.Context, ApprovalRequest) (Decision, error) { return Decision{Approved: true, By: by}, nil }
}

// AlwaysReject says no, with a reason.
func AlwaysReject(reason string) func(context.Context, ApprovalRequest) (Decision, error) {
	return func(context.Context, ApprovalRequest) (Decision, error) { return Decision{Reason: reason}, nil }
}

// askPerson waits for a decision as long as the Spec says, and no longer, whoever is asked. Everything but a yes is an error.
func (r *run) askPerson(ctx context.Context, q ApprovalRequest) (d Decision, err error) {
	opt, wait := r.agency.opt, time.Duration(r.agency.spec.HITL.Timeout)
	if q.ID, err = r.agency.newID(); err != nil {
		return d, err
	}
	if opt.Approve == nil {
		return d, notApproved("there is nobody to ask")
	}
	q.Caller, q.Run, q.Deadline, q.Context = r.caller, r.id, tool.At(opt.Now().Add(wait)), r.progress()
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type heard struct {
		d   Decision
		err error
	}
	answer := make(chan heard, 1) // whoever answers too late is not waited for
	go func() {
		d, err := opt.Approve(ctx, q)
		answer <- heard{d, err}
	}()
	select {
	case h := <-answer:
		d, err = h.d, h.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, tool.Timeout):
		return d, notApproved("nobody has answered within " + wait.String())
	case err != nil:
		return d, notApproved("nobody could be asked: " + tool.AsError(err).Message)
	case !d.Approved:
		return d, notApproved(d.Reason)
	}
	return d, nil
}

func notApproved(reason string) error {
	if blank(reason) {
		reason = "no reason was given"
	}
	e := tool.Errorf(tool.Denied, "HITL rejected: %s", cutText(reason, maxReason))
	e.Hint = "go on without it"
	return e
}

// progress is how far the run has come.
func (r *run) progress() ApprovalContext {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := r.budget.spent()
	return ApprovalContext{len(r.calls), used.TotalTokens, used.CostUSD, tool.Millis(r.agency.opt.Now().Sub(r.started))}
}
