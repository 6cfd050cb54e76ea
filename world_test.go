package toolsmith_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
	"example.com/toolsmith/tiers"
)

// world is a host in memory, or in a directory, whose judge is a stub.
type world struct {
	*toolsmith.Host
	t testing.TB

	mu     sync.Mutex
	events []tool.AuditEvent
	forged []forge.Event
	denied map[string]bool // tools that nobody may call
	closed bool
}

// caller of everything, unless a test says otherwise.
var ann = tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}

// box is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var box = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if cache, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(cache, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

// open opens a world whose configuration allows forging code, after change.
func open(t testing.TB, dir string, reviewer model.Model, change func(*toolsmith.Options)) *world {
	t.Helper()
	w := &world{t: t, denied: map[string]bool{}}
	c := config.Default()
	c.Emergent, c.EmergentConfig.AllowSandboxTools = true, true
	c.EmergentConfig.AllowDuplicates = true // tests forge much the same tools; search_test.go does not allow it
	opt := toolsmith.Options{
		Config: &c, Getenv: func(string) string { return "" },
		OnAudit: func(e tool.AuditEvent) { w.mu.Lock(); defer w.mu.Unlock(); w.events = append(w.events, e) },
		OnForge: func(e forge.Event) { w.mu.Lock(); defer w.mu.Unlock(); w.forged = append(w.forged, e) },
		Permit:  func(_ tool.Caller, name string) bool { w.mu.Lock(); defer w.mu.Unlock(); return !w.denied[name] },
	}
	var err error
	if opt.Sandbox, err = box(); err != nil {
		t.Fatal(err)
	}
	if reviewer != nil {
		opt.Judge = judgeOf(t, reviewer, reviewer)
	}
	if change != nil {
		change(&opt)
	}
	if w.Host, err = toolsmith.Open(t.Context(), dir, opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// byFuel lets fuel end what is too dear, on any machine: the clock would end it earlier on a busy one.
func byFuel(o *toolsmith.Options) {
	o.Config.Limits.Wall, o.Config.SessionTools.Wall = wire.Period(time.Minute), wire.Period(time.Minute)
	o.Config.EmergentConfig.SandboxTimeoutMs = int(time.Minute.Milliseconds()) // the same as Limits.Wall
}

// judgeOf is a judge of a model that reviews candidates, and one that is the panel.
func judgeOf(t testing.TB, creation, panel model.Model) judge.Judge {
	t.Helper()
	j, err := judge.New(judge.Options{Creation: creation, Safety: panel, Correctness: panel})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// close checks what holds at the end of every test, that the audit log is whole, and closes the host once.
func (w *world) close() {
	w.t.Helper()
	if w.closed {
		return
	}
	w.closed = true
	if _, err := w.shelf().Verify(context.Background(), ann.Tenant); err != nil {
		w.t.Error(err)
	}
	w.must(w.Close())
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) shelf() *tiers.Shelf {
	w.t.Helper()
	s, err := w.Shelf(context.Background())
	w.must(err)
	return s
}

func (w *world) audited(kind tool.EventType) (list []tool.AuditEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.EventType == kind {
			list = append(list, e)
		}
	}
	return list
}

// call returns the output of a tool as text.
func (w *world) call(c tool.Caller, name, input string) (string, error) {
	result, err := w.Call(context.Background(), c, name, json.RawMessage(input))
	return string(result.Output), err
}

// request is a request for add_numbers, with some of its members replaced by JSON.
func request(t testing.TB, members map[string]string) []byte {
	t.Helper()
	all := map[string]json.RawMessage{
		"name": json.RawMessage(`"add_numbers"`), "description": json.RawMessage(`"Adds two numbers."`),
		"inputSchema":    json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		"outputSchema":   json.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"],"additionalProperties":false}`),
		"implementation": json.RawMessage(`{"mode":"sandbox","code":"function execute(input) { return { sum: input.a + input.b }; }","allowlist":[]}`),
		"testCases":      json.RawMessage(`[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`),
	}
	for name, value := range members {
		all[name] = json.RawMessage(value)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (w *world) wants(what string, err error, code tool.Code, text string) {
	w.t.Helper()
	if !errors.Is(err, code) || !strings.Contains(err.Error(), text) {
		w.t.Errorf("%s: got %v; want %s: %s", what, err, code, text)
	}
}

// ownTool is a tool of the host for tests.
func ownTool(name, out string, run func(context.Context, *runtime.Invocation) (json.RawMessage, error)) runtime.Tool {
	return runtime.Tool{Name: name, Description: "a tool for tests", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(out), Run: run}
}

var approveAll = judgetest.ApproveAll()
