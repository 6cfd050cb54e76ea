package server

import (
	"sync"
	"time"
)

// notice is something that is told when it turns out, and then once a minute. It is safe for concurrent use.
type notice struct {
	mu   sync.Mutex
	said time.Time // zero when all is well
}

// due reports whether an error is to be told of at a moment; nil is none, and the next is.
func (n *notice) due(now time.Time, err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err == nil:
		n.said = time.Time{}
		return false
	case n.said.IsZero() || now.Sub(n.said) >= time.Minute:
		n.said = now
		return true
	}
	return false
}
