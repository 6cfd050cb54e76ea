package measures

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"example.com/toolsmith/bench/load"
	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
)

const (
	quietRate = 100 // calls a second of the tenant that is measured
	windows   = 4   // of each kind
	hugeBody  = 2 << 20
	noisyRate = 300 // requests a second of the noisy tenant, a third of them of each kind; it has as many clients
)

// neighbour measures what a tenant feels of another one that floods the server with endless loops, memory bombs and huge bodies:
// in turn a window without it and one with it.
func (s *Session) neighbour(ctx context.Context, measure string, at *server) (report.Result, error) {
	tenant, other := at.keys[0], at.keys[1]
	to := load.Target{Address: at.address, Want: []byte(programs.Slug.Want), Requests: [][]byte{at.call("slug", tenant, programs.Slug.Input)}}
	during := s.loadTime()
	clients := load.Dial(ctx, at.address, connections/4)
	defer load.Hang(clients)
	var quiet, loud load.Tally
	for i := range 2 * windows {
		sum, stop := &quiet, func() {}
		if i%2 == 1 {
			sum, stop = &loud, at.noise(ctx, other)
		}
		sum.Merge(load.Open(ctx, to, clients, load.Arrivals(quietRate, during, uint64(i/2))))
		stop()
		s.tell(0.5 + float64(i)/(4*windows))
	}
	result := report.Result{Measure: measure, Unit: report.Nanoseconds, Load: []report.Load{
		report.DescribeLoad("quiet", quietRate, &quiet), report.DescribeLoad("noisy", quietRate, &loud),
	}}
	before, with := quiet.Served.Percentile(0.95), loud.Served.Percentile(0.95)
	wanted := math.Max(1.5*before, before+float64(10*time.Millisecond))
	result.Note = fmt.Sprintf("p95 beside a noisy tenant %s, and %s without it (wanted at most %s)",
		report.Nanoseconds.Show(with), report.Nanoseconds.Show(before), report.Nanoseconds.Show(wanted))
	return result, ctx.Err()
}

// noise floods the server until it is stopped.
func (s *server) noise(ctx context.Context, key string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	to := load.Target{Address: s.address, Requests: [][]byte{
		s.call("noise", key, `{"text":"loop","n":0}`), s.call("noise", key, `{"text":"bomb","n":0}`),
		s.call("noise", key, `{"text":"`+string(bytes.Repeat([]byte("x"), hugeBody))+`","n":0}`),
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		clients := load.Dial(ctx, s.address, noisyRate)
		defer load.Hang(clients)
		load.Open(ctx, to, clients, load.Arrivals(noisyRate, time.Minute, 0))
	}()
	return func() {
		cancel()
		<-done
	}
}
