package tiers

import (
	"fmt"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Badger writes into files that are mapped into memory. Where the disk has no room for a page of one, the system ends the
// process, so the room is looked at before.
const (
	openSpace   = 64 << 20 // free bytes below which a store is not opened
	commitSpace = 24 << 20 // the same for a change: a table of what is in memory, and some more
	spacePause  = 250 * time.Millisecond
)

// space watches how much is free on the disk of a directory. It is safe for concurrent use.
type space struct {
	dir  string
	free func(dir string) (uint64, error)

	mu   sync.Mutex
	next time.Time // before which the last answer holds
	last error
}

// FreeBytes is how much the user may still write to the disk of a directory; where the system is not asked it is the most that there is.
func FreeBytes(dir string) (uint64, error) { return freeBytes(dir) }

// require looks whether so many bytes are free. What cannot be known is enough.
func (s *space) require(least uint64) error {
	if free, err := s.free(s.dir); err == nil && free < least {
		return fullError(s.dir, free, least)
	}
	return nil
}

func fullError(dir string, free, least uint64) error {
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("the disk of %s is full: %d MiB are free, %d are needed", dir, free>>20, least>>20),
		Hint: fullHint,
	}
}

const fullHint = "free some space, or use a data directory on another disk; a process that has the store open reads it still, for others too"

// forCommit is require for a change, which looks from time to time only.
func (s *space) forCommit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.After(s.next) {
		s.last, s.next = s.require(commitSpace), now.Add(spacePause)
	}
	return s.last
}
