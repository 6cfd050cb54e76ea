package server

import (
	"errors"
	"testing"
	"time"
)

// What is told of again after it was mended is told of at once.
func TestNotice(t *testing.T) {
	t.Parallel()
	var n notice
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	full := errors.New("the disk is full")
	for i, c := range []struct {
		after time.Duration
		err   error
		due   bool
	}{{0, nil, false}, {0, full, true}, {59 * time.Second, full, false}, {time.Second, full, true}, {time.Second, nil, false}, {time.Second, full, true}} {
		at = at.Add(c.after)
		if due := n.due(at, c.err); due != c.due {
			t.Errorf("%d: %v is due: %v", i, c.err, due)
		}
	}
}
