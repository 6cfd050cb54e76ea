package cli

import (
	"context"
	"sync"
	"sync/atomic"

	"example.com/toolsmith/runtime/tool"
)

// keyWatch knows whether requests need keys: from the first tenant or key on, whichever process makes it. It is safe for
// concurrent use.
type keyWatch struct {
	has   func(context.Context) (bool, error)
	known atomic.Bool // they do
	stale atomic.Bool // they may, although nothing was seen of it
	look  sync.Mutex  // so that whoever asks meanwhile waits for the answer
}

// audited takes note of tenants and keys that are made.
func (k *keyWatch) audited(e tool.AuditEvent) {
	if e.EventType == tool.KeyCreated || e.EventType == tool.TenantCreated {
		k.known.Store(true)
	}
}

// lost says that entries of the log may have been missed.
func (k *keyWatch) lost() { k.stale.Store(true) }

// needed reports whether requests need keys.
func (k *keyWatch) needed(ctx context.Context) (bool, error) {
	if k.known.Load() {
		return true, nil
	}
	k.look.Lock()
	defer k.look.Unlock()
	if k.stale.Swap(false) { // before the look, so that what is lost meanwhile is not
		has, err := k.has(ctx)
		if err != nil {
			k.stale.Store(true)
			return false, err
		}
		if has {
			k.known.Store(true)
		}
	}
	return k.known.Load(), nil
}
