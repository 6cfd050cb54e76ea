package hierarchy

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// MaxPromptBytes bounds what a run is asked.
const MaxPromptBytes = 256 << 10

// maxOwners bounds the personas whose specialists one Agency keeps; those of others end with their run.
const maxOwners = 1000

// Options are the world of an agency. Only Model has to be there. All functions are called by several goroutines at once, and
// return soon after their context has ended.
type Options struct {
	// Model opens the model of an agent; empty names are the configured ones. It is asked once for each pair.
	Model func(provider, name string) (model.Model, error)
	// PersonaModel names the model that a persona has of a provider, where neither agent nor agency names one; with nil none has.
	PersonaModel func(provider, persona string) string
	// Tools is what an agent that lists these names is offered now, under its own caller. nil offers nothing.
	Tools func(ctx context.Context, c tool.Caller, names []string) ([]model.ToolSpec, error)
	// Call calls a tool that was offered. It checks the input and the rights of the caller. What it spent on judges counts for the
	// run, also with an error.
	Call func(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (out json.RawMessage, spent tool.Spent, err error)
	// Prepare puts what a persona has become into each request to a model; nil leaves requests as they are.
	Prepare func(ctx context.Context, c tool.Caller, req *model.Request) error
	// Judge reads specialists before they exist; with nil those that are to be judged are refused.
	Judge Judge
	// Approve asks a person. Whoever is not heard within the time limit has said no. nil is nobody to ask.
	Approve func(ctx context.Context, r ApprovalRequest) (Decision, error)
	// Begin is told of each run before anything is done; its error ends the run. nil is told nothing.
	Begin func(ctx context.Context, id string, c tool.Caller, prompt string) error
	// Log writes an audit entry, which is on disk when it returns; nil writes none.
	Log func(ctx context.Context, by tool.Actor, event tool.EventType, data any) error
	// Shelf keeps the specialists of the shared tier; the other tiers do not need it.
	Shelf Shelf
	// Price is what a reply cost in US dollars; with nil nothing costs anything.
	Price func(r model.Reply) float64

	Now    func() time.Time // nil: time.Now
	Random io.Reader        // of ids; nil: crypto/rand
}

// Agency is a team that can be put to work. It holds the specialists of the agent tier, for each persona its own.
type Agency struct {
	spec Spec
	opt  Options

	mu     sync.Mutex
	models map[[2]string]model.Model // by provider and name
	kept   map[owner][]Specialist
}

// owner is whose specialists an agency keeps.
type owner struct{ tenant, persona string }

// New makes an agency. The error is InvalidRequest for a Spec that is not valid or that needs what the options lack, and
// that of Options.Model for a model that cannot be opened.
func New(spec Spec, opt Options) (*Agency, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	a := &Agency{spec: spec.WithDefaults(), opt: opt.withDefaults(), models: map[[2]string]model.Model{}, kept: map[owner][]Specialist{}}
	if err := a.lacks(); err != nil {
		return nil, err
	}
	for _, m := range append(slices.Clone(a.spec.Agents), a.manager()) {
		if _, err := a.model(m, m.Persona); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// lacks says what the Spec needs and the options do not have.
func (a *Agency) lacks() error {
	lacking := func(path, what, hint string) error {
		return &tool.Error{Code: tool.InvalidRequest, Path: path, Message: what, Hint: hint}
	}
	shared := a.spec.Emergent.Enabled && a.spec.Emergent.Tier == tool.SharedTier
	switch {
	case a.opt.Model == nil:
		return lacking("", "an agency needs models", "set Options.Model")
	case a.spec.HITL.Approvals.Any() && a.opt.Approve == nil:
		return lacking("/hitl/approvals", "approvals are configured, and there is nobody to ask", "say who approves, or take the approvals out")
	case shared && (a.opt.Shelf == nil || a.opt.Approve == nil):
		return lacking("/emergent/tier", "shared specialists need a shelf and somebody who approves them", "use the tier agent or session")
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.PersonaModel == nil {
		o.PersonaModel = func(string, string) string { return "" }
	}
	if o.Tools == nil {
		o.Tools = func(context.Context, tool.Caller, []string) ([]model.ToolSpec, error) { return nil, nil }
	}
	if o.Call == nil {
		o.Call = func(_ context.Context, _ tool.Caller, name string, _ json.RawMessage) (json.RawMessage, tool.Spent, error) {
			return nil, tool.Spent{}, tool.Errorf(tool.NotFound, "there is no tool %s", tool.Quote(name))
		}
	}
	if o.Prepare == nil {
		o.Prepare = func(context.Context, tool.Caller, *model.Request) error { return nil }
	}
	if o.Begin == nil {
		o.Begin = func(context.Context, string, tool.Caller, string) error { return nil }
	}
	if o.Log == nil {
		o.Log = func(context.Context, tool.Actor, tool.EventType, any) error { return nil }
	}
	if o.Price == nil {
		o.Price = func(model.Reply) float64 { return 0 }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o
}

// Spec is what the agency was made of, with its defaults.
func (a *Agency) Spec() Spec { return a.spec }

// Run puts the agency to work on one prompt. The caller's persona is that of the manager, and its session that of all agents.
// The result is never nil and says what was done, with an error, too. The error is a *tool.Error: InvalidRequest for a prompt
// or a caller that cannot be, OverQuota and Timeout when the limits of the run are used up, Canceled, or that of the manager's
// model.
//
// The watcher, if any, is told of events as they happen, in order, by one goroutine, and not after Run has returned. It does
// not hold up the run: one that falls behind by more than 1,024 events misses some, and one that has not caught up a second
// after the end misses the rest.
func (a *Agency) Run(ctx context.Context, c tool.Caller, prompt string, watch func(Event)) (*Result, error) {
	r := a.newRun(c, watch)
	if err := r.begin(ctx, prompt); err != nil {
		failed := tool.AsError(err)
		return r.end(answered{}, failed), failed
	}
	limited, release := context.WithTimeoutCause(ctx, time.Duration(a.spec.Limits.Timeout), a.timedOut())
	defer release()
	limited, stop := context.WithCancelCause(limited)
	defer stop(nil)
	r.budget.stop = stop
	manager := r.seat(a.manager(), c, nil)
	said, err := manager.work(limited, prompt)
	r.manager = manager.used
	if err != nil {
		failed := r.failure(ctx, limited, err)
		return r.end(said, failed), failed
	}
	return r.end(said, nil), nil
}

func (a *Agency) timedOut() error {
	e := tool.Errorf(tool.Timeout, "the run took longer than %v, which is what limits.timeout allows", time.Duration(a.spec.Limits.Timeout))
	e.Hint = "raise limits.timeout (at most 1h), or ask for less at once"
	return e
}

// manager is the manager as one of the agents.
func (a *Agency) manager() Agent {
	return Agent{Name: ManagerName, Persona: a.spec.Persona, Instructions: a.spec.Instructions, MaxSteps: a.spec.Limits.MaxSteps}
}

// model opens the model of an agent that acts as a persona, once. An agent of another provider than the agency's does not get the
// agency's model.
func (a *Agency) model(of Agent, persona string) (model.Model, error) {
	provider, name := cmp.Or(of.Provider, a.spec.Provider), of.Model
	if name == "" && provider == a.spec.Provider {
		name = a.spec.Model
	}
	if name == "" {
		name = a.opt.PersonaModel(provider, persona)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := [2]string{provider, name}
	if m := a.models[key]; m != nil {
		return m, nil
	}
	m, err := a.opt.Model(provider, name)
	if err != nil {
		return nil, tool.AsError(err)
	}
	if m == nil {
		return nil, &tool.Error{
			Code: tool.Unavailable, Message: "no model is configured for the agent " + tool.Quote(of.Name),
			Hint: "name one in the agency, in the configuration or in the environment",
		}
	}
	a.models[key] = m
	return m, nil
}

// keptFor returns the specialists of the agent tier that a caller has.
func (a *Agency) keptFor(c tool.Caller) []Specialist {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.kept[owner{c.Tenant, c.Persona}])
}

// keep keeps a specialist for later runs of the caller's persona. Where another run was faster, its specialist stays.
func (a *Agency) keep(c tool.Caller, s Specialist) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := owner{c.Tenant, c.Persona}
	list, known := a.kept[of]
	taken := slices.ContainsFunc(list, func(k Specialist) bool { return tool.FoldName(k.Role) == tool.FoldName(s.Role) })
	if !taken && (known || len(a.kept) < maxOwners) && len(a.spec.Agents)+len(list) < int(a.spec.Limits.MaxAgents) {
		a.kept[of] = append(list, s)
	}
}

// newID draws an id of the usual form, a UUID of version 4.
func (a *Agency) newID() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return drawID(a.opt.Random)
}

// checkPrompt holds a prompt to what can be asked.
func checkPrompt(prompt string) error {
	switch {
	case strings.TrimSpace(prompt) == "":
		return &tool.Error{Code: tool.InvalidRequest, Message: "the prompt is empty", Hint: "say what the agency is to do"}
	case len(prompt) > MaxPromptBytes:
		return &tool.Error{Code: tool.InvalidRequest, Message: "the prompt is too long", Hint: "write at most 256 KiB"}
	}
	return nil
}
