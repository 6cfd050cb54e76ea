package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// box is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var box = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

func open(t *testing.T) *toolsmith.Host {
	t.Helper()
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools = true, true
	reviewer, err := judge.New(judge.Options{Creation: judgetest.ApproveAll(), Safety: judgetest.ApproveAll(), Correctness: judgetest.ApproveAll()})
	if err != nil {
		t.Fatal(err)
	}
	sandbox, err := box()
	if err != nil {
		t.Fatal(err)
	}
	host, err := toolsmith.Open(t.Context(), "", toolsmith.Options{Config: &c, Getenv: func(string) string { return "" }, Judge: reviewer, Sandbox: sandbox})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}

func at(host *toolsmith.Host, persona string, scopes ...tool.Scope) *desk.Local {
	return desk.NewKeyed(host, tool.Principal{Tenant: "acme", Persona: persona, KeyName: "grace", Scopes: scopes}, "s")
}

// forged forges greet as ann, and returns its id.
func forged(t *testing.T, host *toolsmith.Host) string {
	t.Helper()
	result, err := at(host, "ann", tool.ScopeForge).Forge(t.Context(), []byte(`{
		"name": "greet", "description": "Greets.", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"},
		"implementation": {"mode": "sandbox", "code": "function execute() { console.log('said'); return 'hi'; }", "allowlist": []},
		"testCases": [{"input": {"a": 2}, "expectedOutput": "hi"}, {"input": {"a": 1}, "expectedOutput": "hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if result.Tool.Implementation.Code != "" {
		t.Error("what was forged comes with its code")
	}
	return result.ToolID
}

// Each thing that is done at a desk takes a scope; which ones is said here.
func TestScopes(t *testing.T) {
	t.Parallel()
	host := open(t)
	id := forged(t, host)
	ctx := t.Context()
	const call, make, approve, admin = tool.ScopeCall, tool.ScopeForge, tool.ScopeApprove, tool.ScopeAdmin
	for what, c := range map[string]struct {
		take []tool.Scope
		do   func(desk.Desk) error
	}{
		"Forge":        {[]tool.Scope{make}, func(d desk.Desk) error { _, err := d.Forge(ctx, nil); return err }},
		"Import":       {[]tool.Scope{make}, func(d desk.Desk) error { _, err := d.Import(ctx, nil, forge.Trust{}); return err }},
		"Call":         {[]tool.Scope{call}, func(d desk.Desk) error { _, err := d.Call(ctx, "greet", json.RawMessage("{}")); return err }},
		"Tools":        {[]tool.Scope{call}, func(d desk.Desk) error { _, err := d.Tools(ctx); return err }},
		"Search":       {[]tool.Scope{call}, func(d desk.Desk) error { _, err := d.Search(ctx, "greet", 1); return err }},
		"List":         {tool.AllScopes(), func(d desk.Desk) error { _, err := d.List(ctx, desk.ListQuery{}); return err }},
		"List all":     {[]tool.Scope{approve, admin}, func(d desk.Desk) error { _, err := d.List(ctx, desk.ListQuery{All: true}); return err }},
		"Show":         {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Show(ctx, id); return err }},
		"Versions":     {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Versions(ctx, id); return err }},
		"Diff":         {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Diff(ctx, id, "", ""); return err }},
		"Export":       {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Export(ctx, id, toolsmith.ExportOptions{}); return err }},
		"Promote":      {[]tool.Scope{approve}, func(d desk.Desk) error { _, _, err := d.Promote(ctx, "nothing", tool.AgentTier, ""); return err }},
		"Demote":       {[]tool.Scope{make, approve}, func(d desk.Desk) error { _, err := d.Demote(ctx, "nothing", "x"); return err }},
		"Suspend":      {[]tool.Scope{make, approve}, func(d desk.Desk) error { _, err := d.Suspend(ctx, "nothing", ""); return err }},
		"Resume":       {[]tool.Scope{approve}, func(d desk.Desk) error { _, err := d.Resume(ctx, "nothing", tiers.Resumption{}); return err }},
		"Revert":       {[]tool.Scope{make, approve}, func(d desk.Desk) error { _, err := d.Revert(ctx, "nothing", "1"); return err }},
		"Remove":       {[]tool.Scope{make, approve}, func(d desk.Desk) error { _, err := d.Remove(ctx, "nothing"); return err }},
		"Audit":        {tool.AllScopes(), func(d desk.Desk) error { _, _, err := d.Audit(ctx, tiers.AuditQuery{}); return err }},
		"VerifyAudit":  {[]tool.Scope{admin}, func(d desk.Desk) error { _, err := d.VerifyAudit(ctx); return err }},
		"Sessions":     {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Sessions(ctx); return err }},
		"Usage":        {tool.AllScopes(), func(d desk.Desk) error { _, err := d.Usage(ctx); return err }},
		"EndSession":   {[]tool.Scope{make, admin}, func(d desk.Desk) error { _, err := d.EndSession(ctx, "", "nothing"); return err }},
		"End another":  {[]tool.Scope{admin}, func(d desk.Desk) error { _, err := d.EndSession(ctx, "bob", "nothing"); return err }},
		"Remove other": {[]tool.Scope{}, func(d desk.Desk) error { _, err := d.Remove(ctx, "emergent:none"); return err }},
	} {
		for _, scope := range tool.AllScopes() {
			err := c.do(at(host, "ann", scope))
			allowed := false
			for _, s := range c.take {
				allowed = allowed || s == scope
			}
			if denied := errors.Is(err, tool.Denied); denied == allowed && what != "Remove other" {
				t.Errorf("%s with %s: %v", what, scope, err)
			}
		}
		if err := c.do(at(host, "ann")); !errors.Is(err, tool.Denied) {
			t.Errorf("%s without scopes: %v", what, err)
		}
	}
}

// A maker decides on its own tools, whoever approves on all of the tenant; others do not know of them.
func TestWhoseToolsAreDecidedOn(t *testing.T) {
	t.Parallel()
	host := open(t)
	id := forged(t, host)
	ctx := t.Context()
	for _, scope := range []tool.Scope{tool.ScopeForge, tool.ScopeCall} {
		if _, err := at(host, "bob", scope).Suspend(ctx, id, ""); tool.AsError(err) == nil {
			t.Errorf("bob suspends a tool of ann with %s", scope)
		}
		if _, err := at(host, "bob", scope).Show(ctx, id); !errors.Is(err, tool.NotFound) {
			t.Errorf("bob sees a tool of ann with %s: %v", scope, err)
		}
	}
	if _, err := at(host, "ann", tool.ScopeForge).Suspend(ctx, id, "mine"); err != nil {
		t.Error(err)
	}
	decider := at(host, "desk", tool.ScopeApprove)
	if r, err := decider.Resume(ctx, id, tiers.Resumption{}); err != nil || r.Implementation.Code != "" {
		t.Errorf("%+v %v", r, err)
	}
	r, _, err := decider.Promote(ctx, id, tool.AgentTier, "Grace")
	if err != nil || r.PromotedBy != "grace" {
		t.Fatalf("%+v %v", r, err)
	}
	if _, _, err := decider.Promote(ctx, id, tool.SharedTier, "linus"); !errors.Is(err, tool.Denied) {
		t.Errorf("approved in the name of another: %v", err)
	}
	if _, _, err := decider.Promote(ctx, id, tool.SharedTier, ""); err != nil {
		t.Fatal(err)
	}
	// What is shared is called by others, who see neither its code nor what it writes.
	bob := at(host, "bob", tool.ScopeCall)
	if result, err := bob.Call(ctx, "greet", json.RawMessage(`{"a":1}`)); err != nil || len(result.Logs) != 0 {
		t.Errorf("%+v %v", result, err)
	}
	whole, err := bob.Show(ctx, "greet")
	if err != nil || whole.Record.Implementation.Code != "" || whole.Missing == nil || whole.Missing.Code != tool.Denied {
		t.Errorf("%+v %v", whole, err)
	}
	if _, err := bob.Export(ctx, "greet", toolsmith.ExportOptions{WithSource: true}); !errors.Is(err, tool.Denied) {
		t.Errorf("bob exports the source: %v", err)
	}
	if whole, err := at(host, "ann", tool.ScopeCall).Show(ctx, "greet"); err != nil || !strings.Contains(whole.Record.Implementation.Code, "hi") {
		t.Errorf("%+v %v", whole, err)
	}
}

// What is too long is refused where it stands, and with what to do.
func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	if err := desk.Reason(strings.Repeat("a", desk.MaxReason)); err != nil {
		t.Error(err)
	}
	if e := tool.AsError(desk.Reason(strings.Repeat("a", desk.MaxReason+1))); e == nil || e.Code != tool.InvalidRequest || e.Path != "/reason" || e.Hint == "" {
		t.Errorf("got %+v", e)
	}
}
