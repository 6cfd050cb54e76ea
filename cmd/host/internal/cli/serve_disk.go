package cli

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	writableEvery = 15 * time.Second // how often a server looks whether it can store
	refusedAgain  = time.Minute      // how often it says that it cannot
)

// writableWatch tells the log when nothing can be stored, as on a full disk, and when it can again.
type writableWatch struct {
	log  *slog.Logger
	said time.Time // when it was told last that it cannot; zero when it can
}

// start follows what is writable until the function that it returns is called.
func (w *writableWatch) start(ctx context.Context, writable func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { w.follow(ctx, writable) })
	return func() { cancel(); running.Wait() }
}

// follow looks from time to time, until ctx ends.
func (w *writableWatch) follow(ctx context.Context, writable func(context.Context) error) {
	tick := time.NewTicker(writableEvery)
	defer tick.Stop()
	for ctx.Err() == nil { // a tick may have come meanwhile
		select {
		case <-ctx.Done():
		case now := <-tick.C:
			if err := writable(ctx); ctx.Err() == nil {
				w.look(now, err)
			}
		}
	}
}

// look tells of one look, whose error says why nothing can be stored.
func (w *writableWatch) look(now time.Time, err error) {
	switch {
	case err == nil && !w.said.IsZero():
		w.said = time.Time{}
		w.log.Info("changes can be stored again")
	case err != nil && now.Sub(w.said) >= refusedAgain:
		w.said = now
		w.log.Error("no change can be stored", "error", err)
	}
}
