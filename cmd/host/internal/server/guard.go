package server

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// guard stands before everything that is served: it recovers, refuses what does not belong here, and counts.
func (s *Server) guard(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer answering(r.Context())()
		defer s.recovered(w)
		h := w.Header()
		defer arrive(w, r)()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		if foreign(r) {
			s.writeProblem(w, refuse(http.StatusForbidden, tool.Denied, "ask from a page of the server itself, or from a program, which sends no Origin", "the request comes from a page of another site"))
			return
		}
		if r.Host == "" {
			s.writeProblem(w, refuse(http.StatusForbidden, tool.Denied, "send the host name of the server as Host, as HTTP/1.1 does", "the request has no Host header"))
			return
		}
		if !s.hosts.has(r.Host) {
			s.writeProblem(w, refuse(http.StatusForbidden, tool.Denied, "an operator can name further ones as server.hosts", "this is no host name of the server"))
			return
		}
		if p := unfit(r); p != nil {
			s.writeProblem(w, p)
			return
		}
		s.counted(mux, w, r)
	})
}

// single are headers that are given once: of two nobody knows which is meant.
var single = []string{"Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-Id", SessionHeader}

// unfit refuses headers that are given more than once, a key that says nothing, and bodies that are not sent as they are; nil fits.
func unfit(r *http.Request) *Problem {
	var wrong []Mistake
	for _, name := range single {
		if len(r.Header[name]) > 1 {
			wrong = append(wrong, Mistake{"header." + name, "given more than once"})
		}
	}
	if wrong != nil {
		return mistakenIn(wrong)
	}
	if keys := r.Header["Idempotency-Key"]; len(keys) == 1 && keys[0] == "" {
		return mistakenIn([]Mistake{{"header.Idempotency-Key", "empty: give a key, or leave the header out"}})
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		p := refuse(http.StatusUnsupportedMediaType, tool.InvalidRequest, "send it without Content-Encoding", "the body is encoded, which is not taken")
		p.headers.Set("Accept-Encoding", "identity")
		return p
	}
	return nil
}

// recovered answers for a handler that panicked.
func (s *Server) recovered(w http.ResponseWriter) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // it is that very value
		panic(p)
	}
	s.opt.Logger.Error("a handler panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	s.writeProblem(w, problemOf(public(&tool.Error{Code: tool.Internal})))
}

// counted serves a request that is waited for when the server ends, or a stream, which is not.
func (s *Server) counted(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	if probe(r) {
		s.route(mux, w, r)
		return
	}
	in := &s.flight
	if streams(r) && !s.flight.ends() {
		in = &s.streams
	}
	ok, ending := in.takeoff()
	if !ok {
		e := crowded("too many requests are being answered")
		if ending {
			w.Header().Set("Connection", "close")
			e.Message = "the server ends"
		}
		s.writeProblem(w, problemOf(e))
		return
	}
	defer in.land()
	s.route(mux, w, r)
}

// probe reports whether a request asks how the server is, which it answers to its end.
func probe(r *http.Request) bool { return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" }

// streams reports whether a request opens a stream that lasts.
func streams(r *http.Request) bool {
	if r.URL.Path == "/mcp" {
		return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
	}
	return r.URL.Path == "/v1/events"
}

// route finds the handler, and answers with a problem where there is none.
func (s *Server) route(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	if _, pattern := mux.Handler(r); pattern != "" && clean(r.URL.EscapedPath()) {
		mux.ServeHTTP(w, r)
		return
	}
	if allowed := methods(mux, r); len(allowed) > 0 && clean(r.URL.EscapedPath()) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.writeProblem(w, refuse(http.StatusMethodNotAllowed, tool.InvalidRequest, "it takes "+strings.Join(allowed, ", "), "this does not take %s", tool.Quote(r.Method)))
		return
	}
	s.writeProblem(w, problemOf(&tool.Error{Code: tool.NotFound, Message: "there is nothing at this path", Hint: "/openapi.json says what there is"}))
}

// clean reports whether a path is one that a multiplexer serves as it is; to others it answers with a page that leads on.
func clean(p string) bool {
	cleaned := path.Clean(p)
	return p == cleaned || p == cleaned+"/"
}

// methods are those that a path takes.
func methods(mux *http.ServeMux, r *http.Request) (allowed []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// hostNames are what a Host header may name.
type hostNames struct {
	mu    *sync.RWMutex
	names []string
}

func newHostNames(further []string) hostNames {
	h := hostNames{mu: &sync.RWMutex{}}
	for _, name := range further {
		h.names = append(h.names, strings.ToLower(name))
	}
	return h
}

// add admits the address that is served; that of all interfaces admits those of this machine.
func (h *hostNames) add(address net.Addr) {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !at.Addr().Unmap().IsUnspecified() {
		h.names = append(h.names, at.Addr().Unmap().String())
		return
	}
	own, _ := net.InterfaceAddrs() // where they are not known, none is admitted
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			h.names = append(h.names, prefix.Addr().Unmap().String())
		}
	}
}

// has reports whether a Host header, with or without a port, may be answered.
func (h *hostNames) has(host string) bool {
	name := strings.ToLower(strings.TrimSuffix((&url.URL{Host: host}).Hostname(), "."))
	if ip, err := netip.ParseAddr(name); err == nil && ip.Unmap().IsLoopback() || name == "localhost" {
		return true
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	return slices.Contains(h.names, name)
}

// foreign reports whether a page of another site asks: browsers say so.
func foreign(r *http.Request) bool {
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" && !followsLink(r) {
			return true
		}
	}
	return !sameOrigin(r)
}

// followsLink reports whether somebody comes by a link to what documents the API, which is open to everybody.
func followsLink(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && (r.URL.Path == "/docs" || r.URL.Path == "/openapi.json")
}

// sameOrigin reports whether the page that asks, if one does, comes from here.
func sameOrigin(r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && (u.Scheme == "http" || u.Scheme == "https") && u.Host == r.Host
}
