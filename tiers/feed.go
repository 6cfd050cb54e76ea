package tiers

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// party is one who changes a store: a process, as long as it has the store open.
type party [16]byte

// isEntry reports whether an entry of an audit log lies under a key.
func isEntry(k []byte) bool {
	if !bytes.HasPrefix(k, auditPrefix) {
		return false
	}
	all, ok := parts(k)
	return ok && len(all) == 4 && all[2] == "entry"
}

var auditPrefix = key(auditSpace)

// feed tells parties what audit entries others have committed. The zero value is one that nobody follows.
type feed struct {
	mu    sync.Mutex
	heard []*listener
}

// maxHeard bounds the bytes that wait for a listener. One that is slower has lost some, and begins anew.
const maxHeard = 8 << 20

// listener is a party that is told.
type listener struct {
	party
	store *badgerStore
	wake  chan struct{} // of capacity 1

	mu      sync.Mutex
	waiting [][]byte
	bytes   int
	lost    bool
}

// join lets a party be told from now on.
func (s *badgerStore) join(by party) *listener {
	l := &listener{party: by, store: s, wake: make(chan struct{}, 1)}
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	s.feed.heard = append(s.feed.heard, l)
	return l
}

// leave lets it be told no more.
func (l *listener) leave() {
	f := &l.store.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard = slices.DeleteFunc(f.heard, func(other *listener) bool { return other == l })
}

// tell passes entries on to all parties but the one who committed them.
func (f *feed) tell(by party, entries [][]byte) {
	if len(entries) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.heard {
		if l.party != by {
			l.add(entries)
		}
	}
}

func (l *listener) add(entries [][]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		l.bytes += len(e)
	}
	if l.bytes > maxHeard {
		l.waiting, l.lost = nil, true
	}
	for _, e := range entries {
		if !l.lost {
			l.waiting = append(l.waiting, bytes.Clone(e))
		}
	}
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

var errMissed = errors.New("some entries were missed")

// next waits until there are entries, and returns them once they are on disk; none after so long. The error says that some were
// missed, or that ctx has ended.
func (l *listener) next(ctx context.Context, most time.Duration) ([][]byte, error) {
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return nil, nil
		case <-l.wake:
		}
		entries, lost := l.take()
		switch {
		case lost:
			return nil, errMissed
		case len(entries) > 0:
			return entries, l.store.Sync(ctx)
		}
	}
}

func (l *listener) take() (entries [][]byte, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, l.waiting, l.bytes = l.waiting, nil, 0
	return entries, l.lost
}

// listen tells of entries until some were missed or ctx ends.
func (l *listener) listen(ctx context.Context, heard func(entry []byte)) {
	defer l.leave()
	for {
		entries, err := l.next(ctx, aliveEvery)
		if err != nil {
			return
		}
		for _, e := range entries {
			heard(e)
		}
	}
}
