package tiers

import (
	"cmp"
	"context"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// seen returns the record that a caller means by a name: the session's own before the persona's before the shared one.
// nil when it sees none.
func seen(r Reader, c tool.Caller, name string) (*tool.Record, error) {
	for _, tier := range []tool.Tier{tool.SessionTier, tool.AgentTier, tool.SharedTier} {
		found, err := bySlot(r, c.Tenant, scopeOf(tier, c), name)
		if err != nil || found != nil && found.Name == name {
			return found, err
		}
	}
	return nil, nil
}

// takenFrom returns the caller's own tool whose next version a tool of this name would be; nil when the name is free. It is a
// Collision when the tool is another's, or when its name differs in case or hyphens only.
func takenFrom(r Reader, c tool.Caller, name string) (older *tool.Record, err error) {
	for _, tier := range []tool.Tier{tool.SessionTier, tool.AgentTier, tool.SharedTier} {
		found, err := bySlot(r, c.Tenant, scopeOf(tier, c), name)
		switch {
		case err != nil:
			return nil, err
		case found == nil:
			continue
		case found.Name != name:
			return nil, taken(name, "a tool that is called "+found.Name)
		case older != nil: // it hides this one
		case found.CreatedBy != c.Persona:
			return nil, taken(name, "a tool of "+found.CreatedBy)
		default:
			older = found
		}
	}
	return older, nil
}

// NameIsFree returns nil when a caller could register a tool of this name now: as a new one, or as the next version of its
// own, whose id comes back. The error is a Collision.
func (s *Shelf) NameIsFree(ctx context.Context, c tool.Caller, name string) (older string, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		found, err := takenFrom(r, c, name)
		if older = ""; found != nil {
			older = found.ID
		}
		return err
	})
	return older, asError(err)
}

// Find returns the tool that a caller means by a name. What it may not see is NotFound. The tool may be one that cannot be
// called: see Record.Callable. Usage lags by as long as uses are gathered; Settle brings it up to date.
func (s *Shelf) Find(ctx context.Context, c tool.Caller, name string) (found *tool.Record, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		t, err := readTenant(r, c.Tenant)
		if err == nil && !t.gone() {
			found, err = seen(r, c, name)
		}
		if err == nil && found == nil {
			return notFound(name)
		}
		return err
	})
	return found, asError(err)
}

// Visible returns the tools that a caller may see, by name: where two have one name, the one that Find returns.
func (s *Shelf) Visible(ctx context.Context, c tool.Caller) (list []*tool.Record, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		t, err := readTenant(r, c.Tenant)
		if err != nil || t.gone() {
			return err
		}
		names := map[string]bool{}
		for _, tier := range []tool.Tier{tool.SessionTier, tool.AgentTier, tool.SharedTier} {
			inScope, err := scopeRecords(r, c.Tenant, scopeOf(tier, c))
			if err != nil {
				return err
			}
			for _, found := range inScope {
				if !names[found.Name] {
					names[found.Name] = true
					list = append(list, found)
				}
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b *tool.Record) int { return cmp.Compare(a.Name, b.Name) })
	return list, asError(err)
}

// scopeRecords returns the records whose names a scope holds.
func scopeRecords(r Reader, tenant string, scope *tool.Record) ([]*tool.Record, error) {
	ids, err := scopeIDs(r, tenant, scope)
	if err != nil {
		return nil, err
	}
	list := make([]*tool.Record, 0, len(ids))
	for _, id := range ids {
		found, err := record(r, tenant, id)
		if err != nil {
			return nil, err
		}
		list = append(list, found)
	}
	return list, nil
}

// scopeIDs returns the ids of the records whose names a scope holds.
func scopeIDs(r Reader, tenant string, scope *tool.Record) (ids []string, err error) {
	err = r.Scan(Range{Prefix: slotKey(tenant, scope)}, func(_, id []byte) (bool, error) {
		ids = append(ids, string(id))
		return true, nil
	})
	return ids, err
}

// Get returns a version of a tool by its id, whoever may see it.
func (s *Shelf) Get(ctx context.Context, tenant, id string) (found *tool.Record, err error) {
	err = s.store.View(ctx, func(r Reader) (err error) { found, err = record(r, tenant, id); return err })
	return found, asError(err)
}

// Filter picks records. A zero field picks all.
type Filter struct {
	Tier    tool.Tier
	Owner   string // the persona
	Session string
	History bool // also versions whose place another has taken
}

// List returns a tenant's records, whoever may see them, by id.
func (s *Shelf) List(ctx context.Context, tenant string, f Filter) (list []*tool.Record, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		return r.Scan(Range{Prefix: key(toolSpace, tenant, "record")}, func(_, text []byte) (bool, error) {
			found, err := decodeRecord(text)
			if err == nil && f.picks(found) {
				list = append(list, found)
			}
			return true, err
		})
	})
	return list, asError(err)
}

// Current returns a tenant's records whose place no other has taken, whoever may see them, by id.
func (s *Shelf) Current(ctx context.Context, tenant string) ([]*tool.Record, error) {
	return s.List(ctx, tenant, Filter{})
}

func (f Filter) picks(r *tool.Record) bool {
	return (f.Tier == "" || f.Tier == r.Tier) && (f.Owner == "" || f.Owner == r.CreatedBy) &&
		(f.Session == "" || f.Session == r.SessionID) && (f.History || r.SupersededBy == "")
}

// Implementation returns what a version does, with its code. When the code is not there, the error is of code Unavailable.
func (s *Shelf) Implementation(ctx context.Context, tenant, id string) (whole tool.Implementation, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		found, err := record(r, tenant, id)
		if err != nil {
			return err
		}
		whole, err = s.sealer.whole(r, tenant, found)
		return err
	})
	return whole, asError(err)
}
