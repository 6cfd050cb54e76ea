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
		return func() (request, bool) {
			i++
			now := time.Now()
			return request{which: i, since: now}, now.Sub(begin) < during
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

// Open sends a request at each of the times, whatever has been answered by then. A time is counted from when its request was due
// where all clients were waiting for answers then. Where one was free and woke up late, that is the generator's own lateness.
func Open(ctx context.Context, to Target, clients []*Client, arrivals []time.Duration) *Tally {
	var next atomic.Int64
	return each(ctx, to, clients, func(_ int, begin time.Time) turn {
		return func() (request, bool) {
			i := int(next.Add(1)) - 1
			if i >= len(arrivals) {
				return request{}, false
			}
			due := begin.Add(arrivals[i])
			early := time.Until(due)
			if early <= 0 {
				return request{which: i, since: due}, true
			}
			time.Sleep(early)
			now := time.Now()
			return request{i, now, now.Sub(due)}, true
		}
	})
}

// request is one to send.
type request struct {
	which int
	since time.Time     // its time is counted
	late  time.Duration // by the generator's own doing
}

// turn waits until there is a request to send; false is that there are no more.
type turn func() (r request, more bool)

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
		r, more := turn()
		if !more {
			return
		}
		t.Late.Add(r.late)
		status, body, err := c.Ask(ctx, to.Requests[r.which%len(to.Requests)])
		if ctx.Err() == nil {
			t.count(to.Want, status, body, err, time.Since(r.since))
		}
	}
}
