package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	goruntime "runtime"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	desks "example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/cmd/host/internal/telemetry"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
	"example.com/toolsmith/wasmjs"
)

// serveFlags are the flags of `host serve`.
type serveFlags struct {
	listen        string
	cert, certKey string
	judge         string
	allowSandbox  bool
	publish       publishing
}

func (f *face) serveCommand(place *dataFlags) *cobra.Command {
	flags := serveFlags{publish: "none"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API, the Model Context Protocol over HTTP, and metrics",
		Long: "Serves the HTTP API under /v1, with its OpenAPI document at /openapi.json and a page that shows it at /docs; the Model Context\n" +
			"Protocol at /mcp; and metrics, /healthz and /readyz. Where a tenant has keys, every request needs one; otherwise everybody on this\n" +
			"machine is the local tenant, and no other machine is served. The first interrupt waits for the calls in flight, the second does\n" +
			"not. Logs go to standard error.",
		Example: f.examples("host serve", "host serve --listen 127.0.0.1:8080 --allow-sandbox"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (flags.cert == "") != (flags.certKey == "") {
				return errors.New("a certificate and its key go together: give --tls-cert and --tls-key")
			}
			if flags.judge == "human" {
				return errors.New("nobody sits at a server: --judge is auto, none or script:FILE, and people approve with their keys")
			}
			return f.serve(cmd.Context(), *place, flags)
		},
	}
	set := cmd.Flags()
	set.Var((*filled)(&flags.listen), "listen", "`ADDRESS` and port to serve on (default that of the configuration, 127.0.0.1:7420)")
	set.StringVar(&flags.cert, "tls-cert", "", "`FILE` with a certificate for TLS, PEM; SIGHUP reads it anew")
	set.StringVar(&flags.certKey, "tls-key", "", "`FILE` with its key, PEM")
	set.StringVar(&flags.judge, "judge", "auto", "who reviews: auto (the model that is configured), none, or script:`FILE`")
	set.BoolVar(&flags.allowSandbox, "allow-sandbox", false, "let tools be code that runs in the sandbox, not compositions of tools alone")
	set.Var(&flags.publish, "publish", "least tier whose tools appear as tools of their own to clients of MCP: none, agent or shared")
	return cmd
}

// service is what `host serve` runs.
type service struct {
	host      *openedHost
	telemetry *telemetry.Telemetry
	events    *server.Events
	protocol  *mcp.Face
	keys      *keyWatch
	logger    *slog.Logger
	cert      *server.Certificate // nil: there is no TLS
}

// spareProcs are for requests while code in the sandbox computes on all the others, which look at the network only now and then:
// the operating system gives those that woke up a processor at once.
const spareProcs = 2

func (f *face) serve(ctx context.Context, place dataFlags, flags serveFlags) (err error) {
	defer func() { err = f.failed(asConfigured(err)) }()
	c, err := f.config(ctx, place, flag("--listen", "listen", flags.listen)...)
	if err != nil {
		return err
	}
	mayForge(&c, flags.allowSandbox)
	cert, err := certificate(flags)
	if err != nil {
		return err
	}
	s, err := f.openService(ctx, c, flags)
	if err != nil {
		return err
	}
	s.cert = cert
	defer onHangup(s.hungUp)() // until all else has ended
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(0) + spareProcs)
	return f.listenAndServe(ctx, c, s)
}

// openService opens the host, and all that is told of what it does.
func (f *face) openService(ctx context.Context, c config.Config, flags serveFlags) (s *service, err error) {
	logged := telemetry.NewLogger(c.Log, f.err)
	s = &service{events: &server.Events{}, keys: &keyWatch{}, logger: telemetry.Slog(logged)}
	if s.telemetry, err = telemetry.New(ctx, telemetry.Options{Getenv: os.Getenv, Version: readVersion().Version, Log: logged}); err != nil {
		return nil, err
	}
	if err := s.telemetry.Disk(func() (uint64, error) { return tiers.FreeBytes(c.Data) }); err != nil { // in memory there is no such folder
		return nil, tool.AsError(err)
	}
	reviewer, err := f.reviewer(ctx, judgeFlags{judge: flags.judge})
	if err != nil {
		return nil, err
	}
	box, err := f.openSandbox(ctx, wasmjs.Options{Started: s.telemetry.Started})
	if err != nil {
		return nil, err
	}
	if err := s.telemetry.Engine(box.Stats); err != nil {
		return nil, errors.Join(tool.AsError(err), box.Close()) //nolint:contextcheck,nolintlint // nothing runs in it
	}
	opt := toolsmith.Options{
		Config: &c, Judge: reviewer, Sandbox: box, SkillFolders: skillFolders(nil), Logger: s.logger, OnForge: s.events.Forge,
		OnAudit: func(e tool.AuditEvent) { s.keys.audited(e); s.events.Audit(e); follow(s.protocol, e) },
		OnLost:  func() { s.keys.lost(); s.protocol.Lost() },
	}
	s.telemetry.Observe(&opt) //nolint:contextcheck // counting is bound to no context
	s.events.Observe(&opt)
	s.protocol = mcp.New(mcp.Options{
		Desk: s.desk, Self: selfFaces(c), Publish: published(flags.publish), Person: osUser(), Version: readVersion().Version, Logger: s.logger,
	})
	h, err := toolsmith.Open(ctx, c.Data, opt)
	if err != nil {
		return nil, errors.Join(err, box.Close()) //nolint:contextcheck,nolintlint // nothing runs in it
	}
	s.host = &openedHost{h, c, reviewer, box}
	return s, nil
}

// desk serves a client of the Model Context Protocol.
func (s *service) desk(_ context.Context, p tool.Principal, session string) (desks.Desk, error) {
	if p.KeyID == "" {
		return desks.NewLocal(s.host.Host, tool.Actor{Caller: tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: session}, Name: osUser()}), nil
	}
	return desks.NewKeyed(s.host.Host, p, session), nil
}

// close ends what listens to the host, and the host.
func (s *service) close(ctx context.Context) error {
	const flush = 5 * time.Second // for what is exported
	s.protocol.Close()
	s.events.Close()
	err := s.host.Close() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context; seen only in some runs
	ctx, cancel := context.WithTimeout(ctx, flush)
	defer cancel()
	s.telemetry.Close(ctx)
	return err
}

// listenAndServe serves until ctx ends.
func (f *face) listenAndServe(ctx context.Context, c config.Config, s *service) error {
	shelf, err := s.host.Shelf(ctx)
	if err != nil {
		return err
	}
	s.keys.has = shelf.Keyed
	s.keys.lost() // what there was before is not known yet
	keyed, err := s.keys.needed(ctx)
	if err != nil {
		return err
	}
	opt := server.Options{
		Host: s.host.Host, Events: s.events, Local: tool.Actor{Caller: tool.Caller{Tenant: localTenant, Persona: localPersona}, Name: osUser()},
		Authenticate: shelf.Authenticate, Keyed: s.keys.needed, Hosts: c.Server.Hosts, InputBytes: c.CallLimits().InputBytes, Version: readVersion().Version, MCP: s.protocol.Handler,
		Metrics: s.telemetry.Handler(), EndStreams: s.protocol.Close, Middleware: s.telemetry.Middleware, Logger: s.logger,
	}
	served, err := server.New(opt)
	if err != nil {
		return err
	}
	defer (&writableWatch{log: s.logger}).start(ctx, shelf.Writable)()
	l, err := server.Listen(ctx, c.Listen, keyed, s.cert)
	if err != nil {
		return err
	}
	scheme := "http"
	if s.cert != nil {
		scheme = "https"
	}
	warnOfTheOpen(s.logger, c.Listen, scheme)
	f.sayf("serving %s://%s", scheme, reachable(l.Addr()))
	return served.Serve(ctx, l)
}
