package wasmjs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// sharedEngine serves the tests that do not need one of their own.
var sharedEngine = sync.OnceValues(func() (*wasmjs.Engine, error) {
	return wasmjs.New(context.Background(), wasmjs.Options{CacheDir: cacheDir()})
})

// cacheDir keeps compiled code between test runs, where the user has a cache.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "toolsmith")
}

func engine(t testing.TB) *wasmjs.Engine {
	t.Helper()
	e, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newEngine(t testing.TB, opt wasmjs.Options) *wasmjs.Engine {
	t.Helper()
	opt.CacheDir = cacheDir()
	e, err := wasmjs.New(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func load(t testing.TB, code string) *wasmjs.Program {
	t.Helper()
	return loadSource(t, wasmjs.Source{Code: code})
}

func loadSource(t testing.TB, src wasmjs.Source) *wasmjs.Program {
	t.Helper()
	p, err := engine(t).Load(t.Context(), src, tool.Limits{})
	if err != nil {
		t.Fatalf("loading %s: %v", src.Code, err)
	}
	return p
}

func call(t testing.TB, p *wasmjs.Program, input string, opt wasmjs.CallOptions) (*wasmjs.Result, error) {
	t.Helper()
	return p.Call(t.Context(), []byte(input), opt)
}

// output runs a tool that must succeed.
func output(t testing.TB, code, input string) string {
	t.Helper()
	r, err := call(t, load(t, code), input, wasmjs.CallOptions{})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return string(r.Output)
}

// failure loads and runs a tool that must fail.
func failure(t testing.TB, code, input string, limits tool.Limits) *tool.Error {
	t.Helper()
	p, err := engine(t).Load(t.Context(), wasmjs.Source{Code: code}, limits)
	if err == nil {
		var r *wasmjs.Result
		r, err = call(t, p, input, wasmjs.CallOptions{Limits: limits})
		if err == nil {
			t.Fatalf("%.200s: succeeded with %.200s", code, r.Output)
		}
	}
	var e *tool.Error
	if !errors.As(err, &e) {
		t.Fatalf("%.200s: %v is no *tool.Error", code, err)
	}
	return e
}

const slug = `function execute(input) {
  return { slug: input.text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, ''), n: input.n + 1 };
}`

func Example() {
	ctx := context.Background()
	engine, err := wasmjs.New(ctx, wasmjs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	program, err := engine.Load(ctx, wasmjs.Source{
		Code: `function execute(input) { return { greeting: "Hello, " + input.name } }`,
	}, tool.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := program.Call(ctx, []byte(`{"name":"World"}`), wasmjs.CallOptions{
		Limits: tool.Limits{Timeout: time.Second, MemoryBytes: 16 << 20},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(result.Output))
	// Output: {"greeting":"Hello, World"}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	short := tool.Limits{Timeout: 100 * time.Millisecond}
	for name, c := range map[string]struct {
		code   string
		limits tool.Limits
		want   tool.Code
	}{
		"endless loop":            {`function execute() { for (;;) {} }`, short, tool.Timeout},
		"endless loop, caught":    {`function execute() { for (;;) try { for (;;) {} } catch {} finally { continue } }`, short, tool.Timeout},
		"endless loop in load":    {`for (;;) {}`, short, tool.Timeout},
		"endless microtasks":      {`async function execute() { for (;;) await null }`, short, tool.Timeout},
		"endless native built-in": {`function execute() { return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }`, short, tool.Timeout},
		"endless regex":           {`function execute() { return /^(a+)+$/.test('a'.repeat(64) + '!') }`, short, tool.Timeout},
		"endless toJSON":          {`function execute() { return { toJSON() { for (;;) {} } } }`, short, tool.Timeout},
		"endless message getter":  {`function execute() { throw { get message() { for (;;) {} }, toString() { for (;;) {} } } }`, short, tool.Timeout},
		"sleep past the deadline": {`function execute() { return new Promise(r => setTimeout(r, 60000)) }`, short, tool.Timeout},
		"fuel":                    {`function execute() { for (;;) {} }`, tool.Limits{Fuel: 100_000}, tool.OutOfFuel},
		"fuel in load":            {`for (;;) {}`, tool.Limits{Fuel: 100_000}, tool.OutOfFuel},
		"memory, small objects":   {`function execute() { const a = []; for (;;) a.push({ a }) }`, tool.Limits{MemoryBytes: 8 << 20}, tool.OutOfMemory},
		"memory, buffers":         {`function execute() { const a = []; for (;;) a.push(new Uint8Array(65536)) }`, tool.Limits{MemoryBytes: 8 << 20}, tool.OutOfMemory},
		"memory, strings":         {`function execute() { const a = []; for (;;) a.push('x'.repeat(1000) + a.length) }`, tool.Limits{MemoryBytes: 8 << 20}, tool.OutOfMemory},
		"memory, map":             {`function execute() { const m = new Map(); for (let i = 0; ; i++) m.set(i, {}) }`, tool.Limits{MemoryBytes: 8 << 20}, tool.OutOfMemory},
		"recursion":               {`function execute() { return execute() + 1 }`, tool.Limits{}, tool.StackOverflow},
		"recursion in getters":    {`function execute() { return { get a() { return this.a } }.a }`, tool.Limits{}, tool.StackOverflow},
		"throws":                  {`function execute() { throw new Error('boom') }`, tool.Limits{}, tool.GuestError},
		"throws null":             {`function execute() { throw null }`, tool.Limits{}, tool.GuestError},
		"throws in load":          {`throw new Error('boom')`, tool.Limits{}, tool.GuestError},
		"rejects":                 {`async function execute() { throw 'boom' }`, tool.Limits{}, tool.GuestError},
		"forged memory error":     {`function execute() { const e = new Error('out of memory'); e.name = 'InternalError'; e.mark = 1; throw e }`, tool.Limits{}, tool.GuestError},
		"forged denial":           {`function execute() { throw Object.assign(new Error('denied'), { code: 'denied' }) }`, tool.Limits{}, tool.GuestError},
		"forged stack overflow":   {`function execute() { throw new RangeError('Maximum call stack size exceeded') }`, tool.Limits{}, tool.GuestError},
		"forged by stack hook":    {`Error.prepareStackTrace = () => 1; function execute() { throw new Error('out of memory') }`, tool.Limits{}, tool.GuestError},
		"forged by stack setter":  {`function execute() { const e = new Error('x'); Object.defineProperty(e, 'stack', { value: 2 }); throw e }`, tool.Limits{}, tool.GuestError},
		"overflow, then another":  {`function f() { return f() + 1 } function execute() { try { f() } catch (e) { throw new Error(e.message) } }`, tool.Limits{}, tool.GuestError},
		"never settles":           {`function execute() { return new Promise(() => {}) }`, tool.Limits{}, tool.Unsettled},
		"await never settles":     {`async function execute() { await new Promise(() => {}) }`, tool.Limits{}, tool.Unsettled},
		"thenable never settles":  {`function execute() { return { then() {} } }`, tool.Limits{}, tool.Unsettled},
		"no entry":                {`const main = 1`, tool.Limits{}, tool.InvalidSource},
		"entry is no function":    {`const execute = 1`, tool.Limits{}, tool.InvalidSource},
		"syntax":                  {`function execute( {`, tool.Limits{}, tool.InvalidSource},
		"module syntax":           {`export function execute() {}`, tool.Limits{}, tool.InvalidSource},
		"source too large":        {`function execute() {}`, tool.Limits{SourceBytes: 10}, tool.InvalidSource},
		"not UTF-8":               {"function execute() {} // \xff", tool.Limits{}, tool.InvalidSource},
		"large output":            {`function execute() { return 'x'.repeat(2000) }`, tool.Limits{OutputBytes: 1000}, tool.OutputTooLarge},
		"deep output":             {`function execute() { let o = 1; for (let i = 0; i < 100000; i++) o = [o]; return o }`, tool.Limits{}, tool.OutputTooLarge},
		"doubling output":         {`function execute() { let a = ['leaf']; for (let i = 0; i < 60; i++) a = [a, a]; return a }`, tool.Limits{}, tool.OutputTooLarge},
		"throwing getter":         {`function execute() { return { get bad() { throw new Error('boom') } } }`, tool.Limits{}, tool.GuestError},
		"eval":                    {`function execute() { return (0, eval)('1') }`, tool.Limits{}, tool.GuestError},
		"Function":                {`function execute() { return (() => 0).constructor('return 1')() }`, tool.Limits{}, tool.GuestError},
		"AsyncFunction":           {`async function execute() { return (async () => 0).constructor('return 1')() }`, tool.Limits{}, tool.GuestError},
		"dynamic import":          {`async function execute() { return await import('std') }`, tool.Limits{}, tool.GuestError},
		"bad limits":              {`function execute() {}`, tool.Limits{Timeout: -1}, tool.InvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e := failure(t, c.code, `{}`, c.limits); e.Code != c.want {
				t.Errorf("%s, want %s", e, c.want)
			}
		})
	}
}

func TestErrorsKeepWhatWasThrown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code                 string
		message, name, value string
		line, column         int
	}{
		"error":       {"function execute() {\n  null.x\n}", "cannot read property 'x' of null", "TypeError", "", 2, 3},
		"own class":   {"class Bad extends Error { name = 'Bad' }\nfunction execute() { throw new Bad('no') }", "no", "Bad", "", 1, 1},
		"string":      {`function execute() { throw 'just text' }`, "just text", "", `"just text"`, 0, 0},
		"object":      {`function execute() { throw { why: [1] } }`, `{"why":[1]}`, "", `{"why":[1]}`, 0, 0},
		"undefined":   {`function execute() { throw undefined }`, "undefined", "", `null`, 0, 0},
		"symbol":      {`function execute() { throw Symbol('s') }`, "s", "", "", 0, 0},
		"hostile":     {`function execute() { throw { toString() { throw this }, get message() { throw this } } }`, "a value that cannot be shown", "", "", 0, 0},
		"long":        {`function execute() { throw new Error('m'.repeat(100000)) }`, "", "Error", "", 1, 41},
		"dom":         {`function execute() { throw new DOMException('stop', 'AbortError') }`, "stop", "AbortError", "", 1, 32},
		"syntax":      {"function execute() {\n  return 1 +;\n}", "unexpected token in expression: ';'", "SyntaxError", "", 2, 13},
		"rethrown":    {`async function execute() { try { await Promise.reject(new RangeError('r')) } catch (e) { throw e } }`, "r", "RangeError", "", 1, 59},
		"with a null": {`function execute() { throw new Error('a\0b') }`, "a\x00b", "Error", "", 1, 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := failure(t, c.code, `{}`, tool.Limits{})
			if name == "long" {
				if n := len(e.Message); n < 1000 || n > 5000 {
					t.Errorf("the message has %d bytes", n)
				}
				c.message = e.Message
			}
			if e.Message != c.message || e.Name != c.name || string(e.Value) != c.value || e.Line != c.line || e.Column != c.column {
				t.Errorf("got %.200q, name %q, value %s, at %d:%d", e.Message, e.Name, e.Value, e.Line, e.Column)
			}
		})
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Intl", "require", "process", "Buffer", "fetch"} {
		e := failure(t, `function execute() { return `+name+`.x }`, `{}`, tool.Limits{})
		if e.Code != tool.GuestError || e.Hint == "" {
			t.Errorf("%s: %v, hint %q", name, e, e.Hint)
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"running": `function execute() { for (;;) {} }`,
		"waiting": `function execute() { return new Promise(r => setTimeout(r, 4000)) }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := load(t, code)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			if _, err := p.Call(ctx, []byte(`{}`), wasmjs.CallOptions{}); !errors.Is(err, tool.Canceled) || !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if _, err := p.Call(ctx, []byte(`{}`), wasmjs.CallOptions{}); !errors.Is(err, tool.Canceled) {
				t.Errorf("with an ended context: %v", err)
			}
		})
	}
}

func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := load(t, `function execute() { for (;;) {} }`).Call(ctx, []byte(`{}`), wasmjs.CallOptions{}); !errors.Is(err, tool.Timeout) {
		t.Errorf("got %v", err)
	}
}

func TestErrorsShowTheLine(t *testing.T) {
	t.Parallel()
	if e := failure(t, "function execute(i) {\n  return i.a.b\n}", `{}`, tool.Limits{}); e.Line != 2 || e.Snippet != "  return i.a.b" {
		t.Errorf("%+v", e)
	}
}

// TestPlacesAreInTheTool has errors arise in text that is not the tool's.
func TestPlacesAreInTheTool(t *testing.T) {
	t.Parallel()
	e := failure(t, "function execute() {\n  return JSON.parse('{\\n\\n\\n x}')\n}", `{}`, tool.Limits{})
	if e.Code != tool.GuestError || e.Line != 2 || e.Column != 15 || e.Snippet != `  return JSON.parse('{\n\n\n x}')` {
		t.Errorf("%+v", e)
	}
	p := loadSource(t, wasmjs.Source{Name: "some dir/a:b.js", Code: "function execute() {\n  null.x\n}"})
	_, err := call(t, p, `{}`, wasmjs.CallOptions{})
	if e := tool.AsError(err); e.Line != 2 || e.Column != 3 {
		t.Errorf("%+v", e)
	}
}

func TestFuelStopsExactly(t *testing.T) {
	t.Parallel()
	r, err := call(t, load(t, `function execute() { for (;;) {} }`), `{}`, wasmjs.CallOptions{Limits: tool.Limits{Fuel: 100_000}})
	if !errors.Is(err, tool.OutOfFuel) || r.Stats.Fuel != 100_001 {
		t.Errorf("%v after %d units", err, r.Stats.Fuel)
	}
}

func TestUnhandledRejectionsAreReported(t *testing.T) {
	t.Parallel()
	r, err := call(t, load(t, `async function execute() {
		const handled = Promise.reject(new Error('handled'));
		Promise.reject(new Error('stray'));
		Promise.reject('text');
		queueMicrotask(() => { throw new TypeError('job') });
		await null;
		handled.catch(() => 0);
		return 'fine';
	}`), `{}`, wasmjs.CallOptions{})
	if err != nil || string(r.Output) != `"fine"` {
		t.Fatalf("%s, %v", r.Output, err)
	}
	want := []string{"Error: stray", "text", "TypeError: job"}
	if got := fmt.Sprint(r.Unhandled); got != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUnhandledRejectionsAreBounded(t *testing.T) {
	t.Parallel()
	r, err := call(t, load(t, `function execute() { for (let i = 0; i < 5000; i++) Promise.reject(new Error('x'.repeat(1000))); return 1 }`),
		`{}`, wasmjs.CallOptions{})
	if err != nil || len(r.Unhandled) != 16 {
		t.Errorf("%d reported, %v", len(r.Unhandled), err)
	}
}

// fuelOf is what a call costs.
func fuelOf(t *testing.T, p *wasmjs.Program, input string) uint64 {
	t.Helper()
	r, err := call(t, p, input, wasmjs.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Stats.Fuel
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // a busy machine takes no time of a call here
		p, err := newEngine(t, wasmjs.Options{}).Load(t.Context(), wasmjs.Source{Code: `async function execute(i) {
			if (i.work) for (let k = 0; k < i.work; k++);
			if (i.memory) new Uint8Array(i.memory);
			for (let k = 0; k < 20000; k++);
			if (i.wait) await new Promise(r => setTimeout(r, i.wait));
			for (let k = 0; k < 20000; k++);
			return 'x'.repeat(i.output ?? 0);
		}`}, tool.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for limit, c := range map[string]struct {
			input  string
			limits tool.Limits
		}{
			"fuel":    {`{"work":200000}`, tool.Limits{Fuel: fuelOf(t, p, `{"work":200000}`) * 11 / 10}},
			"memory":  {`{"memory":7000000}`, tool.Limits{MemoryBytes: 8 << 20}},
			"timeout": {`{"wait":1700}`, tool.Limits{Timeout: 2 * time.Second}},
			"output":  {`{"output":900}`, tool.Limits{OutputBytes: 1000}},
		} {
			var got []string
			_, err := call(t, p, c.input, wasmjs.CallOptions{Limits: c.limits, Warn: func(w wasmjs.Warning) {
				got = append(got, w.Limit)
				if w.Used < w.Max/5*4 || w.Used > w.Max {
					t.Errorf("%s: %d of %d", w.Limit, w.Used, w.Max)
				}
			}})
			if err != nil || fmt.Sprint(got) != "["+limit+"]" {
				t.Errorf("%s: warned of %v, %v", limit, got, err)
			}
		}
	})
}

func TestStats(t *testing.T) {
	t.Parallel()
	r, err := call(t, load(t, `function execute() { return new Uint8Array(20 << 20).length }`), `{}`, wasmjs.CallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Stats; s.Fuel == 0 || s.Wall <= 0 || s.PeakMemoryBytes < 20<<20 || s.PeakMemoryBytes > 24<<20 {
		t.Errorf("%+v", s)
	}
}

func TestErrorsAreJSON(t *testing.T) {
	t.Parallel()
	e := failure(t, `function execute() { return { 'a/b': [0, { 'c~': Infinity }] } }`, `{}`, tool.Limits{})
	text, err := json.Marshal(e)
	if err != nil || e.Path != "/a~1b/1/c~0" {
		t.Errorf("%s, %v", text, err)
	}
}

func BenchmarkCall(b *testing.B) {
	for name, code := range map[string]string{"slug": slug, "identity": `function execute(i) { return i }`} {
		b.Run(name, func(b *testing.B) {
			p := load(b, code)
			input := []byte(`{"text":"Hello World & Friends","n":1}`)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Call(b.Context(), input, wasmjs.CallOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
