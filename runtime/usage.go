package runtime

import (
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Usage returns what a caller uses of the limits on calls: those that run, those that wait, and those of the last minute. Looking
// counts as no call.
func (h *Host) Usage(c tool.Caller) tool.Usage { return h.admission.usage(c, h.opt.Now()) }

// usage makes no account: who has none yet uses nothing.
func (a *admission) usage(c tool.Caller, now time.Time) tool.Usage {
	quota := a.quota(c.Tenant)
	a.mu.Lock()
	defer a.mu.Unlock()
	tenant := a.host.known(&a.host, c.Tenant)
	persona := tenant.known(tenant, tool.Root(c.Persona))
	session := persona.known(tenant, c.Session)
	a.bind(session, quota)
	session.move(now)
	waiting := tool.Gauge{Limit: "waitingCalls", Used: float64(tenant.waiting), Most: float64(a.most.Waiting)}
	return tool.Usage{Tenant: append(tenant.usage(), waiting), Persona: persona.usage(), Session: session.usage()}
}

// usage returns what is used of each limit that an account has.
func (a *account) usage() (list []tool.Gauge) {
	for k := range kinds {
		if a.most[k] != none {
			list = append(list, a.gauge(k))
		}
	}
	return list
}

// gauge returns what is used of a limit, memory in MiB.
func (a *account) gauge(k kind) tool.Gauge {
	u := tool.Gauge{Limit: a.limit(k), Used: float64(a.used(k)), Most: float64(a.most[k])}
	if k == memoryInFlight {
		u.Used, u.Most = u.Used/(1<<20), u.Most/(1<<20)
	}
	return u
}
