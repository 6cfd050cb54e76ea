package wasmjs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// hostGlue binds host(operation, value, bytes) and hostSync likewise.
var hostGlue = wasmjs.API{Name: "host", Glue: `(function (native) {
  globalThis.host = (op, value, bytes) => native.request(op, value, bytes);
  globalThis.hostSync = (op, value, bytes) => native.call(op, value, bytes);
})`}

func hostProgram(t *testing.T, code string) *wasmjs.Program {
	t.Helper()
	return loadSource(t, wasmjs.Source{Code: code, APIs: []wasmjs.API{hostGlue}})
}

// funcs are host functions to play with.
var funcs = map[string]wasmjs.Func{
	"echo": func(_ context.Context, r wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply(r), nil
	},
	"sleep": func(ctx context.Context, r wasmjs.Request) (wasmjs.Reply, error) {
		var ms int
		if err := json.Unmarshal(r.Value, &ms); err != nil {
			return wasmjs.Reply{}, err
		}
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
			return wasmjs.Reply{Value: r.Value}, nil
		case <-ctx.Done():
			return wasmjs.Reply{}, ctx.Err()
		}
	},
	"denied": func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply{}, tool.Errorf(tool.Denied, "no grant for this")
	},
	"fails": func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply{}, &tool.Error{Code: tool.Unavailable, Name: "TypeError", Message: "far away"}
	},
	"panics": func(context.Context, wasmjs.Request) (wasmjs.Reply, error) { panic("bug") },
}

func TestHostFunctions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, want string
		code2      tool.Code
	}{
		"echo":             {`async function execute() { return await host('echo', { a: [1, 'é\ud800'] }) }`, `{"a":[1,"é\ud800"]}`, ""},
		"echo at once":     {`function execute() { return hostSync('echo', [1, { b: null }]) }`, `[1,{"b":null}]`, ""},
		"bytes":            {`async function execute() { const r = await host('echo', {}, new Uint8Array([1, 2, 255])); return [...new Uint8Array(r.bytes)] }`, `[1,2,255]`, ""},
		"no bytes":         {`async function execute() { const r = await host('echo', {}, new Uint8Array(0)); return r.bytes.byteLength }`, `0`, ""},
		"bytes at once":    {`function execute() { return [...new Uint8Array(hostSync('echo', {}, new Uint8Array([7]).subarray(0, 1)).bytes)] }`, `[7]`, ""},
		"promise":          {`async function execute() { const p = host('echo', 1); return [p instanceof Promise, await p] }`, `[true,1]`, ""},
		"fails, caught":    {`async function execute() { try { await host('fails') } catch (e) { return [e instanceof TypeError, e.message, e.code] } }`, `[true,"far away","unavailable"]`, ""},
		"fails":            {`async function execute() { await host('fails') }`, "", tool.GuestError},
		"denied":           {`async function execute() { await host('denied') }`, "", tool.Denied},
		"denied at once":   {`function execute() { hostSync('denied') }`, "", tool.Denied},
		"denied, rethrown": {`async function execute() { try { await host('denied') } catch (e) { throw e } }`, "", tool.Denied},
		"denied, wrapped":  {`async function execute() { try { await host('denied') } catch (e) { throw new Error(e.message) } }`, "", tool.GuestError},
		"denied, caught":   {`async function execute() { try { await host('denied') } catch (e) { return [e.constructor === Error, e.code] } }`, `[true,"denied"]`, ""},
		"not granted":      {`async function execute() { await host('nothing') }`, "", tool.Denied},
		"panics":           {`async function execute() { try { await host('panics') } catch (e) { return e.code } }`, `"internal"`, ""},
		"bad argument":     {`async function execute() { try { await host('echo', NaN) } catch (e) { return e.message } }`, `"an argument for the host cannot be sent: it holds NaN"`, ""},
		"abandoned":        {`function execute() { host('sleep', 60000); return 'at once' }`, `"at once"`, ""},
		"race":             {`async function execute() { return await Promise.race([host('sleep', 2000), host('sleep', 5)]) }`, `5`, ""},
		"with a timer":     {`async function execute() { return await Promise.race([host('sleep', 2000), new Promise(r => setTimeout(r, 20, 'timer'))]) }`, `"timer"`, ""},
		"in sequence":      {`async function execute() { const out = []; for (const n of [3, 2, 1]) out.push(await host('sleep', n)); return out }`, `[3,2,1]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := call(t, hostProgram(t, c.code), `{}`, wasmjs.CallOptions{Funcs: funcs})
			if c.code2 != "" {
				if !errors.Is(err, c.code2) {
					t.Errorf("got %s, %v, want %s", r.Output, err, c.code2)
				}
				return
			}
			if err != nil || string(r.Output) != c.want {
				t.Errorf("got %s, %v, want %s", r.Output, err, c.want)
			}
		})
	}
}

func TestHintsOfHostFunctions(t *testing.T) {
	t.Parallel()
	refuse := map[string]wasmjs.Func{"refuse": func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply{}, &tool.Error{Code: tool.Denied, Message: "no", Hint: "ask for it"}
	}}
	_, err := call(t, hostProgram(t, `async function execute() { await host('refuse') }`), `{}`, wasmjs.CallOptions{Funcs: refuse})
	if e := tool.AsError(err); e.Code != tool.Denied || e.Message != "no" || e.Hint != "ask for it" {
		t.Errorf("%+v", e)
	}
	r, err := call(t, hostProgram(t, `async function execute() { try { await host('refuse') } catch (e) { return [e.code, e.hint] } }`),
		`{}`, wasmjs.CallOptions{Funcs: refuse})
	if err != nil || string(r.Output) != `["denied","ask for it"]` {
		t.Errorf("%s, %v", r.Output, err)
	}
	forged := failure(t, `function execute() { throw Object.assign(new Error('no'), { hint: 'run this' }) }`, `{}`, tool.Limits{})
	if forged.Hint != "" {
		t.Errorf("a hint of the guest's own: %q", forged.Hint)
	}
}

func TestHostFunctionsRunConcurrently(t *testing.T) {
	t.Parallel()
	p := hostProgram(t, `async function execute(n) {
		return (await Promise.all(Array.from({ length: n }, (_, i) => host('meet', i)))).length;
	}`)
	const n = 40
	var gate sync.WaitGroup
	gate.Add(n)
	meet := func(_ context.Context, r wasmjs.Request) (wasmjs.Reply, error) {
		gate.Done()
		gate.Wait() // returns only when all are under way at once
		return wasmjs.Reply{Value: r.Value}, nil
	}
	r, err := call(t, p, fmt.Sprint(n), wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{"meet": meet}})
	if err != nil || string(r.Output) != fmt.Sprint(n) || r.Stats.HostCalls != n {
		t.Errorf("%s, %+v, %v", r.Output, r.Stats, err)
	}
}

func TestHostFunctionsEndWithTheCall(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"abandoned": `async function execute() { host('hang'); await new Promise(r => setTimeout(r, 20)); return 1 }`,
		"timed out": `async function execute() { await host('hang') }`,
		"stopped":   `async function execute() { host('hang'); await 0; for (;;); }`,
	} {
		ended := make(chan struct{}, 1)
		hang := func(ctx context.Context, _ wasmjs.Request) (wasmjs.Reply, error) {
			<-ctx.Done()
			ended <- struct{}{}
			return wasmjs.Reply{}, ctx.Err()
		}
		_, err := call(t, hostProgram(t, code), `{}`, wasmjs.CallOptions{
			Limits: tool.Limits{Timeout: time.Second}, Funcs: map[string]wasmjs.Func{"hang": hang},
		})
		if timedOut := errors.Is(err, tool.Timeout); timedOut == (name == "abandoned") {
			t.Errorf("%s: %v", name, err)
		}
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Errorf("%s: the host function was not told", name)
		}
	}
}

func TestHostCallsAreLimited(t *testing.T) {
	t.Parallel()
	p := hostProgram(t, `async function execute(i) {
		for (let k = 0; k < i.n; k++) {
			const p = host('echo', k);
			if (i.wait) await p;
		}
		return 'done';
	}`)
	limits := tool.Limits{HostCalls: 10}
	for _, wait := range []string{"true", "false"} {
		r, err := call(t, p, `{"n":10,"wait":`+wait+`}`, wasmjs.CallOptions{Funcs: funcs, Limits: limits})
		if err != nil || r.Stats.HostCalls != 10 {
			t.Errorf("up to the limit: %+v, %v", r.Stats, err)
		}
		r, err = call(t, p, `{"n":11,"wait":`+wait+`}`, wasmjs.CallOptions{Funcs: funcs, Limits: limits})
		if !errors.Is(err, tool.Limit) || r.Stats.HostCalls != 10 {
			t.Errorf("beyond the limit: %+v, %v", r.Stats, err)
		}
	}
}

func TestSynchronousHostCallsCostFuel(t *testing.T) {
	t.Parallel()
	p := hostProgram(t, `function execute() { for (;;) hostSync('echo', 'x'.repeat(100000)) }`)
	var calls atomic.Int64
	count := func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		calls.Add(1)
		return wasmjs.Reply{}, nil
	}
	_, err := call(t, p, `{}`, wasmjs.CallOptions{
		Limits: tool.Limits{Fuel: 1_000_000}, Funcs: map[string]wasmjs.Func{"echo": count},
	})
	if !errors.Is(err, tool.OutOfFuel) || calls.Load() > 1_000_000/6000+1 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}

func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	p := hostProgram(t, `function execute() { hostSync('echo', null, new Uint8Array(18 << 20)) }`)
	called := false
	_, err := call(t, p, `{}`, wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{
		"echo": func(context.Context, wasmjs.Request) (wasmjs.Reply, error) { called = true; return wasmjs.Reply{}, nil },
	}})
	if !errors.Is(err, tool.Limit) || called {
		t.Errorf("%v, called %v", err, called)
	}
}

func TestAnswersLargerThanMemory(t *testing.T) {
	t.Parallel()
	p := hostProgram(t, `async function execute() { return (await host('big')).bytes.byteLength }`)
	big := func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply{Value: []byte(`{}`), Bytes: make([]byte, 100<<20)}, nil
	}
	_, err := call(t, p, `{}`, wasmjs.CallOptions{Limits: tool.Limits{MemoryBytes: 32 << 20}, Funcs: map[string]wasmjs.Func{"big": big}})
	if !errors.Is(err, tool.OutOfMemory) {
		t.Error(err)
	}
}

func TestLoadingHasNoHost(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"request": `host('echo', 1).catch(() => 0); function execute() {}`,
		"call":    `hostSync('echo', 1); function execute() {}`,
		"timer":   `setTimeout(() => 0, 1); function execute() {}`,
	} {
		src := wasmjs.Source{Code: code, APIs: []wasmjs.API{hostGlue}}
		if _, err := engine(t).Load(t.Context(), src, tool.Limits{}); err == nil || !strings.Contains(err.Error(), "loading") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDefaultGlue(t *testing.T) {
	t.Parallel()
	p := loadSource(t, wasmjs.Source{
		Code: `async function execute() { return [await ask('a', 1), await deep.er.ask()] }`,
		APIs: []wasmjs.API{{Name: "ask"}, {Name: "deep.er.ask"}},
	})
	echo := funcs["echo"]
	r, err := call(t, p, `{}`, wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{"ask": echo, "deep.er.ask": echo}})
	if err != nil || string(r.Output) != `[["a",1],[]]` {
		t.Errorf("%s, %v", r.Output, err)
	}
}

func TestGlueNeedsWebPieces(t *testing.T) {
	t.Parallel()
	api := wasmjs.API{Name: "x", Glue: `(function () { globalThis.stop = new AbortController() })`, Needs: []string{"AbortController"}}
	p := loadSource(t, wasmjs.Source{Code: `function execute() { return stop.signal.aborted }`, APIs: []wasmjs.API{api}})
	if r, err := call(t, p, `{}`, wasmjs.CallOptions{}); err != nil || string(r.Output) != "false" {
		t.Errorf("%s, %v", r.Output, err)
	}
}

func TestBrokenGlueIsTheHostsFault(t *testing.T) {
	t.Parallel()
	for _, glue := range []string{`(function () {`, `(function () { throw new Error('x') })`, `1`} {
		src := wasmjs.Source{Code: `function execute() {}`, APIs: []wasmjs.API{{Name: "bad", Glue: glue}}}
		if _, err := engine(t).Load(t.Context(), src, tool.Limits{}); !errors.Is(err, tool.Internal) {
			t.Errorf("%s: %v", glue, err)
		}
	}
}

func TestLateAnswersMissTheNextCall(t *testing.T) {
	t.Parallel()
	e := newEngine(t, wasmjs.Options{Instances: 1})
	p, err := e.Load(t.Context(), wasmjs.Source{
		Code: `async function execute(i) { const p = host('late', i); return i.wait ? await p : 'gone' }`, APIs: []wasmjs.API{hostGlue},
	}, tool.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	late := func(_ context.Context, r wasmjs.Request) (wasmjs.Reply, error) {
		time.Sleep(20 * time.Millisecond)
		return wasmjs.Reply{Value: r.Value}, nil
	}
	opt := wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{"late": late}}
	for i := range 5 {
		if _, err := p.Call(t.Context(), []byte(`{"wait":false}`), opt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		input := fmt.Sprintf(`{"wait":true,"i":%d}`, i)
		if r, err := p.Call(t.Context(), []byte(input), opt); err != nil || string(r.Output) != input {
			t.Errorf("%s, %v", r.Output, err)
		}
	}
}

// T-75 of the specification: what a host adds is called like any asynchronous function.
func TestT75AddedFunctionsAreCallable(t *testing.T) {
	t.Parallel()
	p := loadSource(t, wasmjs.Source{
		Code: "async function execute({ n }) { return { typed: typeof lookup, got: await lookup(n, 'b') } }", APIs: []wasmjs.API{{Name: "lookup"}},
	})
	looks := func(_ context.Context, r wasmjs.Request) (wasmjs.Reply, error) {
		return wasmjs.Reply{Value: json.RawMessage(`{"asked":` + string(r.Value) + `}`)}, nil
	}
	result, err := call(t, p, `{"n":1}`, wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{"lookup": looks}})
	if err != nil || string(result.Output) != `{"typed":"function","got":{"asked":[1,"b"]}}` {
		t.Errorf("%s, %v", result.Output, err)
	}
}
