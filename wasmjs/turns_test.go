package wasmjs

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTurnsAreBoundedAndGoRound(t *testing.T) {
	t.Parallel()
	turns := newTurns(2)
	var at, most, rounds atomic.Int64
	var running sync.WaitGroup
	for range 9 {
		running.Go(func() {
			for i := range 50 {
				turns.take(i > 0)
				if now := at.Add(1); now > most.Load() {
					most.Store(now)
				}
				rounds.Add(1)
				at.Add(-1)
			}
			turns.give()
		})
	}
	running.Wait()
	if most.Load() > 2 || rounds.Load() != 450 || turns.free != 2 || turns.waiting.Len() != 0 {
		t.Errorf("%d at once, %d turns, %d free and %d waiting in the end", most.Load(), rounds.Load(), turns.free, turns.waiting.Len())
	}
}

func TestWhoeverWaitsGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		turns.take(false)
		turns.take(true) // nobody waits
		var order []string
		go func() {
			turns.take(false)
			order = append(order, "second")
			turns.give()
		}()
		synctest.Wait()
		time.Sleep(time.Second)
		turns.take(true)
		order = append(order, "first again")
		turns.give()
		if len(order) != 2 || order[0] != "second" {
			t.Errorf("the order was %v", order)
		}
	})
}
