package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

// box is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var box = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

// world is a host in memory with a face before it.
type world struct {
	t      testing.TB
	host   *toolsmith.Host
	face   *mcp.Face
	opened sync.Once
	wasted bool // the host was opened
	began  chan struct{}
	ended  chan error
}

// setting changes what a world is made of.
type setting struct {
	host func(*toolsmith.Options)
	face func(*mcp.Options)
}

// open makes a world whose judge approves everything, unless set otherwise.
func open(t testing.TB, set setting) *world {
	t.Helper()
	w := &world{t: t, began: make(chan struct{}, 100), ended: make(chan error, 100)}
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools, c.EmergentConfig.AllowDuplicates = true, true, true
	sandbox, err := box()
	if err != nil {
		t.Fatal(err)
	}
	approve := judgetest.ApproveAll()
	reviewer, err := judge.New(judge.Options{Creation: approve, Safety: approve, Correctness: approve})
	if err != nil {
		t.Fatal(err)
	}
	hopt := toolsmith.Options{
		Config: &c, Judge: reviewer, Sandbox: sandbox, Getenv: func(string) string { return "" }, Tools: w.tools(),
		OnAudit: func(e tool.AuditEvent) {
			if e.EventType == tool.Promoted || e.EventType == tool.Demoted || e.EventType == tool.Removed {
				w.face.Changed(e.Tenant)
			}
		},
	}
	fopt := mcp.Options{Desk: w.desk, Person: "ursula", Tick: time.Millisecond}
	if set.host != nil {
		set.host(&hopt)
	}
	if set.face != nil {
		set.face(&fopt)
	}
	w.face = mcp.New(fopt)
	if w.host, err = toolsmith.Open(t.Context(), "", hopt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.face.Close()
		if err := w.host.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// tools are those of the host for tests: one that waits for its end, one that panics, one whose output is large.
func (w *world) tools() []runtime.Tool {
	object := json.RawMessage(`{"type":"object"}`)
	return []runtime.Tool{
		{Name: "wait_for_end", Description: "waits until it is canceled", InputSchema: object, Run: func(ctx context.Context, _ *runtime.Invocation) (json.RawMessage, error) {
			w.began <- struct{}{}
			<-ctx.Done()
			w.ended <- ctx.Err()
			return nil, ctx.Err()
		}},
		{Name: "large_output", Description: "returns much", InputSchema: object, Run: func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			return json.Marshal(map[string]string{"text": strings.Repeat("ä", 200_000)})
		}},
	}
}

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

// until waits for what becomes true.
func until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come within %s", what, patience)
		}
	}
}

// patient asks servers.
var patient = &http.Client{Timeout: patience}

// over waits until wait_for_end has ended, as it does when it is canceled.
func (w *world) over() {
	w.t.Helper()
	if err := receive(w.t, w.ended, "the end of the tool that waits"); err == nil {
		w.t.Error("it ended by itself")
	}
}

func (w *world) desk(_ context.Context, p tool.Principal, session string) (desk.Desk, error) {
	w.opened.Do(func() { w.wasted = true })
	if p.KeyID == "" {
		return desk.NewLocal(w.host, tool.Actor{Caller: tool.Caller{Tenant: p.Tenant, Persona: p.Persona, Session: session}}), nil
	}
	return desk.NewKeyed(w.host, p, session), nil
}

func principal(tenant, persona string) tool.Principal {
	return tool.Principal{Tenant: tenant, Persona: persona, KeyID: persona + "-key", KeyName: "operator of " + persona, Scopes: tool.AllScopes()}
}

// message is one of the protocol, as tests look at it.
type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// peer speaks the protocol by hand.
type peer interface {
	// call sends a request and returns the answer. What comes before it goes to other.
	call(method string, params any) message
	notify(method string, params any)
	common() *base
	seen() []message // notifications and requests of the server, in order
}

// elicitor answers what the server asks, by the params of the question; nil leaves it unanswered.
type elicitor func(params json.RawMessage) any

// base is what peers have in common.
type base struct {
	t       testing.TB
	version string
	caps    map[string]any
	n       int
	begun   message // the answer to initialize, in versions that have that
	mu      sync.Mutex
	others  []message
}

func (b *base) common() *base { return b }

func (b *base) seen() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.others
}

func (b *base) note(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.others = append(b.others, m)
}

const current = "2026-07-28"

// encode writes a message, with what the current version wants in each request.
func (b *base) encode(id any, method string, params any) []byte {
	text, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	p := map[string]any{}
	if err := json.Unmarshal(text, &p); err != nil {
		b.t.Fatal(err)
	}
	if b.version == current {
		meta, _ := p["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["io.modelcontextprotocol/protocolVersion"] = b.version
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": "test", "version": "1"}
		meta["io.modelcontextprotocol/clientCapabilities"] = b.caps
		p["_meta"] = meta
	}
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": p}
	if id != nil {
		m["id"] = id
	}
	out, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// stdio is a peer over lines.
type stdio struct {
	base
	in     *io.PipeWriter
	lines  chan []byte // that the server wrote; closed at the end
	elicit elicitor
	done   chan error
}

// overStdio connects a peer, and shakes hands when the version has that.
func (w *world) overStdio(version string, who mcp.Local, elicit elicitor) *stdio {
	w.t.Helper()
	if who.Principal.Tenant == "" {
		who.Principal = tool.Principal{Tenant: "acme", Persona: "ann", Scopes: tool.AllScopes()}
	}
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	p := &stdio{base: base{t: w.t, version: version, caps: map[string]any{}}, in: inWrite, lines: make(chan []byte), elicit: elicit, done: make(chan error, 1)}
	if elicit != nil {
		p.caps["elicitation"] = map[string]any{}
	}
	go func() {
		err := w.face.ServeStdio(context.Background(), inRead, outWrite, who)
		_ = outWrite.Close()
		p.done <- err
	}()
	go p.read(outRead)
	w.t.Cleanup(func() {
		_ = inWrite.Close()
		go func() {
			for range p.lines { // nobody reads on
			}
		}()
		if err := receive(w.t, p.done, "the end of the connection"); err != nil {
			w.t.Error(err)
		}
	})
	if version != current {
		p.shake(p.call, p.notify)
	}
	return p
}

func (b *base) shake(call func(string, any) message, notify func(string, any)) {
	b.t.Helper()
	b.begun = call("initialize", map[string]any{"protocolVersion": b.version, "capabilities": b.caps, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if b.begun.Error != nil {
		b.t.Fatalf("initialize: %+v", b.begun.Error)
	}
	var began struct{ ProtocolVersion string }
	if err := json.Unmarshal(b.begun.Result, &began); err != nil {
		b.t.Fatal(err)
	}
	b.version = began.ProtocolVersion
	notify("notifications/initialized", map[string]any{})
}

// read takes what the server writes, until it has ended.
func (p *stdio) read(out io.Reader) {
	defer close(p.lines)
	for in := bufio.NewReaderSize(out, 1<<20); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		p.lines <- line
	}
}

func (p *stdio) raw(line string) {
	p.t.Helper()
	wrote := make(chan error, 1)
	go func() { _, err := io.WriteString(p.in, line+"\n"); wrote <- err }()
	if err := receive(p.t, wrote, "the server, to read a line,"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *stdio) next() (m message, err error) {
	p.t.Helper()
	line := receive(p.t, p.lines, "a line of the server")
	if line == nil {
		return m, io.EOF
	}
	return m, json.Unmarshal(line, &m)
}

func (p *stdio) call(method string, params any) message {
	p.t.Helper()
	p.n++
	id := p.n
	p.raw(string(p.encode(id, method, params)))
	return p.answer(id)
}

func (p *stdio) answer(id int) message {
	p.t.Helper()
	for {
		m, err := p.next()
		if err != nil {
			p.t.Fatalf("no answer to %d: %v", id, err)
		}
		if m.Method == "" && fmt.Sprint(m.ID) == fmt.Sprint(id) {
			return m
		}
		p.note(m)
		if m.Method == "elicitation/create" {
			answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": p.elicit(m.Params)})
			p.raw(string(answer))
		}
	}
}

func (p *stdio) notify(method string, params any) { p.raw(string(p.encode(nil, method, params))) }

// web is a peer over HTTP.
type web struct {
	base
	url, key, session string
	header            http.Header
	elicit            elicitor
}

// serve starts a server whose keys are "tenant/persona".
func (w *world) serve() string {
	w.t.Helper()
	server := httptest.NewUnstartedServer(w.face.Handler(func(r *http.Request) (tool.Principal, bool) {
		tenant, persona, ok := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "/")
		return principal(tenant, persona), ok
	}))
	server.Config.ReadHeaderTimeout = 3 * time.Second
	server.Start()
	w.t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

func (w *world) overHTTP(url, version, key string, elicit elicitor) *web {
	w.t.Helper()
	p := &web{base: base{t: w.t, version: version, caps: map[string]any{}}, url: url, key: key, elicit: elicit, header: http.Header{}}
	if elicit != nil {
		p.caps["elicitation"] = map[string]any{}
	}
	if version != current {
		p.shake(p.call, p.notify)
	}
	return p
}

func (p *web) post(ctx context.Context, body []byte, method, name string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if p.key != "" {
		req.Header.Set("Authorization", "Bearer "+p.key)
	}
	if p.version == current || p.session != "" {
		req.Header.Set("Mcp-Protocol-Version", p.version)
	}
	if p.version == current {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	if p.session != "" {
		req.Header.Set("Mcp-Session-Id", p.session)
	}
	maps.Copy(req.Header, p.header)
	if host := p.header.Get("Host"); host != "" {
		req.Host = host
	}
	return patient.Do(req)
}

func nameOf(params any) string {
	text, _ := json.Marshal(params)
	var p struct{ Name, URI string }
	_ = json.Unmarshal(text, &p)
	return p.Name + p.URI
}

func (p *web) call(method string, params any) message {
	p.t.Helper()
	m, status := p.ask(p.t.Context(), method, params)
	if m.Error == nil && m.Result == nil {
		p.t.Fatalf("%s: no answer, status %d", method, status)
	}
	return m
}

// ask calls, and returns the status, too.
func (p *web) ask(ctx context.Context, method string, params any) (message, int) {
	p.t.Helper()
	p.n++
	return p.asks(ctx, p.n, method, params)
}

// asks is ask, with an id of the caller's.
func (p *web) asks(ctx context.Context, id int, method string, params any) (message, int) {
	p.t.Helper()
	r, err := p.post(ctx, p.encode(id, method, params), method, nameOf(params))
	if err != nil {
		return message{}, 0
	}
	defer r.Body.Close()
	if s := r.Header.Get("Mcp-Session-Id"); s != "" {
		p.session = s
	}
	return p.read(r.Body, id), r.StatusCode //nolint:contextcheck // answers to questions go out by themselves
}

// read reads an answer, as JSON or as events.
func (p *web) read(body io.Reader, id int) message {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 32<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal([]byte(strings.TrimPrefix(lines.Text(), "data: ")), &m) != nil {
			continue
		}
		if m.Method == "" {
			return m
		}
		p.note(m)
		if m.Method == "elicitation/create" {
			answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": p.elicit(m.Params)})
			if r, err := p.post(p.t.Context(), answer, "", ""); err == nil {
				_ = r.Body.Close()
			}
		}
	}
	return message{}
}

func (p *web) notify(method string, params any) {
	r, err := p.post(p.t.Context(), p.encode(nil, method, params), method, "")
	if err != nil {
		p.t.Fatal(err)
	}
	_ = r.Body.Close()
}

// result is what a tool came to.
type result struct {
	Content []struct {
		Type, Text, URI string
	} `json:"content"`
	Structured    json.RawMessage            `json:"structuredContent"`
	IsError       bool                       `json:"isError"`
	ResultType    string                     `json:"resultType"`
	InputRequests map[string]json.RawMessage `json:"inputRequests"`
	RequestState  string                     `json:"requestState"`
	Error         struct {
		Code, Message, Hint, Path string
	} `json:"-"`
}

// use calls a tool.
func use(t testing.TB, p peer, name string, arguments any) result {
	t.Helper()
	return useWith(t, p, map[string]any{"name": name, "arguments": arguments})
}

func useWith(t testing.TB, p peer, params map[string]any) result {
	t.Helper()
	m := p.call("tools/call", params)
	if m.Error != nil {
		t.Fatalf("%v: %+v", params["name"], m.Error)
	}
	return readResult(t, m)
}

func readResult(t testing.TB, m message) (r result) {
	t.Helper()
	if err := json.Unmarshal(m.Result, &r); err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		if r.Structured != nil {
			t.Error("an error has structured content")
		}
		var e struct {
			Error *struct{ Code, Message, Hint, Path string }
		}
		if err := json.Unmarshal([]byte(r.Content[0].Text), &e); err != nil || e.Error == nil {
			t.Fatalf("an error is not told as one: %q", r.Content[0].Text)
		}
		r.Error = *e.Error
	} else if r.RequestState == "" && string(r.Structured) != r.Content[0].Text {
		t.Errorf("text and structured content differ: %s and %s", r.Content[0].Text, r.Structured)
	}
	return r
}

// request is a request for add_numbers, with some of its members replaced.
func request(members map[string]any) map[string]any {
	number := map[string]any{"type": "number"}
	r := map[string]any{
		"name": "add_numbers", "description": "Adds two numbers.",
		"inputSchema":    map[string]any{"type": "object", "properties": map[string]any{"a": number, "b": number}, "required": []string{"a", "b"}},
		"outputSchema":   map[string]any{"type": "object", "properties": map[string]any{"sum": number}, "required": []string{"sum"}, "additionalProperties": false},
		"implementation": sandbox("function execute(input) { return { sum: input.a + input.b }; }"),
		"testCases":      cases(`{"a":1,"b":2}`, `{"sum":3}`, `{"a":-1,"b":5}`, `{"sum":4}`),
	}
	maps.Copy(r, members)
	return r
}

func sandbox(code string, allow ...string) map[string]any {
	return map[string]any{"mode": "sandbox", "code": code, "allowlist": append([]string{}, allow...)}
}

func cases(texts ...string) (list []map[string]json.RawMessage) {
	for pair := range slices.Chunk(texts, 2) {
		list = append(list, map[string]json.RawMessage{"input": json.RawMessage(pair[0]), "expectedOutput": json.RawMessage(pair[len(pair)-1])})
	}
	return list
}

func forgeOK(t testing.TB, p peer, members map[string]any) (handle string) {
	t.Helper()
	r := use(t, p, "forge_tool", request(members))
	var out struct{ Handle string }
	if err := json.Unmarshal(r.Structured, &out); err != nil || out.Handle == "" {
		t.Fatalf("not forged: %+v", r)
	}
	return out.Handle
}
