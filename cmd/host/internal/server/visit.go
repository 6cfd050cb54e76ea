package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// SessionHeader names the session of the key's persona that a request belongs to.
const SessionHeader = "Toolsmith-Session"

// defaultSession is that of requests that name none.
const defaultSession = "http"

// visit is one request: who asks, where it is served, and what came with it.
type visit struct {
	principal tool.Principal // without a name where there are no keys
	desk      *desk.Local
	caller    tool.Caller
	body      []byte
	keyed     bool // whether it took a key
}

type visitKey struct{}

// visiting is the visit within whose context something happens.
func visiting(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// authenticate finds out who asks, by the key alone.
func (s *Server) authenticate(r *http.Request) (*visit, error) {
	session := r.Header.Get(SessionHeader)
	if session == "" {
		session = defaultSession
	}
	p := tool.Principal{Tenant: s.opt.Local.Tenant, Persona: s.opt.Local.Persona, Scopes: tool.AllScopes()}
	keyed, err := s.keyed(r.Context())
	if err != nil {
		return nil, err
	}
	if keyed {
		key := bearer(r)
		if key == "" || len(key) > maxKeyBytes {
			return nil, unauthorized()
		}
		if p, err = s.opt.Authenticate(r.Context(), key); err != nil {
			return nil, notAuthenticated(err)
		}
	}
	v := &visit{principal: p, desk: s.at(p, session, keyed), caller: tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: session}, keyed: keyed}
	if e := tool.AsError(v.caller.Validate()); e != nil { // of which the request says the session alone
		return nil, mistakenIn([]Mistake{{"header." + SessionHeader, e.Message + ": " + e.Hint}})
	}
	return v, nil
}

const maxKeyBytes = 512

// bearer is the key of a request; "" is none.
func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(key, " ")
}

// keyed reports whether requests need keys.
func (s *Server) keyed(ctx context.Context) (bool, error) {
	if s.opt.Authenticate == nil || s.opt.Keyed == nil {
		return s.opt.Authenticate != nil, nil
	}
	return s.opt.Keyed(ctx)
}

// notAuthenticated makes one answer of every key that does not work, whatever is wrong with it. Of what cannot be a key it says so, and
// of one whose tenant is suspended why.
func notAuthenticated(err error) error {
	switch e := tool.AsError(err); {
	case e.Code == tool.Unavailable, e.Code == tool.Internal, e.Code == tool.Canceled, e.Code == tool.Timeout:
		return err
	case e.Code == tool.Suspended:
		return refuse(http.StatusForbidden, e.Code, e.Hint, "%s", e.Message)
	case errors.Is(err, tiers.ErrNoKey):
		p := unauthorized()
		p.Detail, p.Hint = e.Message, e.Hint
		return p
	}
	return unauthorized()
}

func unauthorized() *Problem {
	p := refuse(http.StatusUnauthorized, tool.Denied, "send a key of a tenant as Authorization: Bearer KEY", "there is no key with the request, or it does not work")
	p.headers.Set("WWW-Authenticate", `Bearer realm="toolsmith"`)
	return p
}

// visit is the middleware of operations for callers: it authenticates, and then reads what came with the request.
func (s *Server) visit(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	v, leave, err := s.admit(r, ctx.Operation())
	defer leave()
	if err == nil {
		v.body, err = readBody(w, r, ctx.Operation())
	}
	if err == nil && ctx.Operation().Method == http.MethodPost { // a session that is in use does not end; whoever looks or deletes uses none
		err = s.touch(r.Context(), v)
	}
	if err != nil {
		s.writeProblem(w, s.problem(err))
		return
	}
	next(huma.WithValue(ctx, visitKey{}, v))
}

// admit finds out who asks, and whether they may, from the head of a request alone. Whoever asked leaves, also with an error.
func (s *Server) admit(r *http.Request, op *huma.Operation) (v *visit, leave func(), err error) {
	v, err = s.authenticate(r)
	if scopes := scopesOf(op); err == nil && len(scopes) > 0 {
		err = v.principal.Scopes.Require(scopes...)
	}
	if err != nil {
		return nil, func() {}, err
	}
	leave, err = s.enter(r, v)
	return v, leave, err
}

// touch notes that the session is in use.
func (s *Server) touch(ctx context.Context, v *visit) error {
	shelf, err := s.opt.Host.Shelf(ctx)
	if err != nil {
		return err
	}
	return shelf.Touch(ctx, v.caller)
}

// readBody reads what an operation takes, within its time and size.
func readBody(w http.ResponseWriter, r *http.Request, op *huma.Operation) ([]byte, error) {
	most := op.MaxBodyBytes
	if r.ContentLength == 0 || most <= 0 {
		most = 0
	} else if !takes(op, r.Header.Get("Content-Type")) {
		types := strings.Join(bodyTypes(op), " or ")
		return nil, refuse(http.StatusUnsupportedMediaType, tool.InvalidRequest, "send it as Content-Type: "+types+", in UTF-8", "the body is not of a type that this takes: %s", types)
	}
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(timeFor(r, most))) // a recorder in a test has none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err == nil {
		return body, nil
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, tooLarge(most)
	}
	return nil, unread(err)
}

func tooLarge(most int64) error {
	if most == 0 {
		return refuse(http.StatusRequestEntityTooLarge, tool.InvalidRequest, "send it without a body", "this takes no body")
	}
	return refuse(http.StatusRequestEntityTooLarge, tool.InvalidRequest, "send less at once", "the body has more than %d bytes", most)
}
