package wasmjs

import (
	"context"
	"time"

	"example.com/toolsmith/runtime/tool"
)

const (
	// quantum is how many units of fuel are handed out at a time: about 50 µs of work, so that deadlines, cancellation
	// and the Go scheduler's wish to stop the world never wait for long.
	quantum = 5000
	// yieldEvery is how often a running guest, which needs a turn after its first quantum, lets others have theirs.
	yieldEvery = time.Millisecond
	// nanosPerUnit is the guest time that one unit of fuel stands for.
	nanosPerUnit = 10
)

// Warning tells that a call has used 80 % of one of its limits.
type Warning struct {
	Limit     string // timeout, fuel, memory, hostCalls, output or logs
	Used, Max uint64 // in the limit's own unit; the timeout in nanoseconds
}

// budget is the fuel and the time of one job. Only the goroutine that drives the instance touches it.
type budget struct {
	limits   tool.Limits
	start    time.Time
	deadline time.Time
	done     <-chan struct{}
	granted  uint64        // fuel handed out so far
	waited   time.Duration // guest time that passed while waiting
	turns    *turns
	turn     bool // it has one
	yielded  time.Time
	memory   func() uint64 // linear memory in use
	warn     func(Warning)
	warned   map[string]bool
}

func newBudget(ctx context.Context, limits tool.Limits, start time.Time, warn func(Warning)) budget {
	return budget{
		limits: limits, start: start, deadline: start.Add(limits.Timeout), done: ctx.Done(), yielded: start, warn: warn,
	}
}

// refill hands out more fuel to a guest that has left units, or ends it: it is the one place where fuel, deadline and
// cancellation are looked at while the guest runs.
func (b *budget) refill(left int64) int64 {
	used := b.used(left)
	if used > b.limits.Fuel {
		panic(stop{tool.OutOfFuel})
	}
	now := time.Now()
	if !now.Before(b.deadline) {
		panic(stop{tool.Timeout})
	}
	select {
	case <-b.done:
		panic(stop{tool.Canceled})
	default:
	}
	if !b.turn || now.Sub(b.yielded) > yieldEvery {
		b.turns.take(b.turn)
		b.turn, b.yielded = true, time.Now() // others may have had long turns
	}
	if b.warn != nil {
		b.look("fuel", used, b.limits.Fuel)
		b.look("timeout", uint64(now.Sub(b.start)), uint64(b.limits.Timeout)) //nolint:gosec // both are positive
		b.look("memory", b.memory(), b.limits.MemoryBytes)
	}
	grant := min(quantum, b.limits.Fuel-used)
	b.granted = used + grant
	return int64(grant)
}

// rest gives the turn back, if there is one: the guest does not compute now.
func (b *budget) rest() {
	if b.turn {
		b.turns.give()
		b.turn = false
	}
}

// used is the fuel spent when left units remain of what was handed out.
func (b *budget) used(left int64) uint64 {
	return b.granted - uint64(left) //nolint:gosec // two's complement: a negative rest adds
}

// charge takes fuel for work that the host does for the guest. It binds at the next refill.
func (b *budget) charge(units uint64) { b.granted += units }

// look warns, once per limit, when used has passed 80 % of limit.
func (b *budget) look(limit string, used, most uint64) {
	if b.warn == nil || used < most/5*4 || b.warned[limit] {
		return
	}
	if b.warned == nil {
		b.warned = map[string]bool{}
	}
	b.warned[limit] = true
	b.warn(Warning{Limit: limit, Used: used, Max: most})
}

// elapsed is the guest's own time since the job began: 10 ns for each unit of fuel, and what was spent waiting. It is
// the same for the same work, however fast the machine is.
func (b *budget) elapsed(left int64) time.Duration {
	return time.Duration(b.used(left))*nanosPerUnit + b.waited //nolint:gosec // at most 1e10 units
}
