package tiers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Shelf keeps the forged tools of all tenants. It is safe for concurrent use. Its errors are *tool.Error. What it returns
// belongs to the caller.
type Shelf struct {
	store   Store
	opt     Options
	sealer  *sealer
	uses    useBuffer
	touches touches
	keyUses touches // of keys: the session is the key's id
	keys    memo[heldKey]
	tenants memo[Tenant]
	bodies  bodyBounds
	weeding weeding
	heads   heads

	changing sync.Mutex // one change at a time, so that the store need not run them again
	quit     chan struct{}
	tending  sync.WaitGroup
	closing  sync.Once
	closed   error // what Close returns
}

// Open opens the shelf in a data directory, which is created 0700 when it is not there; "" keeps nothing beyond Close.
// store says how it is kept; its Dir is chosen by Open. Several processes, and several shelves of one process, may have a
// directory open: see OpenStore.
func Open(ctx context.Context, dir string, store StoreOptions, opt Options) (*Shelf, error) {
	opt = opt.withDefaults()
	store, err := storeIn(dir, store)
	if err != nil {
		return nil, err
	}
	s, err := OpenStore(ctx, store)
	if err != nil {
		return nil, err
	}
	if opt.Heads == "" && dir != "" {
		opt.Heads = filepath.Join(dir, HeadsFile)
	}
	if opt.SourceKey == nil {
		if opt.SourceKey, err = sourceKey(dir, opt.Random); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	shelf, err := New(ctx, s, opt)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return shelf, nil
}

// storeFolder is where the store lies in a data directory.
const storeFolder = "store"

// storeIn says where the store of a data directory is kept, which is made if need be.
func storeIn(dir string, opt StoreOptions) (StoreOptions, error) {
	opt.Dir = ""
	if dir == "" {
		return opt, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return opt, unusable(dir, err)
	}
	opt.Dir = filepath.Join(dir, storeFolder)
	return opt, nil
}

// New makes a shelf of a store, which it closes. Options.SourceKey must be given when code is sealed.
func New(ctx context.Context, store Store, opt Options) (*Shelf, error) {
	opt = opt.withDefaults()
	seal, err := newSealer(opt)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, store, migrations); err != nil {
		return nil, err
	}
	s := &Shelf{store: store, opt: opt, sealer: seal, bodies: defaultBodyBounds, quit: make(chan struct{})}
	s.heads.file = opt.Heads
	s.uses.pending = map[toolKey][]tool.Use{}
	if shared, ok := store.(follower); ok {
		if err := shared.follow(s.heard, opt.Lost); err != nil {
			return nil, err
		}
	}
	if opt.TendEvery > 0 {
		s.tending.Go(s.tend)
	}
	return s, nil
}

// Store is what the shelf keeps everything in, for Backup.
func (s *Shelf) Store() Store { return s.store }

// Writable is nil when changes can be made, and else why not, as on a full disk. It changes nothing.
func (s *Shelf) Writable(ctx context.Context) error {
	return asError(s.store.Update(ctx, func(txn Txn) error {
		_, _, err := txn.Get(key(metaSpace, "schema")) // whoever serves the store answers here
		return err
	}))
}

// Close writes the uses that are not written yet, and closes the store. Closing again does no more, and returns the same.
func (s *Shelf) Close() error {
	s.closing.Do(func() {
		close(s.quit)
		s.tending.Wait()
		uncounted, unsaved := s.settleLast(), s.saveHeads(context.Background())
		s.closed = errors.Join(uncounted, s.store.Close(), unsaved)
	})
	return s.closed
}

// tend calls Tend from time to time. What fails is tried again the next time.
func (s *Shelf) tend() {
	tick := time.NewTicker(s.opt.TendEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
			_ = errors.Join(s.Tend(context.Background()), s.saveHeads(context.Background()))
		}
	}
}

// Tend does what is due: it closes the audit entries of uses whose minute has passed, ends idle sessions and, once an hour,
// demotes what the rules no longer keep.
func (s *Shelf) Tend(ctx context.Context) error {
	return errors.Join(s.closeMinutes(ctx), s.endIdle(ctx), s.weed(ctx))
}

// change runs fn as one transaction of the actor's tenant, and returns when it is on disk.
func (s *Shelf) change(ctx context.Context, by tool.Actor, fn func(*edit) error) error {
	began := time.Now()
	events, err := s.commit(ctx, by, fn)
	if err != nil {
		return err
	}
	err = s.publish(ctx, events)
	if err == nil && len(events) > 0 && s.opt.Appended != nil {
		s.opt.Appended(len(events), time.Since(began))
	}
	return err
}

// commit runs fn as one transaction, which is not on disk yet.
func (s *Shelf) commit(ctx context.Context, by tool.Actor, fn func(*edit) error) (events []tool.AuditEvent, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	err = s.store.Update(ctx, func(txn Txn) error {
		e := &edit{Txn: txn, shelf: s, by: by, now: s.opt.Now()}
		if err := e.usable(); err != nil {
			return err
		}
		if err := fn(e); err != nil {
			return err
		}
		events = e.events
		return errors.Join(e.saveStored(), e.saveHead())
	})
	if err != nil {
		return nil, asError(err)
	}
	if len(events) > 0 {
		s.heads.moved.Store(true)
	}
	return events, nil
}

// publish syncs, and tells of the entries.
func (s *Shelf) publish(ctx context.Context, events []tool.AuditEvent) error {
	if err := s.store.Sync(ctx); err != nil {
		return asError(err)
	}
	for _, event := range events {
		s.opt.Watch(event)
	}
	return nil
}

// follower is a store that other processes change too.
type follower interface {
	// follow tells of the audit entries that others commit from now on, and when some may have been missed.
	follow(heard func(entry []byte), lost func()) error
}

// heard tells of an entry that another process has committed.
func (s *Shelf) heard(text []byte) {
	var event tool.AuditEvent
	if decode(text, &event) != nil {
		s.opt.Lost()
		return
	}
	s.opt.Watch(event)
}

// asError keeps nil nil, which a *tool.Error in an error would not.
func asError(err error) error {
	if err == nil {
		return nil
	}
	return tool.AsError(err)
}
