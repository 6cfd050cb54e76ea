package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A disk that stays full is told of once a minute, and its end once.
func TestRefusedWritesAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := writableWatch{log: slog.New(slog.NewTextHandler(&log, nil))}
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	full := errors.New("the disk is full")
	for range 8 { // two minutes
		w.look(at, full)
		at = at.Add(15 * time.Second)
	}
	w.look(at, nil)
	w.look(at, nil)
	if errs, ends := strings.Count(log.String(), "level=ERROR"), strings.Count(log.String(), "stored again"); errs != 2 || ends != 1 || !strings.Contains(log.String(), "the disk is full") {
		t.Errorf("%d errors, %d ends:\n%s", errs, ends, &log)
	}
}
