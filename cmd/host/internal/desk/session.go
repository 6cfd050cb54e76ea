package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Sessions implements Desk.
func (d *Local) Sessions(ctx context.Context) (list []Session, err error) {
	if err := d.scopes.Require(tool.AllScopes()...); err != nil {
		return nil, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	all, err := shelf.Sessions(ctx, d.by.Tenant)
	if err != nil {
		return nil, err
	}
	tools, err := shelf.List(ctx, d.by.Tenant, tiers.Filter{Tier: tool.SessionTier})
	count := map[tool.Caller]int{}
	for _, t := range tools {
		count[tool.Caller{Tenant: d.by.Tenant, Persona: t.PersonaID, Session: t.SessionID}]++
	}
	for _, s := range all {
		if d.scopes.Has(tool.ScopeAdmin) || s.Persona == d.by.Persona {
			list = append(list, Session{s, count[s.Caller]})
		}
	}
	return list, err
}

// EndSession implements Desk.
func (d *Local) EndSession(ctx context.Context, persona, session string) ([]*tool.Record, error) {
	persona = cmp.Or(persona, d.by.Persona)
	own := persona == d.by.Persona && d.scopes.Has(tool.ScopeForge) // its tools go with it
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
	if err := HasSession(ctx, shelf, c); err != nil {
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

// HasSession returns nil when there is a session, else NotFound.
func HasSession(ctx context.Context, shelf *tiers.Shelf, c tool.Caller) error {
	all, err := shelf.Sessions(ctx, c.Tenant)
	if err != nil || slices.ContainsFunc(all, func(s tiers.Session) bool { return s.Caller == c }) {
		return err
	}
	return &tool.Error{
		Code: tool.NotFound, Message: fmt.Sprintf("the persona %s has no session %s", tool.Quote(c.Persona), tool.Quote(c.Session)),
		Hint: "list the sessions, and name one of them",
	}
}
