package wasmjs

import (
	"context"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// pool holds the engine's instances. Any instance can serve any tool; one that served the same tool last is preferred,
// since it needs no other image. It is safe for concurrent use.
type pool struct {
	create func() (*instance, error)
	slots  chan struct{} // one token for each instance that may be alive

	mu   sync.Mutex
	idle []*instance
	live int
}

// lookBack is how many idle instances are searched for one that holds the wanted image.
const lookBack = 16

func newPool(size int, create func() (*instance, error)) *pool {
	return &pool{create: create, slots: make(chan struct{}, size)}
}

// acquire hands out an instance, waiting for one until the deadline.
func (p *pool) acquire(ctx context.Context, want *image, deadline time.Time) (*instance, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		if err := p.wait(ctx, deadline); err != nil {
			return nil, err
		}
	}
	if in := p.pick(want); in != nil {
		return in, nil
	}
	in, err := p.create()
	if err != nil {
		<-p.slots
		return nil, err
	}
	p.mu.Lock()
	p.live++
	p.mu.Unlock()
	return in, nil
}

func (p *pool) wait(ctx context.Context, deadline time.Time) error {
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return tool.AsError(ctx.Err())
	case <-timer.C:
		return &tool.Error{
			Code:    tool.Unavailable,
			Message: "no sandbox instance came free within the call's timeout",
			Hint:    "call again later, or let the engine keep more instances",
		}
	}
}

// pick takes an idle instance, if possible one that holds the wanted image.
func (p *pool) pick(want *image) *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return nil
	}
	at := last
	for i := last; i >= 0 && i > last-lookBack; i-- {
		if p.idle[i].image == want {
			at = i
			break
		}
	}
	in := p.idle[at]
	p.idle = append(p.idle[:at], p.idle[at+1:]...)
	return in
}

// release takes a restored instance back.
func (p *pool) release(in *instance) {
	p.mu.Lock()
	p.idle = append(p.idle, in)
	p.mu.Unlock()
	<-p.slots
}

// discard closes an instance that is not to be used again.
func (p *pool) discard(in *instance) {
	in.close()
	p.mu.Lock()
	p.live--
	p.mu.Unlock()
	<-p.slots
}

// counts returns how many instances are alive and how many of them are idle.
func (p *pool) counts() (live, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live, len(p.idle)
}

// close closes the idle instances. No other may be out.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, in := range p.idle {
		in.close()
	}
	p.idle, p.live = nil, 0
}
