package tiers

import (
	"context"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// TenantSuspension says that a tenant is stopped for a while: its keys are refused, and nothing that it has is lost.
type TenantSuspension struct {
	Since  tool.Time `json:"since"`
	By     string    `json:"by"`
	Reason string    `json:"reason"` // which the holders of its keys are told
}

// suspended returns nil, or why the keys of a tenant are refused: an *Error of code Suspended.
func (t *Tenant) suspended() error {
	if t == nil || t.Suspended == nil {
		return nil
	}
	return &tool.Error{Code: tool.Suspended, Message: "the tenant " + t.Name + " is suspended: " + t.Suspended.Reason, Hint: "ask the operator of the host to resume it"}
}

// SuspendTenant stops a tenant until ResumeTenant: Authenticate refuses all of its keys from now on, in every process that shares the
// store. Suspending it again replaces the reason. LocalTenant, in which the operator works, cannot be suspended.
func (s *Shelf) SuspendTenant(ctx context.Context, by tool.Actor, name, reason string) (Tenant, error) {
	if name == tool.LocalTenant {
		return Tenant{}, &tool.Error{Code: tool.InvalidRequest, Message: "the tenant local is the operator's own, and is not suspended", Hint: "revoke its keys instead"}
	}
	if strings.TrimSpace(reason) == "" {
		return Tenant{}, &tool.Error{Code: tool.InvalidRequest, Path: "/reason", Message: "a tenant is suspended for a reason", Hint: "say why"}
	}
	return s.switchTenant(ctx, by, name, func(e *edit, t *Tenant) error {
		t.Suspended = &TenantSuspension{Since: tool.At(e.now), By: e.by.String(), Reason: reason}
		return e.tell(name, tool.TenantSuspended, fields{"reason": reason})
	})
}

// ResumeTenant lets the keys of a suspended tenant work again.
func (s *Shelf) ResumeTenant(ctx context.Context, by tool.Actor, name string) (Tenant, error) {
	return s.switchTenant(ctx, by, name, func(e *edit, t *Tenant) error {
		if t.Suspended == nil {
			return &tool.Error{Code: tool.InvalidRequest, Message: "the tenant " + name + " is not suspended", Hint: "list the tenants to see which are"}
		}
		reason := t.Suspended.Reason
		t.Suspended = nil
		return e.tell(name, tool.TenantResumed, fields{"reason": reason})
	})
}

// switchTenant changes whether a tenant is suspended.
func (s *Shelf) switchTenant(ctx context.Context, by tool.Actor, name string, change func(*edit, *Tenant) error) (changed Tenant, err error) {
	err = s.administer(ctx, by, func(e *edit) error {
		t, err := e.liveTenant(name)
		if err != nil {
			return err
		}
		changed = *t
		if err := change(e, &changed); err != nil {
			return err
		}
		return e.set(tenantKey(name), changed)
	})
	if err != nil {
		return Tenant{}, err
	}
	return changed, nil
}
