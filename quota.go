package toolsmith

import (
	"context"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// quotas remembers what tenants may use, and who was warned.
type quotas struct {
	mu      sync.RWMutex
	tenants map[string]tool.Quota
	changes int // of what is stored

	minute int64 // since the Unix epoch
	warned map[string]int
}

// The bounds of what is remembered: when it is full, it is forgotten.
const (
	maxQuotas   = 10_000
	maxWarnings = 60 // audit entries of a tenant within a minute
)

// quota is what a tenant may use: what is set for it, else what the configuration says.
func (h *Host) quota(tenant string) tool.Quota {
	h.quotas.mu.RLock()
	q, known := h.quotas.tenants[tenant]
	changes := h.quotas.changes
	h.quotas.mu.RUnlock()
	if known {
		return q
	}
	usual := h.opt.Config.Quotas.Tenant.Quota()
	own, err := h.shelf.Quota(context.Background(), tenant)
	if err != nil {
		return usual
	}
	q = own.WithDefaults(usual)
	h.quotas.mu.Lock()
	defer h.quotas.mu.Unlock()
	if h.quotas.tenants == nil || len(h.quotas.tenants) >= maxQuotas {
		h.quotas.tenants = map[string]tool.Quota{}
	}
	if h.quotas.changes == changes {
		h.quotas.tenants[tenant] = q
	}
	return q
}

// quotaChanged forgets what tenants may use.
func (h *Host) quotaChanged() {
	h.quotas.mu.Lock()
	defer h.quotas.mu.Unlock()
	h.quotas.changes++
	h.quotas.tenants = nil
}

// quotaNearlyUsed writes to the audit log of a tenant that a limit is nearly reached.
func (h *Host) quotaNearlyUsed(tenant, persona, limit string, used, most float64) {
	if tenant == "" || !h.quotas.mayWarn(tenant, h.opt.Now().Unix()/60) {
		return
	}
	by := tool.Actor{Caller: tool.Caller{Tenant: tenant, Persona: persona}, Name: "host"}
	_ = h.shelf.Log(context.Background(), by, "", tool.QuotaWarning, map[string]any{"limit": limit, "used": used, "most": most}) // the call goes on without
}

func (q *quotas) mayWarn(tenant string, minute int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.warned == nil || minute != q.minute || len(q.warned) >= maxQuotas {
		q.minute, q.warned = minute, map[string]int{}
	}
	q.warned[tenant]++
	return q.warned[tenant] <= maxWarnings
}
