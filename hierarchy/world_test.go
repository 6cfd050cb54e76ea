package hierarchy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// brain is a model that is a function.
type brain func(ctx context.Context, req model.Request) (model.Reply, error)

func (b brain) Chat(ctx context.Context, req model.Request) (model.Reply, error) { return b(ctx, req) }

// says is a brain that always says the same.
func says(text string) brain {
	return func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{Text: text, StopReason: model.StopEnd, Usage: model.Usage{InputTokens: 10, OutputTokens: 5}}, nil
	}
}

// call is a tool call of a scripted turn.
func call(name, arguments string) model.ToolCall {
	return model.Call(name, arguments).Reply.ToolCalls[0]
}

// calls is a turn with several tool calls.
func calls(list ...model.ToolCall) model.Step {
	return model.Step{Reply: model.Reply{ToolCalls: list, Usage: model.Usage{InputTokens: 10, OutputTokens: 5}}}
}

func delegates(to, task string) model.ToolCall {
	return call(DelegatePrefix+to, string(encode(map[string]string{"task": task})))
}

func spawn(role, instructions, justification string) model.ToolCall {
	return call(SpawnTool, string(encode(map[string]string{"role": role, "instructions": instructions, "justification": justification})))
}

// judges is a judge that is a function.
type judges func(a judge.Agent) judge.AgentVerdict

func (j judges) ReviewAgent(_ context.Context, _ tool.Actor, a judge.Agent) judge.AgentVerdict {
	return j(a)
}

func approves(judge.Agent) judge.AgentVerdict {
	return judge.AgentVerdict{Approved: true, Reason: "fine"}
}

func rejects(judge.Agent) judge.AgentVerdict { return judge.AgentVerdict{Reason: "too vague"} }

// entry is what was written to the audit log.
type entry struct {
	by    tool.Actor
	event tool.EventType
	data  string
}

// desk is an agency of two, with models by name: boss is the manager's, those of members are called as they are, and
// specialists have special.
type desk struct {
	spec   Spec
	opt    Options
	models map[string]model.Model

	mu     sync.Mutex
	logs   []entry
	events []Event
}

var boss = tool.Caller{Tenant: "acme", Persona: "boss", Session: "s1"}

func newDesk(manager ...model.Step) *desk {
	d := &desk{models: map[string]model.Model{
		"boss": model.NewScripted(manager...), "researcher": says("It is 42."), "writer": says("A fine text."), "special": says("Done by a specialist."),
	}}
	d.spec = Spec{
		Name: "desk", Provider: "script", Model: "boss", Instructions: "Be brief.",
		Agents: []Agent{
			{Name: "researcher", Instructions: "Find facts.", Model: "researcher"},
			{Name: "writer", Description: "writes", Instructions: "Write well.", Model: "writer"},
		},
		Emergent: Emergent{Enabled: true, Planner: Planner{DefaultModel: "special"}},
	}
	d.opt = Options{Model: d.model, Log: d.log, Judge: judges(approves)}
	return d
}

func (d *desk) model(_, name string) (model.Model, error) {
	if m := d.models[name]; m != nil {
		return m, nil
	}
	return nil, tool.Errorf(tool.Unavailable, "there is no model %s", name)
}

func (d *desk) log(_ context.Context, by tool.Actor, event tool.EventType, data any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.logs = append(d.logs, entry{by, event, string(encode(data))})
	return nil
}

func (d *desk) watch(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, e)
}

func (d *desk) made(t *testing.T) *Agency {
	t.Helper()
	a, err := New(d.spec, d.opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// run runs the agency once; it has to go well.
func (d *desk) run(t *testing.T) *Result {
	t.Helper()
	result, err := d.made(t).Run(t.Context(), boss, "What is it?", d.watch)
	if err != nil {
		t.Fatalf("%v, after %+v", err, result.Transcript)
	}
	return result
}

// asked returns what a scripted model was asked.
func (d *desk) asked(name string) []model.Request { return d.models[name].(*model.Scripted).Asked() }

// heard returns the results that the manager got, of all its turns.
func (d *desk) heard() (list []string) {
	asked := d.asked("boss")
	for _, m := range asked[len(asked)-1].Messages {
		if m.Role == model.Tool {
			list = append(list, m.Text)
		}
	}
	return list
}

func (d *desk) kinds() (list []EventKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.events {
		list = append(list, e.Kind)
	}
	return list
}

func (d *desk) logged(event tool.EventType) (list []entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.logs {
		if e.event == event {
			list = append(list, e)
		}
	}
	return list
}

// offered are the names of the tools that a request offers.
func offered(req model.Request) (names []string) {
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return names
}

// hostTools is a host that has these tools, and answers each call with the name of the tool, its caller and the input.
func (d *desk) hostTools(names ...string) {
	d.opt.Tools = func(_ context.Context, _ tool.Caller, wanted []string) (list []model.ToolSpec, err error) {
		for _, name := range names {
			if slices.Contains(wanted, name) {
				list = append(list, model.ToolSpec{Name: name, Description: "a tool of the host"})
			}
		}
		return list, nil
	}
	d.opt.Call = func(_ context.Context, c tool.Caller, name string, input json.RawMessage) (json.RawMessage, tool.Spent, error) {
		return encode(map[string]any{"tool": name, "persona": c.Persona, "session": c.Session, "tenant": c.Tenant, "input": input}), tool.Spent{}, nil
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
}

// soon fails a test when something has not ended long after it should have.
func soon(t *testing.T, what string, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal(what + " has not ended")
	}
}

func deciding(d Decision) func(context.Context, ApprovalRequest) (Decision, error) {
	return func(context.Context, ApprovalRequest) (Decision, error) { return d, nil }
}

// shelf is a Shelf in memory.
type shelf struct {
	mu   sync.Mutex
	list []Specialist
	by   []string
}

func (s *shelf) Load(context.Context, tool.Caller, string) ([]Specialist, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list), nil
}

func (s *shelf) Save(_ context.Context, by tool.Actor, agency string, one Specialist) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list, s.by = append(s.list, one), append(s.by, fmt.Sprintf("%s in %s", by, agency))
	return 1, nil
}
