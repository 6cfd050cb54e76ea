package wasmjs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// tight keeps a fuzzed call short.
var tight = tool.Limits{Timeout: 100 * time.Millisecond, Fuel: 3_000_000, MemoryBytes: 16 << 20, OutputBytes: 64 << 10}

// FuzzSource loads and runs arbitrary text. Whatever it is, the outcome is typed, comes in time, and the next call of
// another tool is as if nothing had happened.
func FuzzSource(f *testing.F) {
	for _, seed := range []string{
		slug, `function execute(`, `for(;;);`, `const execute = async i => { for await (const x of [1]) return x }`,
		"function execute() { return `${new Proxy({}, {})}` }", `class execute { static #x = 1; static { for (;;); } }`,
		`function execute() { return JSON.parse('['.repeat(1e5)) }`, `function execute(i){throw{get message(){return this.message}}}`,
		`function execute(){let s='';for(;;)s+=String.fromCharCode(55296)}`, `function* run(){yield*run()}`,
		`function execute(){return new RegExp('('.repeat(1e4))}`, `Object.defineProperty(globalThis,'execute',{get(){for(;;);}})`,
		`async function execute(){setTimeout(()=>{throw 1});await new Promise(()=>{})}`, "\x00", "\u2028", "#!x", "<!--", "-->",
	} {
		f.Add(seed)
	}
	e := newEngine(f, wasmjs.Options{Instances: 2, ImageCacheBytes: 1 << 20})
	honest, err := e.Load(f.Context(), wasmjs.Source{Code: slug}, tool.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, code string) {
		start := time.Now()
		p, err := e.Load(t.Context(), wasmjs.Source{Code: code}, tight)
		if err == nil {
			var r *wasmjs.Result
			r, err = p.Call(t.Context(), []byte(`{"text":"x","n":1}`), wasmjs.CallOptions{Limits: tight})
			if (err == nil) != json.Valid(r.Output) {
				t.Errorf("output %q, error %v", r.Output, err)
			}
		}
		var typed *tool.Error
		if err != nil && (!errors.As(err, &typed) || typed.Code == tool.Internal || !typed.Code.Known()) {
			t.Errorf("%q: %v", code, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q took %v", code, took)
		}
		r, err := honest.Call(t.Context(), []byte(`{"text":"A b","n":1}`), wasmjs.CallOptions{})
		if err != nil || string(r.Output) != `{"slug":"a-b","n":2}` {
			t.Errorf("after %q: %s, %v", code, r.Output, err)
		}
	})
}

// FuzzJSON sends arbitrary text through an identity tool: what is accepted comes back as an equal value.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[1,2.5,-0,1e21,1E-7,null,true]`, `"\ud800\udc00\ud800"`, `{"a":{"b":[{"c":"\u0000"}]}}`, `9007199254740993`, `1e400`,
		`{"__proto__":1,"a":1,"a":2}`, `"é😀\u2028"`, `[[[[[[[[]]]]]]]]`, ` { "x" : [ ] } `, `{"":""}`, `{"10":1,"2":2,"a":3}`,
	} {
		f.Add([]byte(seed))
	}
	e := newEngine(f, wasmjs.Options{Instances: 2})
	p, err := e.Load(f.Context(), wasmjs.Source{Code: `function execute(i) { return i }`}, tool.Limits{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		r, err := p.Call(t.Context(), input, wasmjs.CallOptions{Limits: tight})
		if err != nil {
			if !errors.Is(err, tool.InvalidInput) && !errors.Is(err, tool.OutputTooLarge) {
				t.Errorf("%q: %v", input, err)
			}
			return
		}
		if !json.Valid(input) {
			t.Fatalf("accepted %q", input)
		}
		again, err := p.Call(t.Context(), r.Output, wasmjs.CallOptions{Limits: tight})
		if err != nil || !bytes.Equal(again.Output, r.Output) {
			t.Errorf("%q became %q, then %q, %v", input, r.Output, again.Output, err)
		}
		if want, got := decode(t, input), decode(t, r.Output); !bytes.Equal(want, got) {
			t.Errorf("%q became %q", input, r.Output)
		}
	})
}

// decode is a canonical form of JSON text: keys sorted, numbers as doubles.
func decode(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	canonical, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(canonical, []byte("-0,"), []byte("0,"))
}
