package toolsmith

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// AgencyOptions say who decides in an agency.
type AgencyOptions struct {
	// Judge reviews specialists. nil is the host's judge, if one was given to it that does; else the model that the configuration
	// names for judging, and without one a small model of the agency's provider. In both, the spec's name of a model counts first.
	Judge hierarchy.Judge
	// Approve asks a person what the spec wants asked. nil is nobody to ask.
	Approve func(ctx context.Context, r hierarchy.ApprovalRequest) (hierarchy.Decision, error)
}

// Agency is a team of agents that works in a host: with its models, its tools and its log, each agent under a persona of its
// own. It is safe for concurrent use.
type Agency struct {
	host *Host
	team *hierarchy.Agency
}

// Agency makes a team of a spec. The error is InvalidRequest for a spec that cannot be run, and Unavailable for models that
// are not configured.
func (h *Host) Agency(spec hierarchy.Spec, opt AgencyOptions) (*Agency, error) {
	leave, err := h.life.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := spec.CheckProviders(model.Providers()...); err != nil {
		return nil, err
	}
	if opt.Judge == nil {
		if opt.Judge, err = h.agentJudge(spec); err != nil {
			return nil, err
		}
	}
	a := &Agency{host: h}
	a.team, err = hierarchy.New(spec, hierarchy.Options{
		Model: h.agentModel, PersonaModel: h.personaModel, Tools: h.agentTools, Call: h.agentCall, Prepare: h.prepare, Judge: opt.Judge, Approve: opt.Approve,
		Begin: a.begin, Log: h.agentLog, Shelf: specialists{h.shelf, h.opt.Now}, Price: h.opt.Config.Meter().Prices.Cost,
		Now: h.opt.Now, Random: h.opt.Random,
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Spec is what the agency was made of, with its defaults.
func (a *Agency) Spec() hierarchy.Spec { return a.team.Spec() }

// Run puts the agency to work on one prompt, and keeps what it did. The caller's persona is the manager's, unless the spec
// names one. A caller without a session gets one that ends with the run, and with it the tools that its agents forged. Result,
// error and watch are those of hierarchy.Agency.
func (a *Agency) Run(ctx context.Context, c tool.Caller, prompt string, watch func(hierarchy.Event)) (*hierarchy.Result, error) {
	leave, err := a.host.enter(ctx)
	if err != nil {
		return &hierarchy.Result{Error: tool.AsError(err)}, err
	}
	defer leave()
	c.Persona = cmp.Or(a.team.Spec().Persona, c.Persona)
	minted := c.Session == ""
	if minted {
		if c.Session, err = a.host.mintSession(); err != nil {
			return &hierarchy.Result{Error: tool.AsError(err)}, err
		}
	}
	result, err := a.team.Run(ctx, c, prompt, watch)
	after := context.WithoutCancel(ctx) // what was done is written, whatever becomes of the context
	if result.ID != "" {
		err = errors.Join(err, a.host.endRun(after, result))
	}
	if minted {
		err = errors.Join(err, a.host.endSessions(after, c))
	}
	if err != nil {
		return result, tool.AsError(err)
	}
	return result, nil
}

// agentJudge is the judge of specialists when nobody names one.
func (h *Host) agentJudge(spec hierarchy.Spec) (hierarchy.Judge, error) {
	if given, ok := h.opt.Judge.(hierarchy.Judge); ok {
		return given, nil
	}
	var of model.Model
	if spec.Emergent.Enabled && spec.Emergent.Judged() {
		named, err := h.agentJudgeSpec(spec)
		if err == nil && named.Provider != "" {
			of, err = h.openModel(config.JudgeModel, named)
		}
		if err != nil && !errors.Is(err, tool.Unavailable) {
			return nil, err
		}
	}
	return judge.New(judge.Options{Agent: of, Price: h.opt.Config.Meter().Prices.Cost, Now: h.opt.Now, Random: h.opt.Random})
}

// agentJudgeSpec is the model that judges specialists: what the configuration says of judges wins over a small model of the
// agency's provider.
func (h *Host) agentJudgeSpec(of hierarchy.Spec) (model.Spec, error) {
	if h.opt.Config.NamesJudge() {
		return h.specOf(config.JudgeModel, "", of.Emergent.Planner.JudgeModel)
	}
	if of.Provider == "" {
		manager, err := h.specOf(config.ManagerModel, "", "")
		if err != nil {
			return manager, err
		}
		of.Provider = manager.Provider
	}
	provider, name := of.JudgeModel()
	return h.specOf(config.ManagerModel, provider, name)
}

// agentModel is the model of an agent, metered as the manager's; nil when none is configured.
func (h *Host) agentModel(provider, name string) (model.Model, error) {
	spec, err := h.specOf(config.ManagerModel, provider, name)
	if err != nil || spec.Provider == "" {
		return nil, err
	}
	return h.openModel(config.ManagerModel, spec)
}

// personaModel is the model that the configuration names for a persona. It is one of the configured provider's, so that it is none of
// another's.
func (h *Host) personaModel(provider, persona string) string {
	spec, err := h.specOf(config.ManagerModel, "", "")
	if err != nil || provider != "" && provider != spec.Provider {
		return ""
	}
	return h.opt.Config.Personas[persona].Model
}

// AgencyLacks finds the tools that the agents of a spec list and would not be offered now, if the caller ran it.
func (h *Host) AgencyLacks(ctx context.Context, c tool.Caller, spec hierarchy.Spec) ([]hierarchy.Lack, error) {
	c.Persona = cmp.Or(spec.Persona, c.Persona)
	return spec.Lacks(ctx, c, h.agentTools)
}

// agentTools is what a caller may call of the tools that an agent lists. One that may forge is offered the forged tools that it
// can see, too: its own among them.
func (h *Host) agentTools(ctx context.Context, c tool.Caller, names []string) (list []model.ToolSpec, err error) {
	faces, err := h.Tools(ctx, c)
	if err != nil {
		return nil, err
	}
	forger := forge.ToolDefinition()
	forges := h.opt.Config.Enabled() && slices.Contains(names, forger.Name) && h.permits(c, forger.Name)
	if forges {
		list = append(list, model.ToolSpec{Name: forger.Name, Description: forger.Description, Schema: forger.InputSchema})
	}
	for _, f := range faces {
		if slices.Contains(names, f.Name) || forges && f.ID != "" {
			list = append(list, model.ToolSpec{Name: f.Name, Description: f.Description, Schema: f.InputSchema})
		}
	}
	return list, nil
}

// agentCall calls a tool for an agent, on the one way that there is.
func (h *Host) agentCall(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (out json.RawMessage, judging tool.Spent, err error) {
	if name == forge.ToolDefinition().Name {
		return h.agentForge(ctx, c, input)
	}
	result, err := h.Call(ctx, c, name, input)
	return result.Output, tool.Spent{}, err
}

// forgedTool is what an agent hears of a tool that it forged.
type forgedTool struct {
	Success bool   `json:"success"`
	Name    string `json:"name"`
	ToolID  string `json:"toolId"`
	Message string `json:"message"`
}

func (h *Host) agentForge(ctx context.Context, c tool.Caller, request json.RawMessage) (out json.RawMessage, judging tool.Spent, err error) {
	result, err := h.Forge(ctx, c, request)
	if result.Verdict != nil {
		judging = result.Verdict.Spent
	}
	if err != nil {
		return nil, judging, err
	}
	name := result.Tool.Name
	out, err = json.Marshal(forgedTool{true, name, result.ToolID, "The tool is registered. Call " + name + " on your next turn."})
	return out, judging, err
}

func (h *Host) agentLog(ctx context.Context, by tool.Actor, event tool.EventType, data any) error {
	return h.shelf.Log(ctx, by, "", event, data)
}

// mintSession names a session that only one run has.
func (h *Host) mintSession() (string, error) {
	id, err := drawn(h.opt.Random)
	return "agency-" + h.opt.Now().UTC().Format(time.DateOnly) + "-" + id, err
}

// endSessions ends the sessions of a run: that of each persona that acted in it.
func (h *Host) endSessions(ctx context.Context, c tool.Caller) error {
	all, err := h.shelf.Sessions(ctx, c.Tenant)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Session == c.Session {
			if _, err := h.shelf.EndSession(ctx, tool.Actor{Caller: c}, s.Caller); err != nil {
				return err
			}
		}
	}
	return nil
}
