package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// hosted is a host with a shelf in memory and a few tools.
type hosted struct {
	*runtime.Host
	shelf *tiers.Shelf
	used  atomic.Int64
}

func host(t *testing.T, opt runtime.HostOptions) *hosted {
	t.Helper()
	h := &hosted{}
	shelf, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{
		Reserved: func(name string) bool { return h.Reserved(name) },
		Watch:    func(e tool.AuditEvent) { h.Changed(e.Tenant) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shelf.Close() })
	opt.Shelf = shelf
	opt.Used = func(tool.Caller, string) { h.used.Add(1) }
	h.shelf = shelf
	if h.Host, err = runtime.NewHost(open(t), opt); err != nil {
		t.Fatal(err)
	}
	for _, own := range []runtime.Tool{
		hostTool("echo", `{"type":"object"}`, ``, func(in json.RawMessage) (json.RawMessage, error) { return in, nil }),
		hostTool("upper", `{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}`, ``, func(in json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(strings.ToUpper(string(in))), nil
		}),
		hostTool("failing", `{"type":"object"}`, ``, func(json.RawMessage) (json.RawMessage, error) {
			return nil, tool.Errorf(tool.GuestError, "service unavailable")
		}),
		hostTool("panics", `{"type":"object"}`, ``, func(json.RawMessage) (json.RawMessage, error) { panic("oh") }),
		hostTool("broken", `{"type":"object"}`, ``, func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{`), nil }),
		hostTool("latin", `{"type":"object"}`, ``, func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage("\"\xff\""), nil }),
		hostTool("large", `{"type":"object"}`, ``, func(json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`), nil
		}),
		hostTool("liar", `{"type":"object"}`, `{"type":"object","properties":{"n":{"type":"number"}}}`, func(json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"n":"CANARY"}`), nil
		}),
	} {
		if err := h.Register(own); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func hostTool(name, in, out string, run func(json.RawMessage) (json.RawMessage, error)) runtime.Tool {
	return runtime.Tool{
		Name: name, Description: "a tool for tests", InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out),
		Run: func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return run(call.Input) },
	}
}

func caller(persona, session string) tool.Actor {
	return tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: persona, Session: session}}
}

var ann, bob = caller("ann", "1"), caller("bob", "1")

const (
	anyObject = `{"type":"object"}`
	numbered  = `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`
)

// put registers a tool whose output is a number n.
func (h *hosted) put(t *testing.T, by tool.Actor, name string, impl tool.Implementation) *tool.Record {
	t.Helper()
	r, err := h.shelf.Put(t.Context(), by, tool.Draft{
		Name: name, Description: "a tool for tests", InputSchema: json.RawMessage(numbered), OutputSchema: json.RawMessage(numbered), Implementation: impl,
		Verdict: tool.CreationVerdict{Approved: true, Confidence: 0.9, Determinism: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func code(text string) tool.Implementation {
	return tool.Implementation{Mode: tool.SandboxMode, Code: text}
}

// steps is a pipeline of tools, each before its argument n.
func steps(pairs ...string) tool.Implementation {
	impl := tool.Implementation{Mode: tool.ComposeMode}
	for pair := range slices.Chunk(pairs, 2) {
		impl.Steps = append(impl.Steps, tool.Step{
			Name: fmt.Sprintf("s%d", len(impl.Steps)), Tool: pair[0], InputMapping: map[string]json.RawMessage{"n": json.RawMessage(pair[1])},
		})
	}
	return impl
}

func wants(t *testing.T, what string, err error, code tool.Code, text string) {
	t.Helper()
	if !errors.Is(err, code) || !strings.Contains(fmt.Sprint(err), text) {
		t.Errorf("%s: got %v; want %s: %s", what, err, code, text)
	}
}

func TestCallOfHostTools(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{Permit: func(_ tool.Caller, name string) bool { return name != "upper" }})
	for name, c := range map[string]struct {
		tool, input string
		code        tool.Code
		text        string
	}{
		"no such tool":      {"nope", `{}`, tool.NotFound, "nope"},
		"no name":           {"../x", `{}`, tool.NotFound, ""},
		"not permitted":     {"upper", `{"value":"a"}`, tool.Denied, "ann may not call upper"},
		"wrong input":       {"echo", `[]`, tool.InvalidInput, "the input of echo"},
		"input is no JSON":  {"echo", `{`, tool.InvalidInput, ""},
		"too large":         {"echo", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, tool.InvalidInput, "1048576"},
		"fails":             {"failing", `{}`, tool.GuestError, "service unavailable"},
		"panics":            {"panics", `{}`, tool.Internal, "panicked"},
		"output is no JSON": {"broken", `{}`, tool.Internal, "not JSON"},
		"output is Latin-1": {"latin", `{}`, tool.Internal, "not UTF-8"},
		"output too large":  {"large", `{}`, tool.OutputTooLarge, ""},
		"breaks its schema": {"liar", `{}`, tool.InvalidOutput, "output schema validation failed"},
	} {
		result, err := h.Call(t.Context(), ann.Caller, c.tool, json.RawMessage(c.input))
		wants(t, name, err, c.code, c.text)
		if result == nil || result.Output != nil {
			t.Errorf("%s: the result is %v", name, result)
		}
	}
	result, err := h.Call(t.Context(), ann.Caller, "echo", json.RawMessage(`{"n":9007199254740993}`))
	if err != nil || string(result.Output) != `{"n":9007199254740993}` {
		t.Errorf("%s %v", result.Output, err)
	}
	_, err = h.Call(t.Context(), tool.Caller{Tenant: "acme", Persona: "ann"}, "echo", nil)
	wants(t, "no session", err, tool.InvalidRequest, "/session")
}

func TestRegister(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	run := func(in json.RawMessage) (json.RawMessage, error) { return in, nil }
	for name, c := range map[string]struct {
		tool runtime.Tool
		code tool.Code
	}{
		"twice":       {hostTool("echo", anyObject, "", run), tool.Collision},
		"a meta tool": {hostTool("forge_tool", anyObject, "", run), tool.Collision},
		"a face":      {hostTool("call_tool", anyObject, "", run), tool.Collision},
		"bad name":    {hostTool("a b", anyObject, "", run), tool.InvalidRequest},
		"bad schema":  {hostTool("a", `{"$ref":"http://a.test"}`, "", run), tool.InvalidRequest},
		"no schema":   {hostTool("a", ``, "", run), tool.InvalidRequest},
		"no function": {runtime.Tool{Name: "a", Description: "d", InputSchema: json.RawMessage(anyObject)}, tool.InvalidRequest},
	} {
		wants(t, name, h.Register(c.tool), c.code, "")
	}
	if !h.Reserved("echo") || !h.Reserved("spawn_specialist") || h.Reserved("mine") {
		t.Error("reserved names are wrong")
	}
}

// Whatever happens to a forged tool shows in the very next call.
// uncounting is a shelf that can count no use.
type uncounting struct{ *tiers.Shelf }

func (uncounting) Counts(context.Context) error {
	return &tool.Error{Code: tool.Unavailable, Message: "the disk is full"}
}

// A forged tool does not run where its use cannot be counted; those of the host do.
func TestCallThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	h.put(t, ann, "one", code(`function execute() { return {n: 1} }`))
	full, err := runtime.NewHost(open(t), runtime.HostOptions{Shelf: uncounting{h.shelf}})
	if err != nil {
		t.Fatal(err)
	}
	err = full.Register(hostTool("own", anyObject, ``, func(in json.RawMessage) (json.RawMessage, error) { return in, nil }))
	if err != nil {
		t.Fatal(err)
	}
	r, err := full.Call(t.Context(), ann.Caller, "one", json.RawMessage(`{"n":1}`))
	if !errors.Is(err, tool.Unavailable) || r.Stats.Fuel != 0 {
		t.Errorf("it ran with %d units of fuel: %v", r.Stats.Fuel, err)
	}
	if _, err := full.Call(t.Context(), ann.Caller, "own", json.RawMessage(`{}`)); err != nil {
		t.Errorf("a tool of the host: %v", err)
	}
}

func TestCallFollowsTheShelf(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	call := func(who tool.Actor) (string, error) {
		result, err := h.Call(t.Context(), who.Caller, "twice", json.RawMessage(`{"n":21}`))
		return string(result.Output), err
	}
	gives := func(what string, who tool.Actor, want string) {
		t.Helper()
		if got, err := call(who); err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", what, got, err, want)
		}
	}
	_, err := call(ann)
	wants(t, "before", err, tool.NotFound, "")
	r := h.put(t, ann, "twice", code("function execute({ n }) { return { n: n * 2 } }"))
	gives("forged", ann, `{"n":42}`)
	gives("and once more", ann, `{"n":42}`)
	_, err = call(bob)
	wants(t, "another persona", err, tool.NotFound, "")
	_, err = call(caller("ann", "10"))
	wants(t, "another session", err, tool.NotFound, "")
	must := func(_ *tool.Record, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(h.shelf.Suspend(t.Context(), ann, r.ID, tool.ByAdmin))
	_, err = call(ann)
	wants(t, "suspended", err, tool.Suspended, "admin")
	must(h.shelf.Resume(t.Context(), ann, r.ID, tiers.Resumption{}))
	gives("resumed", ann, `{"n":42}`)
	must(h.shelf.Promote(t.Context(), ann, r.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"}))
	gives("promoted, in another session", caller("ann", "10"), `{"n":42}`)
	_, err = call(bob)
	wants(t, "promoted, another persona", err, tool.NotFound, "")
	h.put(t, ann, "twice", code("function execute({ n }) { return { n: n + n + 1 } }"))
	gives("the next version, in its session", ann, `{"n":43}`)
	gives("the version before, elsewhere", caller("ann", "10"), `{"n":42}`)
	if _, err := h.shelf.EndSession(t.Context(), ann, ann.Caller); err != nil {
		t.Fatal(err)
	}
	gives("after the session", ann, `{"n":42}`)
	must(h.shelf.Demote(t.Context(), ann, r.ID, "no use"))
	_, err = call(ann)
	wants(t, "demoted", err, tool.Inactive, "")
	if err := h.shelf.Remove(t.Context(), ann, r.ID); err != nil {
		t.Fatal(err)
	}
	_, err = call(ann)
	wants(t, "removed", err, tool.NotFound, "")
}

// A use counts for or against a tool when it says something of the tool.
func TestUsesThatCount(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{Policy: func(tool.Caller) (*policy.Policy, error) { return &policy.Policy{}, nil }})
	const maybe = `async function execute({ n }) {
		if (n === 1) throw new Error('no');
		if (n === 2) return { n: 'no number' };
		if (n === 3) return (await fetch('http://a.test/')).json();
		return { n };
	}`
	impl := code(maybe)
	impl.Allowlist = []string{"fetch"}
	r := h.put(t, ann, "maybe", impl)
	for input, want := range map[string]tool.Code{`{"n":0}`: "", `{"n":1}`: tool.GuestError, `{"n":2}`: tool.InvalidOutput, `{"n":3}`: tool.Denied, `{"m":3}`: tool.InvalidInput} {
		result, err := h.Call(t.Context(), ann.Caller, "maybe", json.RawMessage(input))
		if (want == "") != (err == nil) || err != nil && !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %s", input, err, want)
		}
		if want == tool.InvalidOutput && (result.Reuse.Valid || len(result.Reuse.SchemaErrors) != 1) {
			t.Errorf("the verdict on reuse is %+v", result.Reuse)
		}
	}
	_, err := h.Call(t.Context(), ann.Caller, "maybe", json.RawMessage(`{"n":3}`))
	wants(t, "denied again", err, tool.Denied, "")
	told, err := h.shelf.Audit(t.Context(), "acme", tiers.AuditQuery{ToolID: r.ID, Newest: true, Limit: 1})
	if err != nil || len(told) != 1 || told[0].EventType != tool.PowerDenied || !strings.Contains(string(told[0].Data), "http://a.test/") {
		t.Errorf("the audit log ends with %+v, %v", told, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = h.Call(canceled, ann.Caller, "maybe", json.RawMessage(`{"n":0}`))
	wants(t, "canceled", err, tool.Canceled, "")
	if err := h.shelf.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	now, err := h.shelf.Get(t.Context(), "acme", r.ID)
	if err != nil {
		t.Fatal(err)
	}
	if u := now.UsageStats; u.TotalUses != 3 || u.SuccessCount != 1 || h.used.Load() != 1 {
		t.Errorf("%+v, %d told", u, h.used.Load())
	}
}

// Steps take the one way: the caller's identity, rights and schemas, the state of each tool, its usage.
func TestCallOfPipelines(t *testing.T) {
	t.Parallel()
	revoked := atomic.Bool{}
	h := host(t, runtime.HostOptions{Permit: func(_ tool.Caller, name string) bool { return name != "echo" || !revoked.Load() }})
	inner := h.put(t, ann, "twice", code("function execute({ n }) { return { n: n * 2 } }"))
	h.put(t, ann, "fourfold", steps("twice", `"$input.n"`, "twice", `"$prev.n"`))
	h.put(t, ann, "echoes", steps("echo", `"$input.n"`))
	h.put(t, ann, "lied_to", steps("liar", `1`, "echo", `"$prev.n"`))
	call := func(name string) (string, error) {
		result, err := h.Call(t.Context(), ann.Caller, name, json.RawMessage(`{"n":3}`))
		return string(result.Output), err
	}
	if got, err := call("fourfold"); err != nil || got != `{"n":12}` {
		t.Errorf("%s %v", got, err)
	}
	_, err := call("lied_to")
	wants(t, "a step breaks its schema", err, tool.InvalidOutput, "s0")
	if strings.Contains(err.Error(), "CANARY") {
		t.Errorf("the error shows data: %v", err)
	}
	if _, err := call("echoes"); err != nil {
		t.Error(err)
	}
	revoked.Store(true)
	_, err = call("echoes")
	wants(t, "a right was withdrawn", err, tool.Denied, "echo")
	if _, err := h.shelf.Suspend(t.Context(), ann, inner.ID, tool.ByAdmin); err != nil {
		t.Fatal(err)
	}
	_, err = call("fourfold")
	wants(t, "a step is suspended", err, tool.Suspended, "twice")
	if err := h.shelf.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := h.shelf.Get(t.Context(), "acme", inner.ID); err != nil || r.UsageStats.TotalUses != 2 {
		t.Errorf("the inner tool has %+v, %v", r.UsageStats, err)
	}
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{Permit: func(_ tool.Caller, name string) bool { return name != "upper" }, MaxSteps: 3})
	h.put(t, ann, "first", steps("echo", `1`))
	asks := code("function execute() { return { n: 1 } }")
	asks.Allowlist = []string{"fetch"}
	long := code("function execute() { return 1 }")
	long.TimeoutMs = 3_600_000
	for name, c := range map[string]struct {
		impl tool.Implementation
		code tool.Code
		text string
	}{
		"banned":           {code("function execute() { return eval('1') }"), tool.InvalidSource, "eval"},
		"syntax":           {code("function execute( { return 1 }"), tool.InvalidSource, ""},
		"throws":           {code("throw new Error('at once'); function execute() {}"), tool.GuestError, "at once"},
		"too long":         {long, tool.InvalidRequest, "timeoutMs"},
		"no mode":          {tool.Implementation{Mode: "native"}, tool.InvalidRequest, "mode"},
		"no steps":         {tool.Implementation{Mode: tool.ComposeMode}, tool.InvalidRequest, "step"},
		"unknown tool":     {steps("nope", `1`), tool.InvalidRequest, `"nope"`},
		"not permitted":    {steps("upper", `1`), tool.InvalidRequest, "may not call upper"},
		"a meta tool":      {steps("forge_tool", `1`), tool.InvalidRequest, "forge_tool"},
		"itself":           {steps("mine", `1`), tool.InvalidRequest, "mine"},
		"too many":         {steps("echo", `1`, "echo", `1`, "echo", `1`, "echo", `1`), tool.InvalidRequest, "3"},
		"a later step":     {steps("echo", `"$steps[1]"`, "echo", `1`), tool.InvalidRequest, ""},
		"what others have": {steps("bobs", `1`), tool.InvalidRequest, "bobs"},
	} {
		_, _, err := h.Prepare(t.Context(), ann.Caller, "mine", c.impl)
		wants(t, name, err, c.code, c.text)
	}
	report, try, err := h.Prepare(t.Context(), ann.Caller, "mine", asks)
	if err != nil || len(report.Unused) != 1 || len(report.Flags) != 1 || report.SideEffects {
		t.Fatalf("%+v %v", report, err)
	}
	result := try(t.Context(), tool.Trial{Input: json.RawMessage(`{}`), Now: time.Unix(1, 0), Seed: 1})
	if string(result.Output) != `{"n":1}` || result.Fuel == 0 || result.MemoryBytes == 0 {
		t.Errorf("%+v", result)
	}
	result = try(t.Context(), tool.Trial{Input: json.RawMessage(`{}`), Now: time.Unix(1, 0), Seed: 1, Fuel: 10})
	wants(t, "little fuel", result.Err, tool.OutOfFuel, "")
}

// Circles that only a later version closes are found then.
func TestPrepareFindsCircles(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	h.put(t, ann, "a", steps("echo", `1`))
	h.put(t, ann, "b", steps("a", `1`))
	_, _, err := h.Prepare(t.Context(), ann.Caller, "a", steps("b", `1`))
	wants(t, "circle", err, tool.InvalidRequest, "a -> b -> a")
}

// A call waits for room, and is refused when it has waited in vain or its minute is used up.
func TestCallsAreAdmitted(t *testing.T) {
	t.Parallel()
	now := time.Unix(600, 0)
	h := host(t, runtime.HostOptions{
		Quota:     func(string) tool.Quota { return tool.Quota{ConcurrentCalls: 1} },
		Admission: runtime.Admission{Wait: time.Millisecond}, SessionCallsPerMinute: 3, Now: func() time.Time { return now },
	})
	entered, leave := make(chan struct{}), make(chan struct{})
	err := h.Register(hostTool("wait", anyObject, "", func(in json.RawMessage) (json.RawMessage, error) {
		entered <- struct{}{}
		<-leave
		return in, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { _, _ = h.Call(context.Background(), bob.Caller, "wait", json.RawMessage(`{}`)) })
	<-entered
	if got := h.Load(); got != (runtime.Load{Running: 1}) {
		t.Errorf("%+v", got)
	}
	_, err = h.Call(t.Context(), ann.Caller, "echo", json.RawMessage(`{}`))
	wants(t, "another runs", err, tool.OverQuota, "concurrentCalls: 1 calls")
	close(leave)
	running.Wait()
	for range 2 {
		if _, err := h.Call(t.Context(), ann.Caller, "echo", json.RawMessage(`{}`)); err != nil {
			t.Error(err)
		}
	}
	_, err = h.Call(t.Context(), ann.Caller, "echo", json.RawMessage(`{}`))
	wants(t, "the minute is used up", err, tool.OverQuota, "maxCallsPerMinute: 3 calls")
	if _, err := h.Call(t.Context(), bob.Caller, "echo", json.RawMessage(`{}`)); err != nil {
		t.Errorf("another session: %v", err)
	}
}

// Fuel is charged to whoever calls, for steps of composed tools and trials as well, and memory is what the quota leaves.
func TestQuotasOfCode(t *testing.T) {
	t.Parallel()
	var most atomic.Int64
	most.Store(1e12)
	h := host(t, runtime.HostOptions{Quota: func(tenant string) tool.Quota {
		return tool.Quota{FuelPerMinute: most.Load(), MemoryMB: 64}
	}})
	h.put(t, ann, "fills", code("function execute({ n }) { return { n: new Uint8Array(n << 20).length >> 20 } }"))
	h.put(t, ann, "twice", steps("fills", `"$input.n"`, "fills", `"$prev.n"`))
	for _, name := range []string{"fills", "twice"} {
		if result, err := h.Call(t.Context(), ann.Caller, name, json.RawMessage(`{"n":40}`)); err != nil || string(result.Output) != `{"n":40}` {
			t.Errorf("%s: %s %v", name, result.Output, err)
		}
		_, err := h.Call(t.Context(), ann.Caller, name, json.RawMessage(`{"n":90}`))
		wants(t, name, err, tool.OutOfMemory, "")
	}
	most.Store(1)
	for _, name := range []string{"fills", "twice", "echo"} {
		_, err := h.Call(t.Context(), ann.Caller, name, json.RawMessage(`{"n":1}`))
		wants(t, name, err, tool.OverQuota, "fuelPerMinute: ")
	}
	other := caller("ann", "1")
	other.Tenant = "trials"
	_, try, err := h.Prepare(t.Context(), other.Caller, "mine", code("function execute() { return 1 }"))
	if err != nil {
		t.Fatal(err)
	}
	if result := try(t.Context(), tool.Trial{Input: json.RawMessage(`{}`)}); result.Err != nil {
		t.Fatal(result.Err)
	}
	_, err = h.Call(t.Context(), other.Caller, "echo", json.RawMessage(`{}`))
	wants(t, "after a trial", err, tool.OverQuota, "fuelPerMinute: ")
}

// A tool that begins to behave otherwise is flagged, and its calls succeed all the same.
func TestDrift(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	impl := code("function execute({ n }) { return n < 100 ? { n } : { n, more: true } }")
	_, err := h.shelf.Put(t.Context(), ann, tool.Draft{
		Name: "drifts", Description: "d", InputSchema: json.RawMessage(anyObject), OutputSchema: json.RawMessage(anyObject), Implementation: impl,
		Verdict: tool.CreationVerdict{Approved: true, Confidence: 0.9},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		result, err := h.Call(t.Context(), ann.Caller, "drifts", fmt.Appendf(nil, `{"n":%d}`, i))
		if err != nil || strings.Contains(result.Reuse.AnomalyReason, "shape") {
			t.Fatalf("call %d: %+v %v", i, result.Reuse, err)
		}
	}
	result, err := h.Call(t.Context(), ann.Caller, "drifts", json.RawMessage(`{"n":100}`))
	if err != nil || !result.Reuse.Anomaly || !strings.Contains(result.Reuse.AnomalyReason, "shape") {
		t.Errorf("%+v %v", result.Reuse, err)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{Permit: func(_ tool.Caller, name string) bool { return name != "liar" }})
	h.put(t, ann, "mine", code("function execute() { return { n: 1 } }"))
	off := h.put(t, ann, "off", code("function execute() { return { n: 1 } }"))
	if _, err := h.shelf.Suspend(t.Context(), ann, off.ID, tool.ByAdmin); err != nil {
		t.Fatal(err)
	}
	names := func(who tool.Actor) string {
		list, err := h.Tools(t.Context(), who.Caller)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, face := range list {
			all = append(all, face.Name)
		}
		return strings.Join(all, " ")
	}
	if got, want := names(ann), "broken echo failing large latin mine panics upper"; got != want {
		t.Errorf("ann sees %s, want %s", got, want)
	}
	if got, want := names(bob), "broken echo failing large latin panics upper"; got != want {
		t.Errorf("bob sees %s, want %s", got, want)
	}
}
