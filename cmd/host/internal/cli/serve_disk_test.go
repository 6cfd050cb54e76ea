package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
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

// Nobody looks any more once it was stopped, and nothing is said of a look that stopping ended.
func TestWritableWatchEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		const times = 20
		looks := 0
		for range times {
			stop := (&writableWatch{log: slog.New(slog.NewTextHandler(&log, nil))}).start(t.Context(), func(ctx context.Context) error {
				looks++
				<-ctx.Done()
				return ctx.Err()
			})
			time.Sleep(3 * writableEvery) // the next look is due while this one is not over
			stop()
			time.Sleep(2 * writableEvery)
		}
		if looks != times || log.Len() > 0 {
			t.Errorf("%d looks:\n%s", looks, &log)
		}
	})
}
