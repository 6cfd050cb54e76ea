package desk

import (
	"context"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Audit implements Desk. About a tool of which the caller may not know it tells as much as about one that is not there.
func (d *Local) Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error) {
	if err := d.scopes.Require(tool.AllScopes()...); err != nil {
		return nil, 0, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, 0, err
	}
	for {
		page, err := shelf.Audit(ctx, d.by.Tenant, q)
		if err != nil || len(page) == 0 {
			return nil, 0, err
		}
		last = page[len(page)-1].Sequence
		if q.Newest {
			last = page[0].Sequence
		}
		for _, e := range page {
			if d.scopes.Has(tool.ScopeAdmin) || e.PersonaID == d.by.Persona {
				events = append(events, e)
			}
		}
		if q.ToolID == "" || len(events) > 0 {
			return events, last, nil
		}
		if q.Newest {
			q.Before = last
		} else {
			q.After = last
		}
	}
}

// VerifyAudit implements Desk.
func (d *Local) VerifyAudit(ctx context.Context) (tiers.Chain, error) {
	if err := d.scopes.Require(tool.ScopeAdmin); err != nil {
		return tiers.Chain{}, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return tiers.Chain{}, err
	}
	return shelf.Verify(ctx, d.by.Tenant)
}
