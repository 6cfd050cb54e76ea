package mcp

import (
	"sync"
	"time"
)

// bucket lets things pass at a rate, and some at once. It is safe for concurrent use.
type bucket struct {
	now   func() time.Time
	rate  float64 // a second
	most  float64
	mu    sync.Mutex
	left  float64
	taken time.Time
}

func newBucket(now func() time.Time, rate, most float64) *bucket {
	return &bucket{now: now, rate: rate, most: most, left: most, taken: now()}
}

// take reports whether one more may pass.
func (b *bucket) take() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.now()
	b.left = min(b.most, b.left+max(at.Sub(b.taken), 0).Seconds()*b.rate)
	b.taken = at
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
