package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// world is a shelf with a clock that stands still until it is told.
type world struct {
	*tiers.Shelf
	t   *testing.T
	dir string
	opt tiers.Options

	mu     sync.Mutex
	now    time.Time
	events []tool.AuditEvent
}

// newWorld opens a shelf in memory, or in a directory when dir is not "".
func newWorld(t *testing.T, dir string, opt tiers.Options) *world {
	t.Helper()
	w := &world{t: t, dir: dir, now: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)}
	opt.Now, opt.Random, opt.TendEvery = w.clock, rand.NewChaCha8([32]byte{1}), -1
	opt.Watch = func(e tool.AuditEvent) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events = append(w.events, e)
	}
	w.opt = opt
	w.open()
	t.Cleanup(func() { w.check(); w.must(w.Close()) })
	return w
}

func (w *world) open() {
	w.t.Helper()
	s, err := tiers.Open(context.Background(), w.dir, tiers.StoreOptions{}, w.opt)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Shelf = s
}

// restart closes the shelf and opens it again, perhaps otherwise.
func (w *world) restart(change func(*tiers.Options)) {
	w.t.Helper()
	w.must(w.Close())
	if change != nil {
		change(&w.opt)
	}
	w.open()
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// check holds after every test: the chains are whole.
func (w *world) check() {
	w.t.Helper()
	tenants, err := w.Tenants(context.Background())
	w.must(err)
	for _, tenant := range tenants {
		if _, err := w.Verify(context.Background(), tenant); err != nil {
			w.t.Errorf("the chain of %s: %v", tenant, err)
		}
	}
}

// as is somebody's session: "ann/1".
func as(persona, session string) tool.Actor {
	return tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: persona, Session: session}}
}

var (
	ann1  = as("ann", "1")
	ann10 = as("ann", "10")
	bob1  = as("bob", "1")
	boss  = tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ops", Session: "shell"}, Name: "boss"}
)

// draft is an approved tool whose code is its text.
func draft(name, code string) tool.Draft {
	return tool.Draft{
		Name: name, Description: "does " + name, InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: code, Allowlist: []string{"fetch"}},
		Verdict:        tool.CreationVerdict{Approved: true, Confidence: 0.9, Safety: 1, Correctness: 1, Reasoning: "fine"},
	}
}

func (w *world) put(by tool.Actor, name, code string) *tool.Record {
	w.t.Helper()
	r, err := w.Put(context.Background(), by, draft(name, code))
	w.must(err)
	return r
}

func (w *world) use(id string, results ...bool) {
	w.t.Helper()
	for _, ok := range results {
		w.must(w.RecordUse(context.Background(), "acme", id, tool.Use{Success: ok, Duration: 10 * time.Millisecond, At: w.clock()}))
	}
	w.must(w.Settle(context.Background()))
}

func (w *world) get(id string) *tool.Record {
	w.t.Helper()
	r, err := w.Get(context.Background(), "acme", id)
	w.must(err)
	return r
}

func panel(approved bool) *tool.PromotionVerdict {
	review := tool.Review{Approved: approved, Confidence: 0.9, Reasoning: "so"}
	return &tool.PromotionVerdict{Approved: approved, SafetyAuditor: review, CorrectnessReviewer: review, Confidence: 0.9}
}

func (w *world) promote(id string, to tool.Tier, by string) *tool.Record {
	w.t.Helper()
	r, err := w.Promote(context.Background(), boss, id, tool.Promotion{To: to, ApprovedBy: by, Verdict: panel(true)})
	w.must(err)
	return r
}

// wants reports an error that is not of a code, or none.
func (w *world) wants(code tool.Code, err error) {
	w.t.Helper()
	if !errors.Is(err, code) {
		w.t.Errorf("got %v, want %s", err, code)
	}
}

// found is what a caller sees under a name: its version, or "none".
func (w *world) found(by tool.Actor, name string) string {
	w.t.Helper()
	r, err := w.Find(context.Background(), by.Caller, name)
	if errors.Is(err, tool.NotFound) {
		return "none"
	}
	w.must(err)
	return fmt.Sprintf("v%d %s", r.Version, r.Tier)
}

// kinds are the types of a tool's audit entries.
func (w *world) kinds(id string) (list []tool.EventType) {
	w.t.Helper()
	events, err := w.Audit(context.Background(), "acme", tiers.AuditQuery{ToolID: id})
	w.must(err)
	for _, e := range events {
		list = append(list, e.EventType)
	}
	return list
}
