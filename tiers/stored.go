package tiers

import (
	"bytes"
	"errors"

	"example.com/toolsmith/runtime/tool"
)

// holdings is what a tenant keeps of tools.
type holdings struct {
	Tools int64 `json:"tools"`     // a tool is one with all its versions; of one that a wider tier has in another version there are two
	Bytes int64 `json:"toolBytes"` // of all versions, with their code as it is kept
}

func storedAt(tenant string) []byte { return key(toolSpace, tenant, "stored") }

// storedIn returns what a value under a key, of so many bytes, is of what a tenant keeps of tools.
func storedIn(tenant string, k []byte, size int) holdings {
	switch {
	case bytes.HasPrefix(k, key(toolSpace, tenant, "name")):
		return holdings{Tools: 1}
	case bytes.HasPrefix(k, key(toolSpace, tenant, "record")), bytes.HasPrefix(k, key(sourceSpace, tenant)):
		return holdings{Bytes: int64(len(k) + size)}
	}
	return holdings{}
}

func (h holdings) plus(more holdings) holdings {
	return holdings{h.Tools + more.Tools, h.Bytes + more.Bytes}
}

func (h holdings) minus(less holdings) holdings {
	return holdings{h.Tools - less.Tools, h.Bytes - less.Bytes}
}

func (h holdings) limits(q tool.Quota) []limited {
	return []limited{
		{"tools", float64(h.Tools), float64(q.Tools), "stored tools"},
		{"toolBytes", float64(h.Bytes), float64(q.ToolBytes), "bytes of stored tools"},
	}
}

// Set counts what is stored.
func (e *edit) Set(k, value []byte) error {
	if now := storedIn(e.by.Tenant, k, len(value)); now != (holdings{}) {
		if err := e.uncount(k); err != nil {
			return err
		}
		e.more = e.more.plus(now)
	}
	return e.Txn.Set(k, value)
}

// Delete counts what is stored.
func (e *edit) Delete(k []byte) error {
	if storedIn(e.by.Tenant, k, 0) != (holdings{}) {
		if err := e.uncount(k); err != nil {
			return err
		}
	}
	return e.Txn.Delete(k)
}

// uncount takes what stands under a key out of the count.
func (e *edit) uncount(k []byte) error {
	old, found, err := e.Get(k)
	if err == nil && found {
		e.more = e.more.minus(storedIn(e.by.Tenant, k, len(old)))
	}
	return err
}

// stored reads what a tenant keeps. A store of an older program has no count of it yet.
func stored(r Reader, tenant string) (sum holdings, err error) {
	text, found, err := r.Get(storedAt(tenant))
	if err != nil {
		return sum, err
	}
	if found {
		return sum, decode(text, &sum)
	}
	return scanStored(r, tenant)
}

func scanStored(r Reader, tenant string) (sum holdings, err error) {
	for _, prefix := range [][]byte{key(toolSpace, tenant), key(sourceSpace, tenant)} {
		err = errors.Join(err, r.Scan(Range{Prefix: prefix}, func(k, value []byte) (bool, error) {
			sum = sum.plus(storedIn(tenant, k, len(value)))
			return true, nil
		}))
	}
	return sum, err
}

// storedNow is what the actor's tenant keeps with this change.
func (e *edit) storedNow() (holdings, error) {
	if _, found, err := e.Get(storedAt(e.by.Tenant)); err != nil || !found {
		return scanStored(e, e.by.Tenant) // sees the change
	}
	before, err := stored(e, e.by.Tenant)
	return before.plus(e.more), err
}

// saveStored writes the count, if it has changed.
func (e *edit) saveStored() error {
	if e.more == (holdings{}) {
		return nil
	}
	now, err := e.storedNow()
	if err != nil {
		return err
	}
	e.more = holdings{}
	return e.set(storedAt(e.by.Tenant), now)
}

// roomForMore checks that the tenant may keep what this change adds, and warns.
func (e *edit) roomForMore() error {
	of := tool.Caller{Tenant: e.by.Tenant}
	quota, err := e.shelf.quotaOf(e, of)
	if err != nil {
		return err
	}
	now, err := e.storedNow()
	if err != nil {
		return err
	}
	more := e.more.limits(quota)
	for i, l := range now.limits(quota) {
		if more[i].used <= 0 {
			continue
		}
		if l.used > l.most {
			wrong := l.over(of)
			wrong.Hint = "remove tools that are no longer needed, or raise " + l.name
			return wrong
		}
		if err := e.warn(of, l, l.used-more[i].used); err != nil {
			return err
		}
	}
	return nil
}
