package mcp

import (
	"context"
	"time"
)

// use is what goes on in a session of the protocol over HTTP. It is idle without a request: a stream that is open is one, too.
type use struct {
	requests int
	idle     *time.Timer     // ends the session; nil while there are requests
	life     context.Context //nolint:containedctx // ends what runs in the session
	end      context.CancelFunc
}

// using takes note of a request in a session, until the function that it returns is called. A session that was idle for long ends.
func (s *seat) using(name string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[name]
	switch {
	case u == nil:
		u = &use{}
		u.life, u.end = context.WithCancel(s.life)
		s.uses[name] = u
	case u.idle != nil && !u.idle.Stop(): // it was about to end, and goes on
		u = &use{life: u.life, end: u.end}
		s.uses[name] = u
	}
	u.requests++
	u.idle = nil
	return func() { s.leaves(name, u) }
}

// leaves takes note that a request has ended.
func (s *seat) leaves(name string, u *use) {
	there := s.named(name) != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	switch u.requests--; {
	case u.requests > 0:
	case there:
		u.idle = time.AfterFunc(s.face.opt.Idle, func() { s.expire(name, u) })
	default:
		delete(s.uses, name)
		u.end()
	}
}

// lifeOf ends what runs by a method in a session of the protocol; "" is none.
func (s *seat) lifeOf(method, name string) context.Context {
	if method == listen {
		return s.hears
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.uses[name]; u != nil {
		return u.life
	}
	return s.life
}

// quit ends what runs in a session, which is about to end: the protocol library would wait for it.
func (s *seat) quit(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.uses[name]; u != nil {
		u.end()
	}
}

// expire ends a session, unless a request has come.
func (s *seat) expire(name string, u *use) {
	s.mu.Lock()
	idle := s.uses[name] == u
	if idle {
		delete(s.uses, name)
		u.end()
	}
	s.mu.Unlock()
	if session := s.named(name); idle && session != nil {
		_ = session.Close() // a client that is gone has nobody to tell
	}
}
