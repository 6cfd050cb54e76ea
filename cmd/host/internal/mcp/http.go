package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	maxBody     = 1 << 20 // bytes of a message
	maxSessions = 32      // of a credential, and so many subscriptions
	maxVersion  = 32      // bytes of the version of the protocol in a header
)

// Handler serves the protocol over HTTP, all versions of it at one address. principal says who is behind a request, which was
// checked before; false is nobody. The server around it checks hosts, and bounds headers.
func (f *Face) Handler(principal func(*http.Request) (tool.Principal, bool)) http.Handler {
	// Its log is the clients' to fill, and the server around it knows further hosts.
	old := sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true}
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
	s := h.seat(w, r)
	if s == nil {
		return
	}
	r = r.Clone(context.WithValue(r.Context(), seatKey{}, s)) // whoever sent it here goes on to look at the key
	r.Header.Set("Authorization", "Bearer seat")              // the key itself goes no further
	if s.fit(w, r) {
		h.answer(w, r, s)
	}
}

// seat returns that of whoever is behind a request; nil when there is none, and the request is answered.
func (h *handler) seat(w http.ResponseWriter, r *http.Request) *seat {
	if !sameOrigin(r) {
		refuse(w, http.StatusForbidden, tool.Denied, "", "requests of other origins are not taken")
		return nil
	}
	p, ok := h.principal(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, tool.Denied, "send a key of a tenant as Authorization: Bearer KEY", "there is no key with the request, or it does not work")
		return nil
	}
	s := h.face.seat(p)
	if s == nil {
		refuse(w, http.StatusServiceUnavailable, tool.Unavailable, "try again later", "the server ends, or serves too many credentials at once")
	}
	return s
}

// answer answers a request whose headers fit.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, s *seat) {
	answer, session := &reply{w: w, header: http.Header{}}, sessionOf(r)
	if r.Method == http.MethodPost {
		f, ok := h.admit(w, r, s)
		if !ok {
			return
		}
		defer s.leave(f)
		answer.to = f
	}
	if session != "" {
		s.silence(session + answer.to.cancels())
		defer s.answering(session+idKey(answer.to.id), answer)()
		defer s.using(session)()
	}
	if r.Method == http.MethodDelete {
		s.quit(session)
	}
	h.serve(answer, r)
	if begun := answer.header.Get(sessionHeader); answer.to.method == initialize && begun != "" {
		s.using(begun)() // from now on it is idle
	}
	answer.end()
}

// serve has the protocol library answer. What goes on is kept open, except where the name of a session stands in the headers.
func (h *handler) serve(answer *reply, r *http.Request) {
	if r.Method == http.MethodGet || answer.to.isCall() && answer.to.method != initialize {
		defer each(h.face.opt.Beat, answer.beat)()
	}
	h.route.ServeHTTP(answer, r)
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
	if sessionless(r) {
		h.modern.ServeHTTP(w, r)
		return
	}
	h.legacy.ServeHTTP(w, r)
}

// admit reads the message of a request within bounds, and puts it back; who is done with it leaves. Without it the request is
// answered.
func (h *handler) admit(w http.ResponseWriter, r *http.Request, s *seat) (f frame, ok bool) {
	body, ok := h.read(w, r)
	if !ok {
		return f, false
	}
	f, wrong := readFrame(body)
	if wrong == nil {
		if wrong = s.inOrder(f, r); wrong != nil && !f.isCall() {
			f.id = nil // it answers a call of ours
		}
	}
	if wrong != nil {
		h.unread(r, f)
		writeMessage(w, wrong.status(sessionOf(r) != ""), wrong.answer(f.id))
		return f, false
	}
	if reason := s.enter(f, r); reason != "" {
		refuse(w, http.StatusTooManyRequests, tool.Limit, "come again later", reason)
		return f, false
	}
	hold(r, body)
	return f, true
}

// hold puts a message into a request.
func hold(r *http.Request, message []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
}

// unread has what a message that is refused was to answer end with an error, in the session that asked.
func (h *handler) unread(r *http.Request, f frame) {
	if f.asked == nil || sessionOf(r) == "" {
		return
	}
	r = r.Clone(r.Context())
	hold(r, errUnread.answer(f.asked))
	h.route.ServeHTTP(&reply{header: http.Header{}, began: true}, r) // which says no more than that it was taken
}

// read returns the body of a request, which comes in time and is not too large.
func (h *handler) read(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	deadline := http.NewResponseController(w)
	_ = deadline.SetReadDeadline(time.Now().Add(h.face.opt.BodyTime)) // a connection that knows none is bounded by its server
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		_ = deadline.SetReadDeadline(time.Time{})
		return body, true
	}
	w.Header().Set("Connection", "close") // what is left of the message is not waited for
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		h.unread(r, glimpse(body))
		refuse(w, http.StatusRequestEntityTooLarge, tool.InvalidRequest, "send less at once", fmt.Sprintf("the message has more than %d bytes", maxBody))
	} else {
		refuse(w, http.StatusRequestTimeout, tool.InvalidRequest, "send it faster, or less", "the message did not arrive in time")
	}
	return nil, false
}

// listen is the method of subscriptions, which last.
const listen = "subscriptions/listen"

// enter says why a message finds no room; "" when it does.
func (s *seat) enter(f frame, r *http.Request) string {
	switch {
	case f.isNotification() && !s.flood.take():
		return "too many notifications"
	case f.method == initialize && s.sessions() >= maxSessions:
		return "too many sessions of this key; end one, or wait until one has been idle"
	case f.method == listen:
		select {
		case s.listens <- struct{}{}:
		default:
			return "too many subscriptions of this key; end one"
		}
	}
	return ""
}

// answering takes note of the answer to a call in a session, until the function that it returns is called.
func (s *seat) answering(key string, answer *reply) (done func()) {
	if !answer.to.isCall() {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers[key] == nil { // another with the same id is refused
		s.answers[key] = answer
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.answers[key] == answer {
			delete(s.answers, key)
		}
	}
}

// silence has a call in a session end without an answer, if it goes on.
func (s *seat) silence(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer := s.answers[key]; answer != nil {
		answer.mute.Store(true)
	}
}

// leave gives back the room that a message took.
func (s *seat) leave(f frame) {
	if f.method == listen {
		<-s.listens
	}
}

// sessions counts those that have a name.
func (s *seat) sessions() (n int) {
	for session := range s.server.Sessions() {
		if session.ID() != "" {
			n++
		}
	}
	return n
}
