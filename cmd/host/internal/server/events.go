package server

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Events passes on what a host tells of to those who listen. Its methods Audit, Forge and Observe are for the options that the host
// is opened with. The zero value is ready; it is safe for concurrent use.
type Events struct {
	mu        sync.Mutex
	listeners map[*listener]bool
	closed    bool
	heard     atomic.Bool // whether anybody listens
	calls     atomic.Uint64
}

// listener is somebody who listens. Audit entries are read from the log, where none is missed; it is only woken for them.
type listener struct {
	tenant, persona string // "" is every persona
	key             string // its id; "" where there are none
	wake            chan struct{}
	forged          chan forgeEvent
	called          chan callEvent
	missed          int           // calls that it was not told of
	over            chan struct{} // closed when it is cut, or the server ends
	slow            bool
}

// Bounds of listening.
const (
	maxListeners = 64 // of a tenant
	maxOfKey     = maxListeners / 2
	maxWaiting   = 256 // events of a listener that it has not taken
	lookEvery    = 2 * time.Second
)

// Audit tells of an audit entry. It returns at once.
func (e *Events) Audit(entry tool.AuditEvent) {
	e.tell(entry.Tenant, entry.PersonaID, func(l *listener) bool {
		select {
		case l.wake <- struct{}{}:
		default: // it is awake
		}
		return true
	})
}

// Forge tells of what becomes of a request. It returns at once.
func (e *Events) Forge(of forge.Event) { e.tellForge(of.By.Caller, forgeEventOf(of)) }

func (e *Events) tellForge(by tool.Caller, of forgeEvent) {
	e.tell(by.Tenant, by.Persona, func(l *listener) bool {
		select {
		case l.forged <- of:
			return true
		default:
			return false
		}
	})
}

// tell tells those whom something concerns; who does not keep up is cut.
func (e *Events) tell(tenant, persona string, one func(*listener) bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := range e.listeners {
		if l.tenant == tenant && (l.persona == "" || l.persona == persona) && !one(l) {
			l.slow = true
			e.cut(l)
		}
	}
}

func (e *Events) cut(l *listener) {
	delete(e.listeners, l)
	e.heard.Store(len(e.listeners) > 0)
	close(l.over)
}

// Close ends all streams.
func (e *Events) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for l := range e.listeners {
		e.cut(l)
	}
}

// listen begins to listen; leave ends it.
func (e *Events) listen(tenant, persona, key string) (*listener, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the server ends"}
	}
	ofTenant, ofKey := 0, 0
	for l := range e.listeners {
		if l.tenant == tenant {
			ofTenant++
			if key != "" && l.key == key {
				ofKey++
			}
		}
	}
	if ofTenant >= maxListeners {
		return nil, &tool.Error{Code: tool.Limit, Message: "the tenant listens to as many event streams as it may", Hint: "close one"}
	}
	if ofKey >= maxOfKey {
		return nil, &tool.Error{Code: tool.Limit, Message: "the key listens to as many event streams as it may", Hint: "close one"}
	}
	l := &listener{
		tenant: tenant, persona: persona, key: key,
		wake: make(chan struct{}, 1), forged: make(chan forgeEvent, maxWaiting), called: make(chan callEvent, maxWaiting), over: make(chan struct{}),
	}
	if e.listeners == nil {
		e.listeners = map[*listener]bool{}
	}
	e.listeners[l] = true
	e.heard.Store(true)
	return l, nil
}

func (e *Events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listeners[l] {
		e.cut(l)
	}
}

// eventsInput is what /v1/events takes.
type eventsInput struct {
	LastEventID sequence `header:"Last-Event-ID" doc:"The id of the last event that was seen: the stream goes on behind it. 0 is from the beginning, absent from now on."`
	After       sequence `query:"after" doc:"The same, for a client that cannot set the header."`
}

// sequence is the number of an entry of the log, if one is given.
type sequence struct {
	Number uint64
	given  bool
}

// Schema is that of the number.
func (sequence) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[uint64]())
}

// Receiver is where huma puts the number.
func (n *sequence) Receiver() reflect.Value { return reflect.ValueOf(n).Elem().Field(0) }

// OnParamSet notes whether there is one.
func (n *sequence) OnParamSet(given bool, _ any) { n.given = given }

// events answers with the stream of what happens in the tenant.
func (s *Server) events(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	v := visiting(ctx)
	persona := v.caller.Persona
	if v.principal.Scopes.Has(tool.ScopeAdmin) {
		persona = ""
	}
	l, err := s.opt.Events.listen(v.caller.Tenant, persona, v.principal.KeyID) // before the log is looked at, so that nothing comes between
	if err != nil {
		return nil, err
	}
	_, last, err := v.desk.Audit(ctx, tiers.AuditQuery{Newest: true, Limit: 1})
	if err != nil {
		s.opt.Events.leave(l)
		return nil, err
	}
	if in.LastEventID.given || in.After.given {
		last = min(last, max(in.LastEventID.Number, in.After.Number))
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) { //nolint:contextcheck,nolintlint // it has the one of the request
		defer s.opt.Events.leave(l)
		r, w := humago.Unwrap(hc)
		if r.Method == http.MethodHead { // which mux takes for GET
			newStream(w)
			return
		}
		ctx, stop := s.whileKnown(r, v)
		defer stop()
		s.follow(ctx, newStream(w), v, l, last)
	}}, nil
}

// follow writes events until the client is gone, does not keep up, has no key that works any more, or the server ends.
func (s *Server) follow(ctx context.Context, out *stream, v *visit, l *listener, last uint64) {
	beat, look := time.NewTicker(heartbeat), time.NewTicker(lookEvery)
	defer beat.Stop()
	defer look.Stop()
	err := out.beat() // so that the client knows that it is heard
	for err == nil {
		if last, err = tellAfter(ctx, out, v, last); err != nil {
			break
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-l.over:
			_ = out.send(event{name: "end", data: endEvent{s.opt.Events.why(l)}})
			return
		case of := <-l.forged:
			err = out.send(event{name: "forge", data: of})
		case of := <-l.called:
			err = out.send(event{name: "call", data: of})
		case <-beat.C:
			err = out.beat()
		case <-l.wake:
		case <-look.C: // another process may have written
		}
	}
	if e, ok := errors.AsType[*tool.Error](context.Cause(ctx)); ok {
		_ = out.send(event{name: "end", data: endEvent{e.Message}})
	}
}

// tellAfter writes the entries of the log behind one, and returns the number of the last.
func tellAfter(ctx context.Context, out *stream, v *visit, last uint64) (uint64, error) {
	for {
		entries, end, err := v.desk.Audit(ctx, tiers.AuditQuery{After: last})
		if err != nil || end == 0 {
			return last, err
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil { // a client may take long over a part of the log
				return last, err
			}
			if err := out.send(event{id: e.Sequence, name: "audit", data: e}); err != nil {
				return last, err
			}
		}
		last = end
	}
}

// why says why somebody listens no more.
func (e *Events) why(l *listener) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.slow {
		return "the client did not keep up: connect again with Last-Event-ID"
	}
	return "the server ends"
}

type endEvent struct {
	Reason string `json:"reason"`
}

// forgeEvent is the JSON form of a forge.Event.
type forgeEvent struct {
	Kind       forge.EventKind `json:"kind"`
	Persona    string          `json:"persona"`
	Session    string          `json:"session"`
	Name       string          `json:"name"`
	Mode       tool.Mode       `json:"mode,omitempty"`
	Stage      forge.Stage     `json:"stage,omitempty"`
	Category   forge.Category  `json:"category,omitempty"`
	Confidence float64         `json:"confidence,omitempty"`
	Reason     string          `json:"reason,omitempty"`
}

func forgeEventOf(e forge.Event) forgeEvent {
	return forgeEvent{e.Kind, e.By.Persona, e.By.Session, e.Name, e.Mode, e.Stage, e.Category, e.Confidence, e.Reason}
}
