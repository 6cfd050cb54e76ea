package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// run is one prompt on its way through an agency.
type run struct {
	agency  *Agency
	id      string
	caller  tool.Caller
	started time.Time
	budget  *budget
	events  *stream
	record  transcript
	roster  roster

	spawning sync.Mutex // one specialist at a time, so that no cap is passed
	spawned  int        // under spawning
	judged   int        // the same

	mu      sync.Mutex
	manager Usage
	calls   []AgentCall
	spawns  []Spawn
	notes   []string
}

func (a *Agency) newRun(c tool.Caller, watch func(Event)) *run {
	return &run{
		agency: a, caller: c, started: a.opt.Now(), budget: &budget{limits: a.spec.Limits},
		events: newStream(watch, a.opt.Now), record: transcript{now: a.opt.Now},
	}
}

// begin checks what the run was asked, and gathers the team: its members, and the specialists that are kept.
func (r *run) begin(ctx context.Context, prompt string) (err error) {
	if err := errors.Join(r.caller.Validate(), checkPrompt(prompt)); err != nil {
		return tool.AsError(err)
	}
	id, err := r.agency.newID()
	if err != nil {
		return err
	}
	for _, agent := range r.agency.spec.Agents {
		r.roster.add(&member{Agent: agent, caller: r.callerOf(agent.Persona)})
	}
	kept := r.agency.keptFor(r.caller)
	if e := r.agency.spec.Emergent; e.Enabled && e.Tier == tool.SharedTier {
		if kept, err = r.agency.opt.Shelf.Load(ctx, r.caller, r.agency.spec.Name); err != nil {
			return tool.AsError(err)
		}
	}
	for _, s := range kept {
		r.join(s)
	}
	r.record.add(Turn{Agent: UserName, Text: prompt})
	if err := r.agency.opt.Begin(ctx, id, r.caller, prompt); err != nil {
		return tool.AsError(err)
	}
	r.id, r.events.run = id, id
	r.events.emit(Event{Kind: Begun, Agent: ManagerName})
	lacks, _ := r.agency.spec.Lacks(ctx, r.caller, r.agency.opt.Tools) // who meets the error on a turn tells it
	for _, l := range lacks {
		r.note(l.Agent, l.String())
	}
	return nil
}

// note tells the operator something of an agent.
func (r *run) note(agent, text string) {
	r.mu.Lock()
	r.notes = append(r.notes, text)
	r.mu.Unlock()
	r.events.emit(Event{Kind: Noted, Agent: agent, Text: text})
}

// join takes a specialist that is kept into the team. One that does not fit any more, because the Spec has changed, stays away.
func (r *run) join(s Specialist) {
	m, err := r.forge(s)
	if err == nil && !r.roster.has(s.Role) && r.roster.size() < int(r.agency.spec.Limits.MaxAgents) {
		r.roster.add(m)
	}
}

// callerOf is the caller that an agent of the run acts as.
func (r *run) callerOf(persona string) tool.Caller {
	return tool.Caller{Tenant: r.caller.Tenant, Persona: persona, Session: r.caller.Session}
}

// failure is why the run ended before its answer: the caller went away, a limit was used up, or what the manager met.
func (r *run) failure(ctx, limited context.Context, err error) *tool.Error {
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return tool.Errorf(tool.Canceled, "the run was interrupted")
	case ctx.Err() != nil:
		return tool.AsError(ctx.Err())
	}
	if cause := context.Cause(limited); cause != nil {
		return tool.AsError(cause)
	}
	return tool.AsError(err)
}

// end sums up the run.
func (r *run) end(said answered, failed *tool.Error) *Result {
	if failed == nil && said.reason == Done && blank(said.text) {
		r.note(ManagerName, "the answer of the manager is empty")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	used := r.budget.spent()
	result := &Result{
		ID: r.id, Agency: r.agency.spec.Name, Caller: r.caller, Output: said.text, Reason: said.reason, Error: failed, Notes: r.notes,
		AgentCalls: r.calls, Spawns: r.spawns, Usage: used, ManagerUsage: r.manager, Transcript: r.record.turns(),
		StartedAt: tool.At(r.started), DurationMs: tool.Millis(r.agency.opt.Now().Sub(r.started)),
	}
	if failed != nil {
		result.Reason = r.budget.reason(failed)
	}
	r.events.end(Event{Kind: Final, Agent: ManagerName, Text: result.Output, Reason: result.Reason, Error: failed, Usage: &used})
	return result
}

// room is how much records keep of a text: little once there are many of them. r.mu is held.
func (r *run) room(most int) int {
	if len(r.calls)+len(r.spawns) >= maxWhole {
		return min(most, maxWord)
	}
	return most
}

// maxWhole is how many records keep their texts.
const maxWhole = 200

// log writes an audit entry of an agent of the run.
func (r *run) log(ctx context.Context, by tool.Actor, event tool.EventType, data any) error {
	if err := r.agency.opt.Log(ctx, by, event, data); err != nil {
		return tool.AsError(err)
	}
	return nil
}

func drawID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", tool.Errorf(tool.Internal, "no id can be drawn: %w", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]), nil
}
