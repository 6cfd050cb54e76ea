package load

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Closed lets so many clients ask for a while, each again as soon as it is answered.
func Closed(ctx context.Context, to Target, clients int, during time.Duration) *Tally {
	list := Dial(ctx, to.Address, clients)
	defer Hang(list)
	return each(ctx, to, list, func(i int, begin time.Time) turn {
		return func() (time.Time, int, bool) {
			i++
			now := time.Now()
			return now, i, now.Sub(begin) < during
		}
	})
}

// Arrivals are times, from a beginning, at which so many requests a second arrive by chance for a while. The same seed makes
// the same ones.
func Arrivals(perSecond float64, during time.Duration, seed uint64) []time.Duration {
	chance := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // no secret
	var times []time.Duration
	at := time.Duration(0)
	for {
		at += time.Duration(chance.ExpFloat64() / perSecond * float64(time.Second))
		if at >= during {
			return times
		}
		times = append(times, at)
	}
}

// Open sends a request at each of the times, whatever has been answered by then. A time is counted from when its request was due,
// even where it had to wait for one of the clients.
func Open(ctx context.Context, to Target, clients []*Client, arrivals []time.Duration) *Tally {
	var next atomic.Int64
	return each(ctx, to, clients, func(_ int, begin time.Time) turn {
		return func() (time.Time, int, bool) {
			i := int(next.Add(1)) - 1
			if i >= len(arrivals) {
				return time.Time{}, 0, false
			}
			due := begin.Add(arrivals[i])
			time.Sleep(time.Until(due))
			return due, i, true
		}
	})
}

// turn says since when a request is due, which it is, and whether there is one.
type turn func() (since time.Time, which int, more bool)

// each lets clients ask what their turns say.
func each(ctx context.Context, to Target, clients []*Client, turns func(i int, begin time.Time) turn) *Tally {
	tallies := make([]Tally, len(clients))
	var running sync.WaitGroup
	begin := time.Now()
	for i, c := range clients {
		turn := turns(i, begin)
		running.Go(func() { tallies[i].fill(ctx, c, to, turn) })
	}
	running.Wait()
	sum := &Tally{Took: time.Since(begin)}
	for i := range tallies {
		sum.merge(&tallies[i])
	}
	return sum
}

// fill asks on one connection, turn by turn.
func (t *Tally) fill(ctx context.Context, c *Client, to Target, turn turn) {
	for ctx.Err() == nil {
		since, which, more := turn()
		if !more {
			return
		}
		t.Late.Add(time.Since(since))
		status, body, err := c.Ask(ctx, to.Requests[which%len(to.Requests)])
		if ctx.Err() == nil {
			t.count(to.Want, status, body, err, time.Since(since))
		}
	}
}
