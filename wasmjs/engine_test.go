package wasmjs_test

import (
	"context"
	"errors"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

const slug = `function execute(input) {
  const s = input.text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return { slug: s, n: input.n + 1 };
}`

func TestFirst(t *testing.T) {
	e, err := wasmjs.New(context.Background(), wasmjs.Options{CacheDir: "/tmp/tscache"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p, err := e.Load(context.Background(), wasmjs.Source{Code: slug}, tool.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r, err := p.Call(context.Background(), []byte(`{"text":"Hello World & Friends","n":1}`), wasmjs.CallOptions{})
		t.Log(string(r.Output), r.Stats, err)
	}
	for _, src := range []string{
		`function execute(){for(;;);}`, `function execute(){throw new TypeError('x')}`, `function execute(){return {a:[1,NaN]}}`,
		`function execute(){`, `async function execute(){await new Promise(r=>setTimeout(r,30));return performance.now()}`,
		`function execute(){return execute()+1}`, `function execute(){let a=[];for(;;)a.push(new Uint8Array(1<<20))}`,
		`function execute(){let a=[];for(;;)a.push({x:1})}`, `function execute(){throw null}`, `function execute(){return new Promise(()=>{})}`,
		`function execute(){Promise.reject(new Error('stray'));return Date.now()}`, `function execute(){return eval('1')}`,
		`function execute(){return Math.random()}`, `function execute(){return 'x'.repeat(2000000)}`,
		`const execute=i=>[-0, 'a\u{1F600}\ud800\n"', undefined, new Date(0), {a:undefined,b:1e300, c:0.1}]`, `let x = 1`, `function execute(){return Intl.x}`,
	} {
		p, err := e.Load(context.Background(), wasmjs.Source{Code: src}, tool.Limits{})
		if err != nil {
			t.Logf("%s\n   load: %+v", src, err)
			continue
		}
		r, err := p.Call(context.Background(), []byte(`{}`), wasmjs.CallOptions{})
		var te *tool.Error
		errors.As(err, &te)
		out := string(r.Output)
		if len(out) > 200 { out = out[:200] }
		t.Logf("%s\n   %s %+v %+v %v %v", src, out, te, r.Stats, r.Logs, r.Unhandled)
	}
}

func BenchmarkCall(b *testing.B) {
	e, err := wasmjs.New(context.Background(), wasmjs.Options{CacheDir: "/tmp/tscache"})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	p, err := e.Load(context.Background(), wasmjs.Source{Code: slug}, tool.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	in := []byte(`{"text":"Hello World & Friends","n":1}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Call(context.Background(), in, wasmjs.CallOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
