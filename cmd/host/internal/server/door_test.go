package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// house is a world in which tenants have keys that were made for them.
type house struct {
	*world
	mu   sync.Mutex
	keys map[holder]string
}

// holder is whom a key is made for.
type holder struct{ tenant, persona, name, scopes string }

func openHouse(t testing.TB, dir string, change func(*toolsmith.Options)) *house {
	t.Helper()
	h := &house{keys: map[holder]string{}}
	face := mcp.New(mcp.Options{Desk: func(_ context.Context, p tool.Principal, session string) (desk.Desk, error) {
		return desk.NewKeyed(h.host, p, session), nil
	}})
	t.Cleanup(face.Close)
	h.world = open(t, dir, func(o *toolsmith.Options, s *server.Options) {
		o.Config.EmergentConfig.MaxForgeAttemptsPerSession = 100
		if change != nil {
			change(o)
		}
		s.MCP, s.EndStreams = face.Handler, face.Close
		s.Authenticate = func(ctx context.Context, key string) (tool.Principal, error) {
			shelf, err := h.host.Shelf(ctx)
			if err != nil {
				return tool.Principal{}, err
			}
			return shelf.Authenticate(ctx, key)
		}
	})
	return h
}

func (h *house) shelf() *tiers.Shelf {
	h.t.Helper()
	shelf, err := h.host.Shelf(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	return shelf
}

// operator makes tenants and keys.
var operator = tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "local", Session: "cli"}, Name: "root"}

// key returns a key, which is made with its tenant when it is not there yet. No tenant has a name that none can have: "" is its key.
func (h *house) key(of holder) string {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.keys[of]; ok {
		return known
	}
	_, _, err := h.shelf().CreateTenant(h.t.Context(), operator, of.tenant, nil)
	if errors.Is(err, tool.InvalidRequest) {
		return ""
	}
	if err != nil && !errors.Is(err, tool.Collision) {
		h.t.Fatal(err)
	}
	scopes, err := tool.ParseScopes(of.scopes)
	if err != nil {
		h.t.Fatal(err)
	}
	made, err := h.shelf().CreateKey(h.t.Context(), operator, of.tenant, tiers.KeyRequest{Persona: of.persona, Name: of.name, Scopes: scopes})
	if err != nil {
		h.t.Fatal(err)
	}
	h.keys[of] = made.Secret
	return made.Secret
}

// visitor is who comes with a key, for a session of its persona.
type visitor struct{ key, session string }

const (
	victim   = "tenant-a"
	attacker = "tenant-b"
)

// agent is one of a tenant: of the victim it may call and forge, of others it may do all.
func (h *house) agent(tenant, persona, session string) visitor {
	h.t.Helper()
	scopes := "call,forge,approve,admin"
	if tenant == victim {
		scopes = "call,forge"
	}
	return visitor{h.key(holder{tenant, persona, "", scopes}), session}
}

// reviewer is a person of the victim's tenant who approves.
func (h *house) reviewer() visitor {
	h.t.Helper()
	return visitor{h.key(holder{victim, "office", "reviewer", "approve"}), "desk"}
}

// administrator sees all of a tenant.
func (h *house) administrator(tenant string) visitor {
	h.t.Helper()
	return visitor{h.key(holder{tenant, "office", "", "admin"}), "desk"}
}

// claims are headers that say who somebody is, or that it may do more. None of them counts.
var claims = []string{
	"Toolsmith-Tenant", victim, "Toolsmith-Persona", "agent1", "Toolsmith-Scopes", "approve,admin", "Toolsmith-Approved-By", "reviewer", "X-Tenant-Id", victim,
	"X-Forwarded-User", "agent1", "X-Forwarded-For", "127.0.0.1", "Forwarded", "for=127.0.0.1", "X-Api-Key", "root", "Cookie", "tenant=" + victim + "; persona=agent1",
}

// outcome is what became of a request.
type outcome struct {
	code   tool.Code // "" is success
	output json.RawMessage
	text   string // all of the answer
}

// door is a way to the host for those who have keys.
type door interface {
	forge(v visitor, request string) outcome
	call(v visitor, which, input string) outcome
	// promote asks for a tool to rise, in the name of somebody; "" is nobody.
	promote(v visitor, which string, to tool.Tier, approvedBy string) outcome
	everything(v visitor) outcome // that can be read
}

// api is the HTTP API.
type api struct{ *house }

func (d api) send(v visitor, method, path, body string, headers ...string) outcome {
	d.t.Helper()
	got := d.ask(v.key, method, path, body, append(slices.Concat(claims, headers), server.SessionHeader, v.session)...)
	o, ok := readAnswer(got)
	if !ok {
		d.t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
	}
	return o
}

// readAnswer reads an answer of the API, or a problem; false when it is neither.
func readAnswer(r reply) (outcome, bool) {
	var of struct {
		Code   tool.Code
		Output json.RawMessage
	}
	err := json.Unmarshal(r.body, &of)
	return outcome{of.Code, of.Output, string(r.body)}, err == nil && (r.status == http.StatusOK) == (of.Code == "")
}

func (d api) forge(v visitor, request string) outcome { return d.send(v, "POST", "/v1/forge", request) }

func (d api) call(v visitor, which, input string) outcome {
	return d.send(v, "POST", "/v1/tools/"+url.PathEscape(which)+"/call", input)
}

func (d api) promote(v visitor, which string, to tool.Tier, approvedBy string) outcome {
	return d.send(v, "POST", "/v1/tools/"+url.PathEscape(which)+"/promote", fmt.Sprintf(`{"to":%q,"approvedBy":%q}`, to, approvedBy))
}

func (d api) everything(v visitor) (all outcome) {
	for _, path := range []string{
		"/v1/tools", "/v1/tools?all=true&history=true", "/v1/catalog", "/v1/search?q=adds%20two%20numbers", "/v1/audit", "/v1/sessions", "/v1/usage", "/v1/caller",
	} {
		o := d.send(v, "GET", path, "")
		all.code, all.text = o.code, all.text+o.text
	}
	return all
}

// protocol is the Model Context Protocol, in its version without sessions of its own.
type protocol struct{ *house }

const protocolVersion = "2026-07-28"

func (d protocol) send(v visitor, method, name string, params map[string]any) outcome {
	d.t.Helper()
	params["_meta"] = map[string]any{
		"io.modelcontextprotocol/protocolVersion": protocolVersion, "io.modelcontextprotocol/clientInfo": map[string]any{"name": "test", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": map[string]any{}, "tenant": victim, "persona": "agent1", "approvedBy": "reviewer",
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		d.t.Fatal(err)
	}
	headers := []string{
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", protocolVersion, "Mcp-Method", method, server.SessionHeader, v.session,
	}
	if name != "" {
		headers = append(headers, "Mcp-Name", name)
	}
	got := d.ask(v.key, "POST", "/mcp", string(text), slices.Concat(claims, headers)...)
	if o, ok := readAnswer(got); ok && o.code != "" { // it has not come as far as to the protocol
		return o
	}
	for line := range strings.Lines(string(got.body)) {
		if o, ok := readMessage(strings.TrimPrefix(line, "data: ")); ok {
			return o
		}
	}
	d.t.Errorf("%s: %d %s", method, got.status, got.body)
	return outcome{code: tool.Internal}
}

// readMessage reads an answer; false when a text is none.
func readMessage(text string) (o outcome, ok bool) {
	var m struct {
		Result *struct {
			IsError           bool
			StructuredContent struct{ Output json.RawMessage }
			Content           []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	if json.Unmarshal([]byte(text), &m) != nil || m.Result == nil && m.Error == nil {
		return o, false
	}
	if m.Error != nil {
		return outcome{code: tool.InvalidRequest, text: text}, true
	}
	o = outcome{output: m.Result.StructuredContent.Output, text: text}
	if m.Result.IsError {
		var told struct{ Error struct{ Code tool.Code } }
		ok := json.Unmarshal([]byte(m.Result.Content[0].Text), &told) == nil
		o.code = told.Error.Code
		return o, ok
	}
	return o, true
}

func (d protocol) use(v visitor, name string, arguments any) outcome {
	d.t.Helper()
	return d.send(v, "tools/call", name, map[string]any{"name": name, "arguments": arguments})
}

func (d protocol) read(v visitor, uri string) outcome {
	d.t.Helper()
	return d.send(v, "resources/read", uri, map[string]any{"uri": uri})
}

func (d protocol) forge(v visitor, request string) outcome {
	return d.use(v, "forge_tool", json.RawMessage(request))
}

func (d protocol) call(v visitor, which, input string) outcome {
	return d.use(v, "call_tool", map[string]any{"tool": which, "input": json.RawMessage(input)})
}

func (d protocol) promote(v visitor, which string, to tool.Tier, _ string) outcome { // send names somebody every time
	return d.use(v, "promote_tool", map[string]any{"tool": which, "to": to})
}

func (d protocol) everything(v visitor) (all outcome) {
	for _, o := range []outcome{
		d.send(v, "tools/list", "", map[string]any{}), d.send(v, "resources/list", "", map[string]any{}),
		d.read(v, "toolsmith://audit"),
		d.use(v, "list_my_tools", map[string]any{}), d.use(v, "search_tools", map[string]any{"query": "adds two numbers"}), d.use(v, "audit_log", map[string]any{}),
	} {
		all.code, all.text = o.code, all.text+o.text
	}
	return all
}

// id is that of a tool of the victim's.
func (h *house) id(name string) string {
	h.t.Helper()
	var list struct{ Items []tool.Record }
	o := api{h}.send(h.reviewer(), "GET", "/v1/tools?all=true", "")
	if err := json.Unmarshal([]byte(o.text), &list); err != nil {
		h.t.Fatal(err)
	}
	for _, r := range list.Items {
		if r.Name == name {
			return r.ID
		}
	}
	h.t.Fatalf("%s is not in %s", name, o.text)
	return ""
}
