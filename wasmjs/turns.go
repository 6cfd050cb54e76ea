package wasmjs

import (
	"container/list"
	"sync"
)

// turns are what guests take that compute for more than a moment: only so many do at a time, and each lets those that wait go first
// now and then. What the host itself has to do, and short calls, then never stand behind more of them than that. It is safe for
// concurrent use.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting list.List // of chan struct{}, those that are next first
}

// newTurns lets n guests go on at a time.
func newTurns(n int) *turns { return &turns{free: n} }

// take returns when it is the caller's turn, which gives it back. Whoever had it before lets all go first that wait, and whoever had
// none yet waits for nobody but those whose turn it is: most calls are short, and there are only so many of them at once.
func (t *turns) take(again bool) {
	t.mu.Lock()
	switch {
	case again && t.waiting.Len() == 0:
		t.mu.Unlock()
		return
	case again:
		t.next()
	case t.free > 0:
		t.free--
		t.mu.Unlock()
		return
	}
	ready := make(chan struct{})
	if again {
		t.waiting.PushBack(ready)
	} else {
		t.waiting.PushFront(ready)
	}
	t.mu.Unlock()
	<-ready
}

// give gives a turn back.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// next hands a turn on.
func (t *turns) next() {
	first := t.waiting.Front()
	if first == nil {
		t.free++
		return
	}
	close(t.waiting.Remove(first).(chan struct{})) //nolint:forcetypeassert,revive,nolintlint // nothing else is kept
}
