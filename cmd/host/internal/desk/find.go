package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// idPrefix begins the ids of tools; no name can have it.
const idPrefix = "emergent:"

// everywhere are the scopes that see all tools of the tenant.
var everywhere = []tool.Scope{tool.ScopeApprove, tool.ScopeAdmin}

// seesAll reports whether the caller sees all tools of the tenant.
func (d *Local) seesAll() bool { return d.scopes.Require(everywhere...) == nil }

// find returns the tool that which means.
func (d *Local) find(ctx context.Context, which string) (*tool.Record, error) {
	if err := d.scopes.Require(tool.ScopeCall, tool.ScopeForge, tool.ScopeApprove, tool.ScopeAdmin); err != nil {
		return nil, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(which, idPrefix) {
		r, err := shelf.Get(ctx, d.by.Tenant, which)
		if err == nil && !d.sees(r) {
			err = &tool.Error{Code: tool.NotFound}
		}
		return r, findable(err, which)
	}
	r, err := shelf.Find(ctx, d.by.Caller, which)
	if errors.Is(err, tool.NotFound) && d.ofHost(ctx, which) {
		return nil, &tool.Error{
			Code: tool.NotFound, Message: which + " is a tool of the host, and none that was forged",
			Hint: "it can be searched for, and called; this is for tools that were forged: list them",
		}
	}
	return r, findable(err, which)
}

// sees reports whether the caller may know of a tool.
func (d *Local) sees(r *tool.Record) bool {
	if d.seesAll() {
		return true
	}
	switch r.Tier {
	case tool.SharedTier:
		return true
	case tool.AgentTier:
		return r.CreatedBy == d.by.Persona
	case tool.SessionTier:
	}
	return r.CreatedBy == d.by.Persona && r.SessionID == d.by.Session
}

// findable makes one error of everything that is not there, or not for the caller.
func findable(err error, which string) error {
	if errors.Is(err, tool.NotFound) || errors.Is(err, tool.NotOwner) {
		return &tool.Error{
			Code: tool.NotFound, Message: "tool " + which + " not found",
			Hint: "list the forged tools, or search for those of the host, too; a tool of the session tier is seen in its own session alone",
		}
	}
	return err
}

// ofHost reports whether a name is that of a tool that was not forged.
func (d *Local) ofHost(ctx context.Context, name string) bool {
	tools, err := d.host.Tools(ctx, d.by.Caller)
	return err == nil && slices.ContainsFunc(tools, func(t runtime.Face) bool { return t.Name == name && t.Tier == "" })
}

// redacted is a record without code, however its code is kept.
func redacted(r *tool.Record) *tool.Record {
	without := *r
	without.Implementation = r.Implementation.Redact()
	return &without
}

// List implements Desk.
func (d *Local) List(ctx context.Context, q ListQuery) (list []*tool.Record, err error) {
	if q.All {
		if err := d.scopes.Require(everywhere...); err != nil {
			return nil, err
		}
	} else if err := d.scopes.Require(tool.ScopeCall, tool.ScopeForge, tool.ScopeApprove, tool.ScopeAdmin); err != nil {
		return nil, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	if q.All {
		list, err = shelf.List(ctx, d.by.Tenant, tiers.Filter{Tier: q.Tier, History: q.History})
	} else {
		list, err = d.seen(ctx, shelf, q)
	}
	slices.SortStableFunc(list, func(a, b *tool.Record) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.CreatedBy, b.CreatedBy), cmp.Compare(b.Version, a.Version))
	})
	for i, r := range list {
		list[i] = redacted(r)
	}
	return list, err
}

// seen returns what the caller sees, with older versions if they are asked for.
func (d *Local) seen(ctx context.Context, shelf *tiers.Shelf, q ListQuery) ([]*tool.Record, error) {
	visible, err := shelf.Visible(ctx, d.by.Caller)
	if err != nil {
		return nil, err
	}
	var list []*tool.Record
	for _, r := range visible {
		versions := []*tool.Record{r}
		if q.History {
			if versions, err = shelf.History(ctx, d.by.Tenant, r.ID); err != nil {
				return nil, err
			}
		}
		for _, v := range versions {
			if q.Tier == "" || v.Tier == q.Tier {
				list = append(list, v)
			}
		}
	}
	return list, nil
}

// Show implements Desk.
func (d *Local) Show(ctx context.Context, which string) (*Whole, error) {
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, err
	}
	if r.CreatedBy != d.by.Persona && !d.seesAll() {
		return &Whole{redacted(r), &tool.Error{
			Code: tool.Denied, Message: "the source of " + r.Name + " is for its owner and for those who approve tools", Hint: "ask its owner, or use a key with the scope approve",
		}}, nil
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	whole, err := shelf.Implementation(ctx, d.by.Tenant, r.ID)
	if errors.Is(err, tool.Unavailable) {
		return &Whole{redacted(r), tool.AsError(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	r.Implementation = whole
	return &Whole{Record: r}, nil
}

// Versions implements Desk.
func (d *Local) Versions(ctx context.Context, which string) ([]*tool.Record, error) {
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, err
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	list, err := shelf.History(ctx, d.by.Tenant, r.ID)
	for i, v := range list {
		list[i] = redacted(v)
	}
	return list, err
}

// version picks a version, by number or id.
func version(list []*tool.Record, which string) (*tool.Record, error) {
	for _, r := range list {
		if r.ID == which || strconv.Itoa(r.Version) == which {
			return r, nil
		}
	}
	return nil, &tool.Error{
		Code: tool.NotFound, Message: fmt.Sprintf("%s has no version %s", list[0].Name, tool.Quote(which)),
		Hint: "list its versions, and give the number or the id of one",
	}
}

// Diff implements Desk.
func (d *Local) Diff(ctx context.Context, which, from, to string) (*Diff, error) {
	list, err := d.Versions(ctx, which)
	if err != nil {
		return nil, err
	}
	older, newer := list[min(1, len(list)-1)], list[0]
	if from != "" {
		if older, err = version(list, from); err != nil {
			return nil, err
		}
	}
	if to != "" {
		if newer, err = version(list, to); err != nil {
			return nil, err
		}
	}
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return nil, err
	}
	found, err := shelf.Diff(ctx, d.by.Tenant, older.ID, newer.ID)
	if err != nil {
		return nil, err
	}
	if list[0].CreatedBy != d.by.Persona && !d.seesAll() {
		found = slices.DeleteFunc(found, func(f tiers.Difference) bool { return strings.HasPrefix(f.Part, "implementation") })
	}
	return &Diff{Version{older.ID, older.Version}, Version{newer.ID, newer.Version}, append([]tiers.Difference{}, found...)}, nil
}

// Export implements Desk.
func (d *Local) Export(ctx context.Context, which string, opt toolsmith.ExportOptions) ([]byte, error) {
	r, err := d.find(ctx, which)
	if err != nil {
		return nil, err
	}
	if opt.WithSource && r.CreatedBy != d.by.Persona {
		if err := d.scopes.Require(everywhere...); err != nil {
			return nil, err
		}
	}
	return d.host.ExportTool(ctx, d.by, r.ID, opt)
}
