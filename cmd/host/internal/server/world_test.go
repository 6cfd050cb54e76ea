package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// patience is how long tests wait for what has to come: long, since machines are busy.
const patience = 30 * time.Second

// receive returns what comes over a channel, which is awaited by the name of what.
func receive[T any](t testing.TB, from <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatalf("%s did not come within %s", what, patience)
	}
	return value
}

// hold waits until a channel is closed, but not for ever: a test that failed has to end.
func hold(until <-chan struct{}) {
	select {
	case <-until:
	case <-time.After(patience):
	}
}

// patient asks servers.
var patient = &http.Client{Timeout: patience}

// world is a host behind a server, with keys for several personas of two tenants.
type world struct {
	t      testing.TB
	host   *toolsmith.Host
	server *server.Server
	http   *httptest.Server
	broken bool // the store was taken away
}

// Keys of the world. What they may do is in principals.
const (
	annKey   = "key-of-ann"   // calls and forges
	bobKey   = "key-of-bob"   // the same, as another persona
	graceKey = "key-of-grace" // decides on everything
	otherKey = "key-of-eve"   // all, in another tenant
	lookKey  = "key-of-lou"   // calls alone, as ann
	rootKey  = "key-of-root"  // all, in the tenant of the operator
)

var principals = map[string]tool.Principal{
	annKey:   {Tenant: "acme", Persona: "ann", KeyName: "ann", Scopes: tool.Scopes{tool.ScopeCall, tool.ScopeForge}},
	bobKey:   {Tenant: "acme", Persona: "bob", KeyName: "bob", Scopes: tool.Scopes{tool.ScopeCall, tool.ScopeForge}},
	graceKey: {Tenant: "acme", Persona: "desk", KeyName: "grace", Scopes: tool.AllScopes()},
	otherKey: {Tenant: "evil", Persona: "eve", KeyName: "eve", Scopes: tool.AllScopes()},
	rootKey:  {Tenant: tool.LocalTenant, Persona: "root", KeyName: "root", Scopes: tool.AllScopes()},
	lookKey:  {Tenant: "acme", Persona: "ann", KeyName: "lou", Scopes: tool.Scopes{tool.ScopeCall}},
}

func authenticate(_ context.Context, key string) (tool.Principal, error) {
	if p, ok := principals[key]; ok {
		return p, nil
	}
	return tool.Principal{}, &tool.Error{Code: tool.Denied, Message: "the key " + key + " does not work"}
}

// box is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var box = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

// open opens a world in a directory, or in memory, after change.
func open(t testing.TB, dir string, change func(*toolsmith.Options, *server.Options)) *world {
	t.Helper()
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools, c.EmergentConfig.AllowDuplicates = true, true, true
	events := &server.Events{}
	hostOptions := toolsmith.Options{
		Config: &c, Getenv: func(string) string { return "" }, OnAudit: events.Audit, OnForge: events.Forge, Judge: judgeOf(t, judgetest.ApproveAll()),
	}
	var err error
	if hostOptions.Sandbox, err = box(); err != nil {
		t.Fatal(err)
	}
	options := server.Options{Events: events, Authenticate: authenticate, Version: "test"}
	if change != nil {
		change(&hostOptions, &options)
	}
	events.Observe(&hostOptions)
	w := &world{t: t}
	if w.host, err = toolsmith.Open(t.Context(), dir, hostOptions); err != nil {
		t.Fatal(err)
	}
	options.Host = w.host
	if w.server, err = server.New(options); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.server.Handler())
	w.http.Client().Timeout = patience
	t.Cleanup(w.close)
	return w
}

func (w *world) close() {
	w.http.Close()
	if err := w.host.Close(); err != nil && !w.broken {
		w.t.Error(err)
	}
}

func judgeOf(t testing.TB, m model.Model) judge.Judge {
	t.Helper()
	j, err := judge.New(judge.Options{Creation: m, Safety: m, Correctness: m})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// reply is what a request was answered.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request: a key, a method, a path, a body or none, and headers in pairs.
func (w *world) ask(key, method, path, body string, headers ...string) reply {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.http.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := w.http.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, text}
}

// ok is ask, for what must succeed, with its answer in into.
func (w *world) ok(into any, key, method, path, body string, headers ...string) reply {
	w.t.Helper()
	got := w.ask(key, method, path, body, headers...)
	if got.status != http.StatusOK {
		w.t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
	}
	if into != nil {
		if err := json.Unmarshal(got.body, into); err != nil {
			w.t.Fatalf("%s %s: %v in %s", method, path, err, got.body)
		}
	}
	return got
}

// refused is ask, for what must end in a problem.
func (w *world) refused(status int, code tool.Code, key, method, path, body string, headers ...string) (server.Problem, reply) {
	w.t.Helper()
	got := w.ask(key, method, path, body, headers...)
	var p server.Problem
	if err := json.Unmarshal(got.body, &p); err != nil || got.status != status || p.Status != status || p.Code != code ||
		got.header.Get("Content-Type") != "application/problem+json" {
		w.t.Errorf("%s %s: got %d %s %v; want %d %s", method, path, got.status, got.body, err, status, code)
	}
	return p, got
}

// request is a request for a tool with a name and code.
func request(t testing.TB, name, code string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"name": name, "description": "Adds two numbers.",
		"inputSchema":    json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		"outputSchema":   json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"],"additionalProperties":false}`),
		"implementation": map[string]any{"mode": "sandbox", "code": code, "allowlist": []string{}},
		"testCases":      json.RawMessage(`[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const adding = "function execute(input) { return { sum: input.a + input.b }; }"

// forge forges add_numbers, or a tool of another name, and returns its id.
func (w *world) forge(key, name string, headers ...string) string {
	w.t.Helper()
	var result struct {
		ToolID string `json:"toolId"`
	}
	w.ok(&result, key, "POST", "/v1/forge", request(w.t, name, adding), headers...)
	return result.ToolID
}

// withoutKeys makes a world of one local tenant.
func withoutKeys(_ *toolsmith.Options, o *server.Options) {
	o.Authenticate, o.Local = nil, tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "local"}, Name: "me"}
}
