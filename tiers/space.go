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
	openSpace  = 64 << 20 // free bytes below which a store is not opened
	spareSpace = 8 << 20  // that are free beside those that reserve counts
	spacePause = 250 * time.Millisecond
)

// space watches how much is free on the disk of a directory. It is safe for concurrent use. A nil one has no bound.
type space struct {
	dir  string
	free func(dir string) (uint64, error)

	mu     sync.Mutex
	next   time.Time // before which the last answer holds
	unseen int       // bytes that were to be written since
	last   error
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

// reserve is how many bytes have to stay free: for a table of each log, which Badger makes when it likes, and at the end.
func (s *space) reserve() uint64 {
	logs, _ := filesIn(s.dir, "*.mem") // where the folder is gone, no more is written
	return spareSpace + memTableBytes*uint64(max(len(logs), 1))
}

// forChange looks whether a change of so many bytes leaves the reserve. It looks from time to time only, and when much was written.
func (s *space) forChange(bytes int) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unseen += bytes
	if now := time.Now(); now.After(s.next) || s.unseen > spareSpace/2 {
		s.last, s.next, s.unseen = s.forWork(bytes), now.Add(spacePause), 0
	}
	return s.last
}

// forWork looks whether so many bytes leave the reserve.
func (s *space) forWork(bytes int) error {
	if s == nil {
		return nil
	}
	return s.require(s.reserve() + uint64(bytes)) //nolint:gosec // G115: not negative
}

// forClose looks whether what is in memory can be made tables.
func (s *space) forClose() error {
	full := s.forWork(0)
	if full == nil {
		return nil
	}
	return &tool.Error{
		Code: tool.Unavailable, Message: tool.AsError(full).Message + ", so that the store was not closed in order",
		Hint: "free some space; what was committed is in the log of the store, from which the next start takes it",
	}
}
