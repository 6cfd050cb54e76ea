package tiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// Tenant is whom tools, sessions, documents, an audit log and keys belong to. Nothing of one is seen by another.
type Tenant struct {
	Name      string     `json:"name"`
	CreatedAt tool.Time  `json:"createdAt,omitzero"` // zero when nobody made it: LocalTenant, and those that a program has just used
	CreatedBy string     `json:"createdBy,omitempty"`
	Quota     tool.Quota `json:"quota,omitzero"` // what is set for it alone

	Suspended     *TenantSuspension `json:"suspended,omitempty"`     // its keys are refused until it is resumed
	DeletingSince *tool.Time        `json:"deletingSince,omitempty"` // its keys do not work, and nothing of it changes any more
	DeletedAt     *tool.Time        `json:"deletedAt,omitempty"`     // all that is left of it is its name
}

// maxTenants bounds those that are made.
const maxTenants = 10_000

func tenantKey(name string) []byte { return key(tenantSpace, name) }

// gone reports whether nothing may be done in a tenant any more.
func (t *Tenant) gone() bool { return t != nil && (t.DeletingSince != nil || t.DeletedAt != nil) }

// readTenant returns what is stored about a tenant; nil when nothing is.
func readTenant(r Reader, name string) (*Tenant, error) {
	text, found, err := r.Get(tenantKey(name))
	if err != nil || !found {
		return nil, err
	}
	t := &Tenant{}
	return t, decode(text, t)
}

// tenantOf returns a tenant that there is: one that was made and not deleted, LocalTenant, or one that has an audit log.
func tenantOf(r Reader, name string) (*Tenant, error) {
	t, err := readTenant(r, name)
	if err != nil {
		return nil, err
	}
	if t == nil {
		_, logged, err := r.Get(headKey(name))
		if err != nil {
			return nil, err
		}
		if !logged && name != tool.LocalTenant {
			return nil, noTenant(name)
		}
		return &Tenant{Name: name}, nil
	}
	if t.DeletedAt != nil {
		return nil, noTenant(name)
	}
	return t, nil
}

func noTenant(name string) error {
	return &tool.Error{Code: tool.NotFound, Message: "there is no tenant " + tool.Quote(name), Hint: "list the tenants to see those that there are"}
}

// usable returns nil unless the tenant of the actor is gone. Every change asks, so that none is made behind a deletion.
func (e *edit) usable() error {
	if e.by.Tenant == tool.LocalTenant {
		return nil
	}
	t, err := readTenant(e, e.by.Tenant)
	if err == nil && t.gone() {
		return &tool.Error{Code: tool.NotFound, Message: "the tenant " + tool.Quote(t.Name) + " was deleted"}
	}
	return err
}

// administer makes a change that an operator decides on. It belongs to the operator's tenant, LocalTenant.
func (s *Shelf) administer(ctx context.Context, by tool.Actor, fn func(*edit) error) error {
	by.Tenant = tool.LocalTenant
	if err := by.Validate(); err != nil {
		return err
	}
	return s.change(ctx, by, fn)
}

// tell writes an entry about a tenant into its log and into that of the operator, whose change it is.
func (e *edit) tell(tenant string, kind tool.EventType, data fields) error {
	data["tenant"] = tenant
	if tenant != e.by.Tenant {
		of := &edit{Txn: e.Txn, shelf: e.shelf, by: e.by, now: e.now}
		of.by.Tenant = tenant
		if err := of.log("", kind, data); err != nil {
			return err
		}
		if err := of.saveHead(); err != nil {
			return err
		}
		e.events = append(e.events, of.events...)
	}
	return e.log("", kind, data)
}

// CreateTenant makes a tenant and its first key, or neither; without a request it has none yet, and nil comes back for it. The name
// is as tool.CheckTenantName says. One that is taken is a Collision; that of a tenant which was deleted stays taken, so that what is
// left of it elsewhere is never another's.
func (s *Shelf) CreateTenant(ctx context.Context, by tool.Actor, name string, first *KeyRequest) (made Tenant, k *NewKey, err error) {
	if err := tool.CheckTenantName(name); err != nil {
		return made, nil, err
	}
	if first != nil {
		if err := first.Validate(); err != nil {
			return made, nil, err
		}
	}
	err = s.administer(ctx, by, func(e *edit) error {
		if made, err = e.newTenant(name); err != nil {
			return err
		}
		made.CreatedAt, made.CreatedBy = tool.At(e.now), e.by.String()
		if err := e.set(tenantKey(name), made); err != nil {
			return err
		}
		if err := e.tell(name, tool.TenantCreated, fields{}); err != nil || first == nil {
			return err
		}
		key, err := e.createKey(name, first.withDefaults())
		k = &key
		return err
	})
	if err != nil {
		return Tenant{}, nil, err
	}
	return made, k, nil
}

// newTenant returns a tenant that nobody has made yet, with what is set for it already because a program uses it.
func (e *edit) newTenant(name string) (Tenant, error) {
	old, err := readTenant(e, name)
	if err != nil {
		return Tenant{}, err
	}
	taken := &tool.Error{Code: tool.Collision, Path: "/name", Message: "there is a tenant " + name + " already", Hint: "give another name, or make another key for it"}
	switch {
	case old.gone():
		taken.Message, taken.Hint = "a tenant "+name+" was deleted, and its name is not used again", "give another name"
		return Tenant{}, taken
	case old != nil && !old.CreatedAt.IsZero() || name == tool.LocalTenant:
		return Tenant{}, taken
	}
	made := 0
	err = e.Scan(Range{Prefix: key(tenantSpace)}, func(_, text []byte) (bool, error) {
		var t Tenant
		err := decode(text, &t)
		if t.DeletedAt == nil {
			made++
		}
		return true, err
	})
	switch {
	case err != nil:
		return Tenant{}, err
	case made >= maxTenants:
		return Tenant{}, &tool.Error{Code: tool.Limit, Message: fmt.Sprintf("there are %d tenants, which is all that there may be", made), Hint: "delete one that is no longer needed"}
	case old == nil:
		return Tenant{Name: name}, nil
	}
	return *old, nil
}

// Tenant returns a tenant that there is, else the error is NotFound.
func (s *Shelf) Tenant(ctx context.Context, name string) (found Tenant, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		t, err := tenantOf(r, name)
		if err == nil {
			found = *t
		}
		return err
	})
	return found, asError(err)
}

// ListTenants returns the tenants that there are, by name: LocalTenant, those that were made, and those that have an audit log.
// Among them are those that are being deleted.
func (s *Shelf) ListTenants(ctx context.Context) ([]Tenant, error) {
	all := map[string]Tenant{tool.LocalTenant: {Name: tool.LocalTenant}}
	logged, err := s.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range logged {
		all[name] = Tenant{Name: name}
	}
	stored, err := s.storedTenants(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range stored {
		all[t.Name] = t
	}
	list := make([]Tenant, 0, len(all))
	for _, t := range all {
		if t.DeletedAt == nil {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b Tenant) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

func (s *Shelf) storedTenants(ctx context.Context) (list []Tenant, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		return r.Scan(Range{Prefix: key(tenantSpace)}, func(_, text []byte) (bool, error) {
			var t Tenant
			err := decode(text, &t)
			list = append(list, t)
			return true, err
		})
	})
	return list, asError(err)
}

// Quota returns what is set for a tenant alone; its zero fields are the defaults of the configuration, and so is all of it for a
// tenant that nobody made.
func (s *Shelf) Quota(ctx context.Context, tenant string) (q tool.Quota, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		t, err := readTenant(r, tenant)
		if t != nil {
			q = t.Quota
		}
		return err
	})
	return q, asError(err)
}

// SetQuota sets what a tenant may use. It binds from the next time that somebody asks Quota; the audit entry QuotaChanged tells
// those who remember.
func (s *Shelf) SetQuota(ctx context.Context, by tool.Actor, name string, q tool.Quota) (changed Tenant, err error) {
	if err := q.Validate(); err != nil {
		return changed, err
	}
	err = s.administer(ctx, by, func(e *edit) error {
		t, err := e.liveTenant(name)
		if err != nil {
			return err
		}
		changed = *t
		changed.Quota = q
		if err := e.set(tenantKey(name), changed); err != nil {
			return err
		}
		return e.tell(name, tool.QuotaChanged, fields{"from": t.Quota, "to": q})
	})
	if err != nil {
		return Tenant{}, err
	}
	return changed, nil
}

// liveTenant returns a tenant that there is and that is not being deleted.
func (e *edit) liveTenant(name string) (*Tenant, error) {
	t, err := tenantOf(e, name)
	if err == nil && t.gone() {
		return nil, &tool.Error{Code: tool.Inactive, Message: "the tenant " + name + " is being deleted", Hint: "delete it again to finish that"}
	}
	return t, err
}

// DeleteTenant deletes a tenant and all that it has: keys, tools with their sources, sessions, documents, what was counted, and at
// last its audit log. From the first moment on its keys do not work, and nothing of it changes. When DeleteTenant is cut off, the
// next one, or Load, finishes. The log of the operator keeps that there was such a tenant, and its name stays taken.
func (s *Shelf) DeleteTenant(ctx context.Context, by tool.Actor, name string) error {
	if name == tool.LocalTenant {
		return &tool.Error{Code: tool.InvalidRequest, Message: "the tenant local is always there", Hint: "to delete all that there is, delete the data directory"}
	}
	err := s.administer(ctx, by, func(e *edit) error {
		t, err := tenantOf(e, name)
		if err != nil || t.DeletingSince != nil {
			return err
		}
		now := tool.At(e.now)
		t.DeletingSince = &now
		if err := e.set(tenantKey(name), t); err != nil {
			return err
		}
		return e.tell(name, tool.TenantDeleting, fields{})
	})
	if err != nil {
		return err
	}
	return s.finishDeleting(ctx, by, name)
}

// deleteChunk is how many keys of the store one transaction deletes.
const deleteChunk = 1000

// finishDeleting deletes all that a tenant has which is being deleted, some at a time.
func (s *Shelf) finishDeleting(ctx context.Context, by tool.Actor, name string) error {
	by.Tenant = tool.LocalTenant
	if _, err := s.commit(ctx, by, func(e *edit) error { return e.dropKeys(name) }); err != nil {
		return err
	}
	for _, prefix := range tenantPrefixes(name) {
		for n := deleteChunk; n == deleteChunk; {
			_, err := s.commit(ctx, by, func(e *edit) (err error) { n, err = deleteAll(e, prefix, deleteChunk); return err })
			if err != nil {
				return err
			}
		}
	}
	s.touches.forgetTenant(name)
	s.sealer.forgetTenant(name)
	return s.change(ctx, by, func(e *edit) error { return e.bury(name) })
}

// bury deletes the end of a tenant's log and leaves its name alone.
func (e *edit) bury(name string) error {
	t, err := readTenant(e, name)
	if err != nil || t == nil || t.DeletedAt != nil { // another has done it
		return err
	}
	now := tool.At(e.now)
	if err := errors.Join(e.Delete(headKey(name)), e.set(tenantKey(name), Tenant{Name: name, DeletedAt: &now})); err != nil {
		return err
	}
	return e.log("", tool.TenantDeleted, fields{"tenant": name})
}

// finishDeletions finishes what DeleteTenant has begun.
func (s *Shelf) finishDeletions(ctx context.Context) error {
	list, err := s.storedTenants(ctx)
	for _, t := range list {
		if t.DeletingSince != nil {
			err = errors.Join(err, s.finishDeleting(ctx, tool.Actor{Name: hostName}, t.Name))
		}
	}
	return err
}
