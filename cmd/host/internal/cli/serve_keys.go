package cli

import (
	"context"
	"sync/atomic"

	"example.com/toolsmith/runtime/tool"
)

// keyWatch knows whether requests need keys: from the first tenant or key on, whichever process makes it. It is safe for
// concurrent use.
type keyWatch struct {
	has    func(context.Context) (bool, error)
	known  atomic.Bool   // they do
	losses atomic.Uint64 // how often entries of the log may have been missed
	looked atomic.Uint64 // the losses before the last look
}

// audited takes note of tenants and keys that are made.
func (k *keyWatch) audited(e tool.AuditEvent) {
	if e.EventType == tool.KeyCreated || e.EventType == tool.TenantCreated {
		k.known.Store(true)
	}
}

// lost says that entries of the log may have been missed.
func (k *keyWatch) lost() { k.losses.Add(1) }

// needed reports whether requests need keys. After a loss everybody looks until one look has succeeded: nobody waits for another's,
// which a store that does not answer may keep for long.
func (k *keyWatch) needed(ctx context.Context) (bool, error) {
	losses := k.losses.Load() // before the look, so that what is lost meanwhile is looked for again
	if k.known.Load() || k.looked.Load() == losses {
		return k.known.Load(), nil
	}
	has, err := k.has(ctx)
	if err != nil {
		return false, err
	}
	if has {
		k.known.Store(true)
	}
	k.looked.Store(losses)
	return k.known.Load(), nil
}
