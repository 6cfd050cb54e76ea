package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/spf13/cobra"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/cmd/host/internal/telemetry"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/wasmjs"
)

// mcpFlags are the flags of `host mcp`.
type mcpFlags struct {
	persona, session, judge string
	allowSandbox            bool
	publish                 publishing
	client                  client
}

// publishing is the value of --publish.
type publishing string

// String, Set and Type make publishing a flag.
func (p *publishing) String() string { return string(*p) }

// Set takes none, agent or shared.
func (p *publishing) Set(text string) error { return choose(p, text, "none", "agent", "shared") }

// Type is what help calls the value.
func (p *publishing) Type() string { return "TIER" }

func (f *face) mcpCommand(place *dataFlags) *cobra.Command {
	flags := mcpFlags{publish: "none"}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one client of the Model Context Protocol on standard input and output",
		Long: "Serves one client of the Model Context Protocol, all versions of it, on standard input and output: a model forges tools, finds\n" +
			"them and calls them. Clients start it by themselves; --print-config prints what to put into their configuration. The data\n" +
			"directory is opened when a tool first needs it. With --judge human the client asks its user before a tool is kept. Logs go to\n" +
			"standard error.",
		Example: f.examples("host mcp --print-config claude --allow-sandbox --judge human", "host mcp --print-config vscode --publish agent"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.client != "" {
				return f.printClient(*place, flags)
			}
			return f.serveMCP(cmd.Context(), *place, flags)
		},
	}
	set := cmd.Flags()
	set.StringVar(&flags.persona, "persona", localPersona, "`NAME` of the persona that acts")
	set.StringVar(&flags.session, "session", "", "`NAME` of the session that acts (default one of the connection's own, which ends with it)")
	set.StringVar(&flags.judge, "judge", "auto", "who reviews: auto (the model that is configured), human (the client's user), none, or script:`FILE`")
	set.BoolVar(&flags.allowSandbox, "allow-sandbox", false, "let tools be code that runs in the sandbox, not compositions of tools alone")
	set.Var(&flags.publish, "publish", "least tier whose tools appear as tools of their own: none, agent or shared")
	set.Var(&flags.client, "print-config", "print the configuration for a client: claude, cursor or vscode")
	return cmd
}

// lateHost is a host that is opened when it is first needed, and tried again after it could not be.
type lateHost struct {
	open func(ctx context.Context) (*openedHost, error)
	mu   sync.Mutex
	host *openedHost
}

func (l *lateHost) get(ctx context.Context) (*openedHost, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host != nil {
		return l.host, nil
	}
	h, err := l.open(ctx)
	if err == nil {
		l.host = h
	}
	return h, err
}

// Close closes it, if it was opened.
func (l *lateHost) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.host == nil {
		return nil
	}
	return l.host.Close()
}

func (f *face) serveMCP(ctx context.Context, place dataFlags, flags mcpFlags) (err error) {
	if place.config == stdin || flags.judge == "script:"+stdin {
		return errors.New("standard input is the client's: give files")
	}
	who := tool.Caller{Tenant: localTenant, Persona: flags.persona, Session: flags.session}
	if who.Session == "" {
		who.Session = cliSession // for the check alone
	}
	if err := who.Validate(); err != nil {
		return err
	}
	c, err := f.config(ctx, place)
	if err != nil {
		return err
	}
	mayForge(&c, flags.allowSandbox)
	reviewer, err := f.mcpReviewer(ctx, flags)
	if err != nil {
		return err
	}
	logger := telemetry.Slog(telemetry.NewLogger(c.Log, f.err))
	var served *mcp.Face
	late := &lateHost{open: func(ctx context.Context) (*openedHost, error) {
		return f.openFor(ctx, c, reviewer, logger, served)
	}}
	served = mcp.New(mcp.Options{
		Desk: func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error) {
			h, err := late.get(ctx)
			if err != nil {
				return nil, err
			}
			return desk.NewLocal(h.Host, tool.Actor{Caller: tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: session}}), nil
		},
		Self: selfFaces(c), Publish: published(flags.publish), Person: osUser(), Version: readVersion().Version, Logger: logger,
	})
	defer func() { served.Close(); err = errors.Join(err, late.Close()) }() //nolint:contextcheck,nolintlint // what was done is written, whatever becomes of the context; seen only in some runs
	principal := tool.Principal{Tenant: localTenant, Persona: flags.persona, Scopes: tool.AllScopes()}
	return f.stdio(served.ServeStdio(ctx, f.in, f.out.w, mcp.Local{Principal: principal, Session: flags.session}))
}

// stdio gives the end of a connection a code.
func (f *face) stdio(err error) error {
	if err == nil {
		return nil
	}
	return &tool.Error{Code: tool.Unavailable, Message: "the connection to the client broke: " + err.Error(), Hint: "start it again", Cause: err}
}

// mcpReviewer is the judge that the flags name; nil is the configured model.
func (f *face) mcpReviewer(ctx context.Context, flags mcpFlags) (judge.Judge, error) {
	if flags.judge == "human" {
		return judge.NewHuman(judge.HumanOptions{Ask: mcp.Ask, OSUser: osUser()})
	}
	return f.reviewer(ctx, judgeFlags{judge: flags.judge})
}

// openFor opens a host for a face, which follows it. The caller closes it.
func (f *face) openFor(ctx context.Context, c config.Config, reviewer judge.Judge, logger *slog.Logger, served *mcp.Face) (*openedHost, error) {
	box, err := f.openSandbox(ctx, wasmjs.Options{})
	if err != nil {
		return nil, err
	}
	h, err := toolsmith.Open(ctx, c.Data, toolsmith.Options{
		Config: &c, Judge: reviewer, Sandbox: box, SkillFolders: skillFolders(nil), Logger: logger,
		OnAudit: func(e tool.AuditEvent) { follow(served, e) }, OnLost: served.Lost,
	})
	if err != nil {
		return nil, errors.Join(err, box.Close()) //nolint:contextcheck,nolintlint // nothing runs in it
	}
	return &openedHost{h, c, reviewer, box}, nil
}

// moving are the audit entries after which other tools may be published.
var moving = map[tool.EventType]bool{
	tool.Promoted: true, tool.Demoted: true, tool.Removed: true, tool.SuspendedTool: true, tool.ResumedTool: true, tool.Reverted: true,
	tool.Registered: true, tool.Synced: true,
}

// follow has what is published follow what was decided.
func follow(served *mcp.Face, e tool.AuditEvent) {
	if moving[e.EventType] {
		served.Changed(e.Tenant)
	}
}

func published(p publishing) tool.Tier {
	if p == "none" {
		return ""
	}
	return tool.Tier(p)
}

// selfFaces are the tools by which agents adjust themselves, where the configuration enables them. No host is needed to know
// what they are.
func selfFaces(c config.Config) (list []runtime.Face) {
	if !c.EmergentConfig.SelfImprovement.Enabled {
		return nil
	}
	for _, t := range []selfimprove.Tool{
		selfimprove.NewPersonality(nil, selfimprove.PersonalityOptions{}).Tool(), selfimprove.NewSkills(nil, selfimprove.SkillsOptions{}).Tool(),
		selfimprove.NewWorkflows(nil, selfimprove.WorkflowOptions{}).Tool(), selfimprove.NewEvaluation(nil, selfimprove.EvaluationOptions{}).Tool(),
	} {
		list = append(list, runtime.Face{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema})
	}
	return list
}
