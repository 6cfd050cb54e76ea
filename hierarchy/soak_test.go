package hierarchy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
	"example.com/toolsmith/tiers"
)

// Runs over a server whose models fail in all ways that there are. Each ends in time, with an outcome that is known, and
// leaves nothing behind but a whole audit log. Goroutines are counted, so no other test runs beside it.
func TestSoakOfFaults(t *testing.T) {
	runs := 500
	if testing.Short() {
		runs = 40
	}
	seed := rand.Uint64() //nolint:gosec // it only has to differ, and is printed
	t.Logf("seed %d", seed)
	shelf, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer shelf.Close()
	before := goruntime.NumGoroutine()
	w := &weather{shelf: shelf, transport: &http.Transport{}, outcomes: map[string]int{}}
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range runs {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			w.run(t, rand.New(rand.NewPCG(seed, uint64(i))), i) //nolint:gosec // repeatable
		})
	}
	all.Wait()
	t.Logf("outcomes: %v", w.outcomes)
	if len(w.outcomes) < 3 {
		t.Error("the faults have hardly any effect")
	}
	if _, err := shelf.Verify(t.Context(), "acme"); err != nil {
		t.Error(err)
	}
	w.transport.CloseIdleConnections()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // connections take a moment to end
		if goruntime.NumGoroutine() <= before+2 {
			return
		}
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, %d after:\n%s", before, goruntime.NumGoroutine(), stacks[:goruntime.Stack(stacks, true)])
}

// weather is what the runs of a soak share.
type weather struct {
	shelf     *tiers.Shelf
	transport *http.Transport

	mu       sync.Mutex
	outcomes map[string]int
}

const soakTimeout = 1500 * time.Millisecond

func (w *weather) run(t *testing.T, random *rand.Rand, n int) {
	t.Helper()
	provider := []string{model.OpenAI, model.Anthropic}[n%2]
	server := modeltest.Start(steps(random)...)
	defer server.Close()
	a, err := New(w.agency(provider, server, random))
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if random.IntN(10) == 0 {
		time.AfterFunc(time.Duration(random.IntN(300))*time.Millisecond, cancel)
	}
	var events []Event
	began := time.Now()
	r, err := a.Run(ctx, tool.Caller{Tenant: "acme", Persona: "boss", Session: fmt.Sprint("s", n)}, "What is it?", func(e Event) { events = append(events, e) })
	if took := time.Since(began); took > soakTimeout+time.Minute { // far beyond its time: it hangs
		t.Errorf("run %d took %v", n, took)
	}
	w.check(t, r, err, events)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes[string(r.Reason)]++
}

// check holds a run to what is true of every one.
func (w *weather) check(t *testing.T, r *Result, err error, events []Event) {
	t.Helper()
	good := []Reason{Done, Steps, Cut, Refused}
	failed := map[Reason][]tool.Code{
		OverBudget: {tool.OverQuota}, TimedOut: {tool.Timeout}, Canceled: {tool.Canceled},
		Failed: {tool.Unavailable, tool.OverQuota, tool.InvalidRequest},
	}
	e, typed := errors.AsType[*tool.Error](err)
	if err == nil && !slices.Contains(good, r.Reason) || err != nil && (!typed || !slices.Contains(failed[r.Reason], e.Code) || r.Error != e) {
		t.Errorf("%v: %q", err, r.Reason)
	}
	if n := len(r.AgentCalls); n > 30 {
		t.Errorf("%d tasks", n)
	}
	for i, e := range events {
		if e.Seq != i+1 || (e.Kind == Final) != (i == len(events)-1) {
			t.Errorf("event %d of %d is %+v", i+1, len(events), e)
		}
	}
}

func (w *weather) agency(provider string, server *modeltest.Server, random *rand.Rand) (Spec, Options) {
	open := func(string, string) (model.Model, error) {
		base := server.URL
		if provider != model.Anthropic {
			base += "/v1"
		}
		return model.Open(model.Spec{Provider: provider, BaseURL: base}, model.Options{
			Getenv: server.Getenv, Transport: w.transport,
			Sleep: func(ctx context.Context, d time.Duration) error { return pause(ctx, min(d, 5*time.Millisecond)) },
		})
	}
	spec := Spec{
		Name: "desk", Provider: provider, Tools: []string{"file_read"},
		Agents:   []Agent{{Name: "researcher", Instructions: "Find facts.", Delegates: []string{"writer"}}, {Name: "writer", Instructions: "Write."}},
		Limits:   Limits{Timeout: wire.Period(soakTimeout), MaxModelCalls: Count(5 + random.IntN(30)), MaxToolCalls: 30, MaxTokens: Count(100 + random.IntN(1000))},
		Emergent: Emergent{Enabled: true},
	}
	return spec, Options{
		Model: open, Judge: judges(func(a judge.Agent) judge.AgentVerdict {
			return judge.AgentVerdict{Approved: len(a.Role)%2 == 0, Reason: "by length"}
		}),
		Tools: func(context.Context, tool.Caller, []string) ([]model.ToolSpec, error) {
			return []model.ToolSpec{{Name: "file_read"}}, nil
		},
		Call: func(context.Context, tool.Caller, string, json.RawMessage) (json.RawMessage, tool.Spent, error) {
			return nil, tool.Spent{}, tool.Errorf(tool.Denied, "not this file")
		},
		Log: func(ctx context.Context, by tool.Actor, event tool.EventType, data any) error {
			return w.shelf.Log(ctx, by, "", event, data)
		},
	}
}

// steps are answers of a server, in no order.
func steps(random *rand.Rand) (list []modeltest.Step) {
	task := modeltest.Arguments(`{"task":"go on"}`)
	kinds := []func() modeltest.Step{
		func() modeltest.Step { return modeltest.Text("42") },
		func() modeltest.Step { return modeltest.Text("") },
		func() modeltest.Step { return modeltest.Fault(429, "slow down") },
		func() modeltest.Step { return modeltest.Step{Status: 429, RetryAfter: "1"} },
		func() modeltest.Step { return modeltest.Step{Status: 429, RetryAfter: "3600"} },
		func() modeltest.Step { return modeltest.Fault(503, "down") },
		func() modeltest.Step { return modeltest.Fault(400, "no") },
		func() modeltest.Step { return modeltest.Step{Text: "half", Cut: true} },
		func() modeltest.Step { return modeltest.Step{Text: "half", Cut: true} },
		func() modeltest.Step { return modeltest.Step{Hang: true} },
		func() modeltest.Step { return modeltest.Step{Body: `{"choices":`} },
		func() modeltest.Step { return modeltest.Step{Text: "late", DelayMs: random.IntN(200)} },
	}
	toolCalls := []modeltest.Call{
		{Name: "delegate_to_researcher", Arguments: task},
		{Name: "delegate_to_writer", Arguments: task},
		{Name: "delegate_to_writer", Arguments: `{"task":`},
		{Name: "no_such_tool", Arguments: `{}`},
		{Name: "file_read", Arguments: `[]`},
		{Name: "file_read", Arguments: `{}`},
		{Name: SpawnTool, Arguments: `{"role":"poet","instructions":"Rhyme."}`},
		{Name: SpawnTool, Arguments: `{"role":"critic1","instructions":"x","tools":["*"]}`},
		{Name: "delegate_to_poet", Arguments: task},
	}
	for range 60 {
		if random.IntN(3) == 0 {
			list = append(list, kinds[random.IntN(len(kinds))]())
			continue
		}
		step := modeltest.Step{Text: "Let me see."}
		for range 1 + random.IntN(3) {
			step.Calls = append(step.Calls, toolCalls[random.IntN(len(toolCalls))])
		}
		list = append(list, step)
	}
	return list
}
