package server

import (
	"net/http"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// shares counts what tenants hold of something, each at most so much, so that some is left for the others.
type shares struct {
	most int // of a tenant
	mu   sync.Mutex
	held map[string]int // by tenant
}

// take reports whether a tenant may have one more, which it gives back.
func (s *shares) take(tenant string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[tenant] >= s.most {
		return false
	}
	if s.held == nil {
		s.held = map[string]int{}
	}
	s.held[tenant]++
	return true
}

func (s *shares) give(tenant string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[tenant]--; s.held[tenant] == 0 {
		delete(s.held, tenant)
	}
}

// enter takes what a request has of its tenant's share, until the function that it returns is called: a place among the requests, or
// the streams, and among the bodies that are on their way as long as its own is. Where there are no keys, there is nobody to share with. With an error leave does nothing.
func (s *Server) enter(r *http.Request, v *visit) (leave func(), err error) {
	leave = func() {}
	if !v.keyed {
		return leave, nil
	}
	tenant, places := v.principal.Tenant, &s.places
	if streams(r) {
		places = &s.seats
	}
	if !places.take(tenant) {
		return leave, crowded("too many requests of the tenant are being answered")
	}
	body, ok := r.Body.(*arriving)
	if !ok {
		return func() { places.give(tenant) }, nil
	}
	if !s.bodies.take(tenant) {
		places.give(tenant)
		return leave, crowded("too many bodies of the tenant are on their way")
	}
	body.arrived = sync.OnceFunc(func() { s.bodies.give(tenant) })
	return func() { body.arrived(); places.give(tenant) }, nil
}

func crowded(message string) *tool.Error {
	return &tool.Error{Code: tool.Unavailable, Message: message, Hint: "try again later"}
}
