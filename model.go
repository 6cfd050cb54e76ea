package toolsmith

import (
	"cmp"
	"sync"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

func (h *Host) meterOptions() model.MeterOptions {
	opt := h.opt.Config.Meter()
	opt.Now, opt.Observe = h.opt.Now, h.opt.Observer.Model
	return opt
}

// model opens the model for a purpose, metered under it; nil when none is configured.
func (h *Host) model(purpose string) (model.Model, error) {
	spec, configured, err := h.opt.Config.Model(purpose, h.opt.Getenv)
	if err != nil || !configured {
		return nil, err
	}
	return h.openModel(purpose, spec)
}

func (h *Host) openModel(purpose string, spec model.Spec) (model.Model, error) {
	opt := h.opt.Models
	opt.Getenv = h.opt.Getenv
	m, err := model.Open(spec, opt)
	if err != nil {
		return nil, err
	}
	return h.meter.Wrap(purpose, m), nil
}

// specOf is a model by its provider and its name; its provider is "" when none is configured. What is empty is that of the model
// for the purpose, and so are address and key when the provider is the same; else the environment has them.
func (h *Host) specOf(purpose, provider, name string) (spec model.Spec, err error) {
	spec, _, err = h.opt.Config.Model(purpose, h.opt.Getenv)
	if err != nil {
		return spec, err
	}
	if provider != "" && spec.Provider != provider {
		spec = model.Spec{Provider: provider}
		if spec.BaseURL, err = model.BaseURLFromEnv(provider, h.opt.Getenv); err != nil {
			return spec, err
		}
	}
	spec.Model = cmp.Or(name, spec.Model)
	return spec, nil
}

// modelJudge is the judge of the configured models.
func (h *Host) modelJudge() (judge.Judge, error) {
	creation, err := h.model(config.JudgeModel)
	if err != nil {
		return nil, err
	}
	promotion, err := h.model(config.PromotionModel)
	if err != nil {
		return nil, err
	}
	c := h.opt.Config.EmergentConfig
	return judge.New(judge.Options{
		Creation: creation, Safety: promotion, Correctness: promotion, MinConfidence: c.MinJudgeConfidence, MinPanel: c.MinPromotionConfidence,
		Price: h.opt.Config.Meter().Prices.Cost, Now: h.opt.Now, Random: h.opt.Random,
	})
}

// Spent is what models were asked since the host was opened, by purpose: judge, promotion and so on.
func (h *Host) Spent() map[string]model.Spent { return h.meter.Spent() }

// policies answers what a caller is granted. Policies are made once per persona that the configuration declares; all others
// share the default, and specialists have those of their managers.
func (h *Host) policies() func(tool.Caller) (*policy.Policy, error) {
	var mu sync.Mutex
	made := map[string]*policy.Policy{}
	return func(c tool.Caller) (*policy.Policy, error) {
		persona := h.declared(c.Persona)
		mu.Lock()
		defer mu.Unlock()
		if p := made[persona]; p != nil {
			return p, nil
		}
		p, err := h.opt.Config.Policy(persona)
		if err == nil {
			made[persona] = p
		}
		return p, err
	}
}
