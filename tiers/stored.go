package tiers

import (
	"bytes"
	"errors"

	"example.com/toolsmith/runtime/tool"
)

// Stored is what a tenant keeps of tools.
type Stored struct {
	Tools int64 `json:"tools"`     // a tool is one with all its versions; of one that a wider tier has in another version there are two
	Bytes int64 `json:"toolBytes"` // of all versions, with their code as it is kept
}

func storedAt(tenant string) []byte { return key(toolSpace, tenant, "stored") }

// storedIn returns what a value under a key, of so many bytes, is of what a tenant keeps of tools.
func storedIn(tenant string, k []byte, size int) Stored {
	switch {
	case bytes.HasPrefix(k, key(toolSpace, tenant, "name")):
		return Stored{Tools: 1}
	case bytes.HasPrefix(k, key(toolSpace, tenant, "record")), bytes.HasPrefix(k, key(sourceSpace, tenant)):
		return Stored{Bytes: int64(len(k) + size)}
	}
	return Stored{}
}

func (s Stored) plus(t Stored) Stored  { return Stored{s.Tools + t.Tools, s.Bytes + t.Bytes} }
func (s Stored) minus(t Stored) Stored { return Stored{s.Tools - t.Tools, s.Bytes - t.Bytes} }

// Set counts what is stored.
func (e *edit) Set(k, value []byte) error {
	if now := storedIn(e.by.Tenant, k, len(value)); now != (Stored{}) {
		if err := e.uncount(k); err != nil {
			return err
		}
		e.more = e.more.plus(now)
	}
	return e.Txn.Set(k, value)
}

// Delete counts what is stored.
func (e *edit) Delete(k []byte) error {
	if storedIn(e.by.Tenant, k, 0) != (Stored{}) {
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
func stored(r Reader, tenant string) (sum Stored, err error) {
	text, found, err := r.Get(storedAt(tenant))
	if err != nil {
		return sum, err
	}
	if found {
		return sum, decode(text, &sum)
	}
	return scanStored(r, tenant)
}

func scanStored(r Reader, tenant string) (sum Stored, err error) {
	for _, prefix := range [][]byte{key(toolSpace, tenant), key(sourceSpace, tenant)} {
		err = errors.Join(err, r.Scan(Range{Prefix: prefix}, func(k, value []byte) (bool, error) {
			sum = sum.plus(storedIn(tenant, k, len(value)))
			return true, nil
		}))
	}
	return sum, err
}

// storedNow is what the actor's tenant keeps with this change.
func (e *edit) storedNow() (Stored, error) {
	if _, found, err := e.Get(storedAt(e.by.Tenant)); err != nil || !found {
		return scanStored(e, e.by.Tenant) // sees the change
	}
	before, err := stored(e, e.by.Tenant)
	return before.plus(e.more), err
}

// saveStored writes the count, if it has changed.
func (e *edit) saveStored() error {
	if e.more == (Stored{}) {
		return nil
	}
	now, err := e.storedNow()
	if err != nil {
		return err
	}
	e.more = Stored{}
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
	for _, c := range []struct {
		more int64
		limited
	}{
		{e.more.Tools, limited{"tools", float64(now.Tools), float64(quota.Tools), "stored tools"}},
		{e.more.Bytes, limited{"toolBytes", float64(now.Bytes), float64(quota.ToolBytes), "bytes of stored tools"}},
	} {
		if c.more <= 0 {
			continue
		}
		if c.used > c.most {
			wrong := c.over(of)
			wrong.Hint = "remove tools that are no longer needed, or raise " + c.name
			return wrong
		}
		if err := e.warn(of, c.limited, c.used-float64(c.more)); err != nil {
			return err
		}
	}
	return nil
}
