package tiers

import (
	"context"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// Usage returns what a caller uses of the limits on what is kept here, and on what is counted by day or by session. A session that
// has ended, or never was, uses nothing.
func (s *Shelf) Usage(ctx context.Context, c tool.Caller) (u tool.Usage, err error) {
	if err := c.Validate(); err != nil {
		return u, err
	}
	err = s.store.View(ctx, func(r Reader) error {
		tenant, err := s.tenantLimits(r, c)
		if err != nil {
			return err
		}
		persona, err := s.personaLimits(r, c)
		if err != nil {
			return err
		}
		session, err := s.sessionLimits(r, c)
		u = tool.Usage{Tenant: shown(tenant), Persona: shown(persona), Session: shown(session)}
		return err
	})
	return u, asError(err)
}

func shown(limits []limited) []tool.Gauge {
	list := make([]tool.Gauge, 0, len(limits))
	for _, l := range limits {
		list = append(list, tool.Gauge{Limit: l.name, Used: l.used, Most: l.most})
	}
	return list
}

func (s *Shelf) tenantLimits(r Reader, c tool.Caller) ([]limited, error) {
	of := tool.Caller{Tenant: c.Tenant}
	quota, err := s.quotaOf(r, of)
	if err != nil {
		return nil, err
	}
	held, err := stored(r, of.Tenant)
	if err != nil {
		return nil, err
	}
	live, err := liveSessions(r, of)
	if err != nil {
		return nil, err
	}
	today, err := usedToday(r, of, s.opt.Now())
	return slices.Concat(held.limits(quota), []limited{sessionsLimit(live, quota)}, today.limits(quota)), err
}

func (s *Shelf) personaLimits(r Reader, c tool.Caller) ([]limited, error) {
	of := persona(c)
	quota, err := s.quotaOf(r, of)
	if err != nil {
		return nil, err
	}
	owned, err := count(r, of.Tenant, scopeOf(tool.AgentTier, of))
	if err != nil {
		return nil, err
	}
	live, err := liveSessions(r, of)
	if err != nil {
		return nil, err
	}
	today, err := usedToday(r, of, s.opt.Now())
	tools := limited{name: "maxAgentTools", used: float64(owned), most: float64(s.opt.Rules.MaxAgentTools)}
	return append([]limited{tools, sessionsLimit(live, quota)}, today.limits(quota)...), err
}

func (s *Shelf) sessionLimits(r Reader, c tool.Caller) ([]limited, error) {
	at, err := readSession(r, c)
	if err != nil {
		return nil, err
	}
	if at == nil {
		at = &Session{}
	}
	tools, err := count(r, c.Tenant, scopeOf(tool.SessionTier, c))
	if err != nil {
		return nil, err
	}
	held, err := readSpent(r, holdKey(c, s.opt.Now()))
	rules := s.opt.Rules
	return []limited{
		{name: "maxSessionTools", used: float64(tools), most: float64(rules.MaxSessionTools)},
		{name: "maxForgeAttemptsPerSession", used: float64(at.Attempts), most: float64(rules.MaxForgeAttempts)},
		{name: "maxJudgeTokensPerSession", used: float64(tokens(at.Spent.Add(held))), most: float64(rules.MaxSessionTokens)},
	}, err
}
