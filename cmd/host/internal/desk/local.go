package desk

import (
	"context"
	"encoding/json"
	"strings"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// Local is a desk at a host of this process.
type Local struct {
	host     *toolsmith.Host
	by       tool.Actor
	scopes   tool.Scopes
	approver string
}

var _ Desk = (*Local)(nil)

// NewLocal makes a desk for somebody who acts for a caller and may do all. The host must outlive it.
func NewLocal(host *toolsmith.Host, by tool.Actor) *Local {
	return &Local{host: host, by: by, scopes: tool.AllScopes()}
}

// NewKeyed makes a desk for the holder of a key, in a session of its persona. Whoever decides with a key is the person that
// the key is named after.
func NewKeyed(host *toolsmith.Host, p tool.Principal, session string) *Local {
	caller := tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: session}
	return &Local{host: host, by: tool.Actor{Caller: caller, Name: p.KeyName}, scopes: p.Scopes, approver: p.KeyName}
}

// Caller is on whose behalf the desk acts.
func (d *Local) Caller() tool.Caller { return d.by.Caller }

// Forge implements Desk.
func (d *Local) Forge(ctx context.Context, request []byte) (*forge.Result, error) {
	if err := d.scopes.Require(tool.ScopeForge); err != nil {
		return &forge.Result{}, err
	}
	result, err := d.host.Forge(ctx, d.by.Caller, request)
	return withoutSource(result), err
}

// withoutSource is a result whose record comes without code.
func withoutSource(r *forge.Result) *forge.Result {
	if r.Tool != nil {
		r.Tool = redacted(r.Tool)
	}
	return r
}

// Import implements Desk.
func (d *Local) Import(ctx context.Context, text []byte, trust forge.Trust) (*forge.Result, error) {
	if err := d.scopes.Require(tool.ScopeForge); err != nil {
		return &forge.Result{}, err
	}
	result, err := d.host.ImportTool(ctx, d.by.Caller, text, trust)
	return withoutSource(result), err
}

// Call implements Desk.
func (d *Local) Call(ctx context.Context, name string, input json.RawMessage) (*runtime.CallResult, error) {
	if err := d.scopes.Require(tool.ScopeCall); err != nil {
		return &runtime.CallResult{}, err
	}
	if strings.HasPrefix(name, idPrefix) {
		seen, err := d.nameOf(ctx, name)
		if err != nil {
			return &runtime.CallResult{}, err
		}
		name = seen
	}
	result, err := d.host.Call(ctx, d.by.Caller, name, input)
	if !result.Tool.Own() {
		result.Logs = nil
	}
	return result, err
}

// nameOf is the name under which the caller sees the tool of an id: tools are called by their names.
func (d *Local) nameOf(ctx context.Context, id string) (string, error) {
	shelf, err := d.host.Shelf(ctx)
	if err != nil {
		return "", err
	}
	r, err := shelf.Get(ctx, d.by.Tenant, id)
	if err != nil {
		return "", findable(err, id)
	}
	seen, err := shelf.Find(ctx, d.by.Caller, r.Name)
	if err == nil && seen.ID != id {
		err = &tool.Error{Code: tool.NotFound}
	}
	return r.Name, findable(err, id)
}

// Tools implements Desk.
func (d *Local) Tools(ctx context.Context) ([]runtime.Face, error) {
	if err := d.scopes.Require(tool.ScopeCall); err != nil {
		return nil, err
	}
	return d.host.Tools(ctx, d.by.Caller)
}

// Search implements Desk.
func (d *Local) Search(ctx context.Context, query string, limit int) ([]runtime.Hit, error) {
	if err := d.scopes.Require(tool.ScopeCall); err != nil {
		return nil, err
	}
	return d.host.Search(ctx, d.by.Caller, query, limit)
}
