package hierarchy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

const (
	maxAttempts  = 3                      // to get one reply
	firstWait    = 200 * time.Millisecond // before the second; it doubles
	maxReplyText = 64 << 10               // of a reply that is not the last, and of the arguments of one call
)

// turn asks the agent's model once, with the tools that there are now. It returns where the transcript has the reply.
func (s *seat) turn(ctx context.Context) (reply model.Reply, at int, err error) {
	s.turns++
	offers, err := s.offers(ctx)
	if err != nil {
		return reply, 0, err
	}
	req := model.Request{System: s.system(), Messages: slices.Clone(s.talk)}
	for _, o := range offers {
		req.Tools = append(req.Tools, o.spec)
	}
	if err := s.run.agency.opt.Prepare(ctx, s.caller, &req); err != nil {
		return reply, 0, tool.AsError(err)
	}
	if reply, err = s.ask(ctx, req); err != nil {
		return reply, 0, err
	}
	s.offered = offers
	used := s.run.agency.usageOf(reply)
	s.run.budget.add(used)
	s.used = s.used.plus(used)
	at = s.run.record.add(Turn{Agent: s.who.Name, Depth: len(s.chain), Turn: s.turns, Text: reply.Text, Usage: used})
	total := s.run.budget.spent()
	s.emit(Event{Kind: Turned, Text: reply.Text})
	s.emit(Event{Kind: Used, Usage: &used, Total: &total})
	if len(reply.ToolCalls) > 0 {
		reply.Text = cutText(reply.Text, maxReplyText)
		reply.ToolCalls = bounded(reply.ToolCalls)
	}
	return reply, at, nil
}

// emit tells the watcher of something that this agent does.
func (s *seat) emit(e Event) {
	if e.Agent == "" {
		e.Agent = s.who.Name
	}
	e.Depth, e.Turn = len(s.chain), s.turns
	s.run.events.emit(e)
}

// ask asks until there is a reply. What may pass is asked again a little later: adapters wait as long as a provider says by
// themselves, so what they report as a quota does not pass.
func (s *seat) ask(ctx context.Context, req model.Request) (model.Reply, error) {
	m, err := s.run.agency.model(s.who, s.caller.Persona)
	if err != nil {
		return model.Reply{}, err
	}
	for attempt := 1; ; attempt++ {
		if err := s.run.budget.ask(); err != nil {
			return model.Reply{}, err
		}
		reply, err := m.Chat(ctx, req)
		if err == nil {
			return reply, nil
		}
		failed := tool.AsError(err)
		if ctx.Err() != nil {
			return model.Reply{}, context.Cause(ctx)
		}
		if passes := failed.Code != tool.OverQuota && failed.RetryAfter > 0; !passes || attempt == maxAttempts {
			return model.Reply{}, failed
		}
		if err := pause(ctx, firstWait<<(attempt-1)); err != nil {
			return model.Reply{}, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// bounded are calls whose arguments can stay in the conversation. Those of one that is too long do not, and it fails.
func bounded(calls []model.ToolCall) []model.ToolCall {
	calls = slices.Clone(calls[:min(len(calls), model.MaxToolCalls)])
	for i := range calls {
		if len(calls[i].Arguments) > maxReplyText {
			calls[i].Arguments, calls[i].Malformed = encode(fmt.Sprintf("[left out: %d bytes]", len(calls[i].Arguments))), true
		}
	}
	return calls
}

// callAll makes the calls of one turn, some at once, and returns their results in the order of the calls.
func (s *seat) callAll(ctx context.Context, calls []model.ToolCall, at int) []model.Message {
	results, records := make([]model.Message, len(calls)), make([]Call, len(calls))
	slots := make(chan struct{}, s.run.agency.spec.Limits.MaxParallel)
	var all sync.WaitGroup
	for i, c := range calls {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			results[i], records[i] = s.call(ctx, c)
		})
	}
	all.Wait()
	s.calls = append(s.calls, withoutTexts(records)...)
	s.run.record.finish(at, records)
	return results
}

// call makes one call. Whatever goes wrong is a result that the agent can react to.
func (s *seat) call(ctx context.Context, c model.ToolCall) (model.Message, Call) {
	began := s.run.agency.opt.Now()
	s.emit(Event{Kind: ToolCalled, Tool: clip(c.Name), CallID: clip(c.ID), Input: cutJSON(c.Arguments, maxEventText)})
	a := s.answer(ctx, c)
	took := tool.Millis(s.run.agency.opt.Now().Sub(began))
	text := a.text()
	s.emit(Event{Kind: ToolReturned, Tool: clip(c.Name), CallID: clip(c.ID), Text: text, Error: a.failed, DurationMs: took})
	record := Call{
		Tool: clip(c.Name), Arguments: cutJSON(c.Arguments, maxCallText), Result: cutText(text, maxCallText),
		Failed: a.failed != nil, DurationMs: took,
	}
	if a.failed != nil {
		return c.Failure(text), record
	}
	return c.Result(text), record
}

// answer is what a call comes to.
func (s *seat) answer(ctx context.Context, c model.ToolCall) answer {
	if err := s.run.budget.call(); err != nil {
		return failure(err)
	}
	if ctx.Err() != nil {
		return failure(context.Cause(ctx))
	}
	at := slices.IndexFunc(s.offered, func(o offer) bool { return o.spec.Name == c.Name })
	switch {
	case at < 0:
		return failure(s.unknown(c.Name))
	case c.Malformed:
		return failure(&tool.Error{
			Code: tool.InvalidInput, Message: "the arguments of " + c.Name + " are not a JSON object, or are longer than 64 KiB",
			Hint: "write one JSON object that fits the parameters of the tool",
		})
	}
	return s.offered[at].do(ctx, c.Arguments)
}

// unknown is the error of a tool that was not offered.
func (s *seat) unknown(name string) error {
	e := tool.Errorf(tool.NotFound, "there is no tool %s", tool.Quote(name))
	if to, delegates := strings.CutPrefix(name, DelegatePrefix); delegates {
		switch {
		case slices.Contains(s.chain, to):
			e = tool.Errorf(tool.Denied, "%s works on this task already: delegation in a circle is cut", to)
		case s.run.roster.has(to) && len(s.chain) >= int(s.run.agency.spec.Limits.MaxDepth):
			e = tool.Errorf(tool.Denied, "tasks are delegated at most %d times over: limits.maxDepth", s.run.agency.spec.Limits.MaxDepth)
		}
	}
	var names []string
	for _, o := range s.offered[:min(len(s.offered), 20)] {
		names = append(names, o.spec.Name)
	}
	e.Hint = "you have no tools: answer without them"
	if len(names) > 0 {
		e.Hint = "these can be called now: " + strings.Join(names, ", ")
	}
	return e
}

// clip cuts a name that a model made up.
func clip(name string) string { return cutText(name, 80) }
