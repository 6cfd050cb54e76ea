package tool

import (
	"sync"
	"time"
)

// Told remembers what was told within a minute, so that nobody can fill a log by having the same told again. The zero value has told
// nothing. It is safe for concurrent use.
type Told[K comparable] struct {
	mu     sync.Mutex
	minute int64
	told   map[K]bool
}

// maxTold bounds what is told in a minute by all.
const maxTold = 1000

// First reports whether something is to be told: the first time in a minute.
func (t *Told[K]) First(what K, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if minute := now.Unix() / 60; minute != t.minute || t.told == nil {
		t.minute, t.told = minute, map[K]bool{}
	}
	if t.told[what] || len(t.told) >= maxTold {
		return false
	}
	t.told[what] = true
	return true
}
