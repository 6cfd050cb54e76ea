package mcp

import "time"

// use is what goes on in a session of the protocol over HTTP. It is idle without a request: a stream that is open is one, too.
type use struct {
	requests int
	idle     *time.Timer // ends the session; nil while there are requests
}

// using takes note of a request in a session, until the function that it returns is called. A session that was idle for long ends.
func (s *seat) using(name string) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uses[name]
	if u == nil || u.idle != nil && !u.idle.Stop() { // it was about to end, and goes on
		u = &use{}
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
	}
}

// expire ends a session, unless a request has come.
func (s *seat) expire(name string, u *use) {
	s.mu.Lock()
	idle := s.uses[name] == u
	if idle {
		delete(s.uses, name)
	}
	s.mu.Unlock()
	if session := s.named(name); idle && session != nil {
		_ = session.Close() // a client that is gone has nobody to tell
	}
}
