package tiers

import "context"

// Store keeps values under keys, in the order of the keys' bytes. It is safe for concurrent use. Shelf needs no more of
// whatever stands behind it: one directory today, a cluster another day. Errors are *tool.Error, except those that a
// function returned, which come back as they are.
type Store interface {
	// View runs fn over one consistent state, that of its first read or an earlier one. When that is lost, with another process that held it, fn is run again over the
	// next, so it must begin anew.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn and, when it returns nil, makes all its changes at once or none. What fn read with Get must not have
	// changed meanwhile, else fn is run again, so it must have no effect of its own. The changes are visible when Update
	// returns, and last once a Sync that began afterwards has returned.
	Update(ctx context.Context, fn func(Txn) error) error
	// Sync returns when everything that was committed before is on disk.
	Sync(ctx context.Context) error
	// Close makes what was committed last and gives the store free. Nothing may be called afterwards.
	Close() error
}

// Reader reads one consistent state. It is for one goroutine, and valid until the function it was given to returns.
type Reader interface {
	// Get returns a value, which the caller owns, and whether there is one.
	Get(key []byte) (value []byte, found bool, err error)
	// Scan calls visit for the keys of a range, in order, until it returns false or an error. Key and value are valid
	// until visit returns, which must not scan itself.
	Scan(r Range, visit func(key, value []byte) (more bool, err error)) error
}

// Txn reads and changes. Its reads see its own changes.
type Txn interface {
	Reader
	// Set puts a value under a key; neither may be changed before the transaction ends.
	Set(key, value []byte) error
	// Delete removes a key, if it is there.
	Delete(key []byte) error
}

// Range is what Scan goes over: the keys that begin with Prefix.
type Range struct {
	Prefix  []byte
	From    []byte // where to begin, itself included; nil is the first key, or the last when Reverse is set
	Reverse bool
}
