package desk

import (
	"context"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Sessions implements Desk.
func (d *Local) Sessions(ctx context.Context) (list []tiers.Session, err error) {
	if err := d.scopes.Require(tool.AllScopes()...); err != nil {
		return nil, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	all, err := shelf.Sessions(ctx, d.by.Tenant)
	for _, s := range all {
		if d.scopes.Has(tool.ScopeAdmin) || s.Persona == d.by.Persona {
			list = append(list, s)
		}
	}
	return list, err
}

// EndSession implements Desk.
func (d *Local) EndSession(ctx context.Context, persona, session string) ([]*tool.Record, error) {
	own := persona == d.by.Persona && d.scopes.Require(tool.ScopeCall, tool.ScopeForge) == nil
	if !own {
		if err := d.scopes.Require(tool.ScopeAdmin); err != nil {
			return nil, err
		}
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	c := tool.Caller{Tenant: d.by.Tenant, Persona: persona, Session: session}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	gone, err := shelf.EndSession(ctx, d.by, c)
	if err != nil {
		return nil, err
	}
	for i, r := range gone {
		gone[i] = redacted(r)
	}
	return gone, nil
}
