package toolsmith

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/builtin"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

// self is what personas and sessions adjust of themselves.
type self struct {
	personality *selfimprove.Personality
	skills      *selfimprove.Skills
	workflows   *selfimprove.Workflows
	parameters  *selfimprove.Parameters
	evaluation  *selfimprove.Evaluation
	inputs      sync.Map // json.RawMessage by string: what tools of the host take, which never changes
}

// openSelf makes the parts of self-improvement. Agents get their tools when the configuration enables that; what is stored
// has its effect in any case.
func (h *Host) openSelf() error {
	c := h.opt.Config.EmergentConfig.SelfImprovement
	judge, err := h.model(config.SelfEvalModel)
	if err != nil {
		return err
	}
	h.self.personality = selfimprove.NewPersonality(h.shelf, selfimprove.PersonalityOptions{
		MaxDelta: c.Personality.MaxDeltaPerSession, MaxMutations: c.Personality.MaxMutationsPerSession, PersistWithDecay: c.Personality.PersistWithDecay,
		DecayRate: c.Personality.DecayRate, Reload: c.Personality.Reload, Sessions: h.sessions, Baseline: h.baseline, Now: h.opt.Now, Random: h.opt.Random,
	})
	h.self.skills = selfimprove.NewSkills(h.shelf, selfimprove.SkillsOptions{
		Allowlist: c.Skills.Allowlist, RequireApproval: c.Skills.RequireApprovalForNewCategories, Folders: h.opt.SkillFolders, Now: h.opt.Now,
	})
	h.self.workflows = selfimprove.NewWorkflows(h.shelf, selfimprove.WorkflowOptions{
		MaxSteps: c.Workflows.MaxSteps, AllowedTools: c.Workflows.AllowedTools, Call: h.callStep, Visible: h.callable, InputSchema: h.inputSchema,
		CheckText: builtin.CheckText, Now: h.opt.Now,
	})
	h.self.parameters = selfimprove.NewParameters(h.shelf, selfimprove.ParameterOptions{})
	h.self.evaluation = selfimprove.NewEvaluation(h.shelf, selfimprove.EvaluationOptions{
		Model: judge, MaxEvaluations: c.SelfEval.MaxEvaluationsPerSession, AutoAdjust: c.SelfEval.AutoAdjust, AdjustableParams: c.SelfEval.AdjustableParams,
		ApplyToSession: c.SelfEval.ApplyToSession, Parameters: h.self.parameters, Adapt: h.adapt, Traits: h.self.personality.Traits, Now: h.opt.Now, Random: h.opt.Random,
	})
	return nil
}

// sessions are those of a tenant.
func (h *Host) sessions(ctx context.Context, tenant string) ([]tool.Caller, error) {
	all, err := h.shelf.Sessions(ctx, tenant)
	list := make([]tool.Caller, 0, len(all))
	for _, s := range all {
		list = append(list, s.Caller)
	}
	return list, err
}

// baseline is what the configuration says of a persona's traits.
func (h *Host) baseline(c tool.Caller) map[string]float64 {
	return h.opt.Config.Personas[c.Persona].Traits
}

func (h *Host) adapt(ctx context.Context, c tool.Caller, trait string, delta float64, reasoning string) (json.RawMessage, error) {
	adaptation, err := h.self.personality.Adapt(ctx, c, trait, delta, reasoning)
	if err != nil {
		return nil, err
	}
	return json.Marshal(adaptation)
}

// selfTools are the meta tools by which agents adjust themselves; none unless they are enabled.
func (h *Host) selfTools() (list []runtime.Tool) {
	if !h.opt.Config.EmergentConfig.SelfImprovement.Enabled {
		return nil
	}
	for _, t := range []selfimprove.Tool{h.self.personality.Tool(), h.self.skills.Tool(), h.self.workflows.Tool(), h.self.evaluation.Tool()} {
		list = append(list, runtime.Tool{
			Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, SideEffects: true, Meta: true,
			Run: func(ctx context.Context, call *runtime.Invocation) (json.RawMessage, error) {
				return t.Run(ctx, call.Caller, call.Input)
			},
		})
	}
	return list
}

// prepare puts into a model call of a persona what it has become: its instructions, traits, skills and parameters.
func (h *Host) prepare(ctx context.Context, c tool.Caller, req *model.Request) error {
	parts := []string{h.opt.Config.Personas[c.Persona].Instructions}
	directives, err := h.self.personality.Directives(ctx, c)
	if err != nil {
		return err
	}
	skills, err := h.self.skills.PromptContext(ctx, c)
	if err != nil {
		return err
	}
	parts = append(parts, strings.Join(directives, "\n"), skills, req.System)
	req.System = joined(parts)
	return h.self.parameters.Apply(ctx, c, req)
}

// joined puts the parts that there are one below the other.
func joined(parts []string) string {
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "\n\n")
}

// Personality is how personas move their traits.
func (h *Host) Personality() *selfimprove.Personality { return h.self.personality }

// Skills is the catalogue of skills, and which of them sessions have.
func (h *Host) Skills() *selfimprove.Skills { return h.self.skills }

// Parameters is what sessions set of their model calls.
func (h *Host) Parameters() *selfimprove.Parameters { return h.self.parameters }

// Evaluation is how sessions score themselves.
func (h *Host) Evaluation() *selfimprove.Evaluation { return h.self.evaluation }
