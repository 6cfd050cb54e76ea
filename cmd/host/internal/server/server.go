package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
)

// Options are what a Server is made of.
type Options struct {
	Host   *toolsmith.Host // outlives the server
	Events *Events         // that the host was opened with

	// Authenticate returns who a key stands for; what is no key that works is Denied. nil: there are no keys, everybody is Local,
	// and only the loopback address is served.
	Authenticate func(ctx context.Context, key string) (tool.Principal, error)
	// Keyed reports whether there are keys by now: as long as there are none, everybody is Local. What it has said once, it says
	// without the store. nil: there are.
	Keyed func(ctx context.Context) (bool, error)
	Local tool.Actor // without its session

	Hosts      []string // what else a Host header may name, besides loopback and the address that is served
	InputBytes int      // of a call, at most; 0 is the default limit
	Version    string   // of the program

	// MCP makes the handler of /mcp of what says who is behind a request. nil: there is none.
	MCP     func(principal func(*http.Request) (tool.Principal, bool)) http.Handler
	Metrics http.Handler // serves /metrics; where there are keys, to those of administrators. nil: there are none
	// EndStreams ends the streams that MCP holds open, once the calls in flight have ended. nil: it has none.
	EndStreams func()
	// Middleware stands before everything. nil: nothing does.
	Middleware func(http.Handler) http.Handler

	Logger *slog.Logger     // nil: nothing is logged
	Now    func() time.Time // nil: time.Now
}

func (o Options) withDefaults() Options {
	if o.InputBytes <= 0 {
		o.InputBytes = tool.DefaultLimits.InputBytes
	}
	if o.Middleware == nil {
		o.Middleware = func(next http.Handler) http.Handler { return next }
	}
	if o.EndStreams == nil {
		o.EndStreams = func() {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Server serves a host over HTTP. It is safe for concurrent use.
type Server struct {
	opt      Options
	hosts    hostNames
	handler  http.Handler
	document []byte // OpenAPI
	work     workshop
	flight   flight
	streams  flight    // those that last, which are not waited for when the server ends
	places   shares    // of tenants among the requests that are answered
	seats    shares    // of tenants among the streams
	bodies   shares    // of tenants whose requests are not there to their end yet
	writes   keyedLock // of tools, for writes with If-Match
	unready  notice    // what /readyz has told of
}

// New makes a server.
func New(opt Options) (*Server, error) {
	s := &Server{opt: opt.withDefaults(), hosts: newHostNames(opt.Hosts)}
	s.bound(connections())
	mux := http.NewServeMux()
	if err := s.register(mux); err != nil {
		return nil, err
	}
	if s.opt.MCP != nil {
		mux.Handle("/mcp", s.known(s.lasting(s.opt.MCP(principalOf))))
	}
	if s.opt.Metrics != nil {
		mux.HandleFunc("GET /metrics", s.metrics)
	}
	s.registerDocs(mux)
	s.handler = s.opt.Middleware(s.guard(mux))
	return s, nil
}

// bound shares out so many connections: neither requests nor streams take all, and no tenant takes all of either.
func (s *Server) bound(connections int) {
	s.flight.most, s.streams.most = connections/2, connections*3/8
	s.places.most, s.seats.most, s.bodies.most = s.flight.most/2, s.streams.most/2, s.flight.most/4
}

// Handler serves without a listener of its own.
func (s *Server) Handler() http.Handler { return s.handler }

// Document is the OpenAPI document, in JSON.
func (s *Server) Document() []byte { return s.document }

// known lets those through whose key works, and whose tenant has room. Of them, principalOf says who they are.
func (s *Server) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.authenticate(r)
		leave := func() {}
		if err == nil {
			leave, err = s.enter(r, v)
		}
		if err != nil {
			s.writeProblem(w, s.problem(err))
			return
		}
		defer leave()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
	})
}

// principalOf is who is behind a request; false is nobody.
func principalOf(r *http.Request) (tool.Principal, bool) {
	v := visiting(r.Context())
	if v == nil {
		return tool.Principal{}, false
	}
	return v.principal, true
}

// Time that clients have.
const (
	headerTime = 5 * time.Second
	idleTime   = 2 * time.Minute
	endTime    = 5 * time.Second // for the last bytes of answers, when the server ends
	// DrainTime is how long calls in flight are waited for: more than a call may take.
	DrainTime   = 75 * time.Second
	headerBytes = 32 << 10
	headerSlack = 4 << 10 // that net/http grants on top
)

// Serve serves what a listener accepts until ctx ends, and then ends in order: it takes no more requests, waits for those in
// flight, ends the streams, and closes. It closes the listener. Serve is called once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.hosts.add(l.Addr())
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes - headerSlack,
		ConnContext: withConnection,
		ErrorLog:    slog.NewLogLogger(s.opt.Logger.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() { failed <- server.Serve(l) })
	defer running.Wait()
	select {
	case err := <-failed:
		return unusable(l.Addr().String(), err)
	case <-ctx.Done():
	}
	s.opt.Logger.Info("the server ends: no more requests are taken")
	s.drain()
	err := s.shut(context.WithoutCancel(ctx), server)
	s.opt.Logger.Info("the server has ended")
	return err
}

// drain refuses what is new and waits for what is in flight.
func (s *Server) drain() {
	timer := time.NewTimer(DrainTime)
	defer timer.Stop()
	select {
	case <-s.flight.end():
	case <-timer.C:
		s.opt.Logger.Warn("requests in flight are cut off", "after", DrainTime.String())
	}
	s.opt.EndStreams()
	s.opt.Events.Close()
}

// shut closes the connections.
func (s *Server) shut(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	if err := server.Shutdown(ctx); err == nil {
		return nil
	}
	if err := server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return tool.Errorf(tool.Unavailable, "closing the server: %w", err)
	}
	return nil
}

// at is the desk of a caller, who has a key unless there are none.
func (s *Server) at(p tool.Principal, session string, keyed bool) *desk.Local {
	if !keyed {
		by := s.opt.Local
		by.Session = session
		return desk.NewLocal(s.opt.Host, by)
	}
	return desk.NewKeyed(s.opt.Host, p, session)
}
