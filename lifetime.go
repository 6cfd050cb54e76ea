package toolsmith

import (
	"context"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// lifetime lets a host end once what runs in it has ended.
type lifetime struct {
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// enter lets something begin, which calls leave when it has ended, or says that the host is closed.
func (l *lifetime) enter() (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the host is closed", Hint: "open it again"}
	}
	l.running.Add(1)
	return l.running.Done, nil
}

// end lets nothing begin any more, and waits for what runs. It reports whether this is the first time.
func (l *lifetime) end() bool {
	l.mu.Lock()
	first := !l.closed
	l.closed = true
	l.mu.Unlock()
	l.running.Wait()
	return first
}

// enter lets a use of the host begin, once what is stored was looked over.
func (h *Host) enter(ctx context.Context) (leave func(), err error) {
	if leave, err = h.life.enter(); err != nil {
		return nil, err
	}
	if err := h.load(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}
