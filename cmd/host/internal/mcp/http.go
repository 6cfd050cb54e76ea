package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of the protocol over HTTP.
const (
	maxBody     = 1 << 20          // bytes of a message
	maxSessions = 32               // of a credential
	idleSession = 10 * time.Minute // after which a session ends
	maxVersion  = 32               // bytes of the version of the protocol in a header
)

// Handler serves the protocol over HTTP, all versions of it at one address. principal says who is behind a request, which was
// checked before; false is nobody. The server around it checks hosts, and bounds headers.
func (f *Face) Handler(principal func(*http.Request) (tool.Principal, bool)) http.Handler {
	old := sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody, SessionTimeout: idleSession} // its log is the clients' to fill
	now := old
	now.Stateless, now.PropagateRequestCancellation = true, true
	h := &handler{
		face: f, principal: principal,
		legacy: sdk.NewStreamableHTTPHandler(serverOf, &old), modern: sdk.NewStreamableHTTPHandler(serverOf, &now),
	}
	known := auth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: credential(seatOf(r).who)}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	h.route = known(http.HandlerFunc(h.choose))
	return h
}

// handler is the way of a request over HTTP: who, what, then the protocol library.
type handler struct {
	face           *Face
	principal      func(*http.Request) (tool.Principal, bool)
	legacy, modern http.Handler
	route          http.Handler
}

// seatKey is the key under which the context of a request holds its seat.
type seatKey struct{}

func seatOf(r *http.Request) *seat {
	s, _ := r.Context().Value(seatKey{}).(*seat)
	return s
}

func serverOf(r *http.Request) *sdk.Server {
	if s := seatOf(r); s != nil {
		return s.server
	}
	return nil
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Accel-Buffering", "no")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !sameOrigin(r) {
		http.Error(w, "requests of other origins are not taken", http.StatusForbidden)
		return
	}
	p, ok := h.principal(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a key is needed: Authorization: Bearer …", http.StatusUnauthorized)
		return
	}
	s := h.face.seat(p)
	if s == nil {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many credentials are served at once", http.StatusServiceUnavailable)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), seatKey{}, s))
	r.Header.Set("Authorization", "Bearer seat") // the key itself goes no further
	if r.Method == http.MethodPost && !h.admit(w, r, s) {
		return
	}
	h.route.ServeHTTP(w, r)
}

// sameOrigin reports whether a request comes from no page of a browser, or from one of this very address.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host
}

// choose is the router: clients of the current version have no sessions, older ones do.
func (h *handler) choose(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Mcp-Protocol-Version") >= current {
		h.modern.ServeHTTP(w, r)
		return
	}
	h.legacy.ServeHTTP(w, r)
}

// admit reads the message of a request within bounds, and puts it back. Without it the request is answered.
func (h *handler) admit(w http.ResponseWriter, r *http.Request, s *seat) bool {
	if len(r.Header.Get("Mcp-Protocol-Version")) > maxVersion {
		http.Error(w, "there is no such version of the protocol", http.StatusBadRequest)
		return false
	}
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(h.face.opt.BodyTime)) // a connection that knows none is bounded by its server
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		w.Header().Set("Connection", "close") // what is left of the message is not waited for
		status := http.StatusRequestTimeout
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, http.StatusText(status), status)
		return false
	}
	_ = deadline.SetReadDeadline(time.Time{})
	f, wrong := readFrame(body)
	if wrong != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(wrong.answer(f.id)) // a client that is gone
		return false
	}
	if reason := s.full(f, r); reason != "" {
		w.Header().Set("Retry-After", "10")
		http.Error(w, reason, http.StatusTooManyRequests)
		return false
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return true
}

// full says why a message finds no room; "" when it does.
func (s *seat) full(f frame, r *http.Request) string {
	if f.isNotification() && !s.flood.take() {
		return "too many notifications"
	}
	now := r.Header.Get("Mcp-Protocol-Version") >= current
	switch {
	case now && f.method != "subscriptions/listen", r.Header.Get("Mcp-Session-Id") != "":
		return ""
	case s.sessions(now) >= maxSessions:
		return "too many sessions or subscriptions of this key; end one, or wait until one has been idle"
	}
	return ""
}

// sessions counts those that have a name, or the requests that run without one.
func (s *seat) sessions(unnamed bool) (n int) {
	for session := range s.server.Sessions() {
		if (session.ID() == "") == unnamed {
			n++
		}
	}
	return n
}
