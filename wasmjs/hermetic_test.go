package wasmjs

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

func testEngine(t *testing.T, opt Options) *Engine {
	t.Helper()
	if dir, err := os.UserCacheDir(); err == nil {
		opt.CacheDir = filepath.Join(dir, "toolsmith")
	}
	e, err := New(t.Context(), opt)
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

func testProgram(t *testing.T, e *Engine, code string) *Program {
	t.Helper()
	p, err := e.Load(t.Context(), Source{Code: code}, tool.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// messy runs whatever way its input says, and leaves as much behind as it can on the way.
const messy = `
var counter = 0;
function deep(n) { return n ? deep(n - 1) + 1 : 0 }
async function execute(i) {
  globalThis.leak = (globalThis.leak ?? 0) + ++counter;
  Object.prototype.polluted = true;
  Array.prototype.map = () => 'gone';
  deep(500);
  const big = [];
  for (let k = 0; k < (i.megabytes ?? 0); k++) big.push(new Uint8Array(1 << 20).fill(7));
  if (i.how === 'loop') for (;;);
  if (i.how === 'throw') throw new Error('x');
  if (i.how === 'recurse') return execute.call({}, i), deep(1e9);
  if (i.how === 'memory') for (;;) big.push({ big });
  if (i.how === 'wait') await new Promise(() => setTimeout(() => 0, 1e6));
  if (i.how === 'reject') Promise.reject(new Error('stray'));
  return [globalThis.leak, counter, big.length];
}`

// TestRestoredMemoryEqualsTheImage ends calls in every way there is and compares the whole memory afterwards with that
// of an instance that never ran anything.
func TestRestoredMemoryEqualsTheImage(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Instances: 1})
	p := testProgram(t, e, messy)
	im := e.images.get(p.key)
	fresh, err := e.newInstance()
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.close()
	fresh.attach(im)
	const tail = 64 << 20
	want := fresh.memory.bytes[:tail]
	for _, input := range []string{
		`{}`, `{"how":"throw"}`, `{"how":"recurse"}`, `{"how":"loop"}`, `{"how":"memory"}`, `{"how":"wait"}`,
		`{"how":"reject"}`, `{"megabytes":1}`, `{"megabytes":20}`, `{"megabytes":20,"how":"loop"}`, `{"megabytes":200}`,
	} {
		_, err := p.Call(t.Context(), []byte(input), CallOptions{Limits: tool.Limits{Timeout: 300 * time.Millisecond, MemoryBytes: 48 << 20}})
		in := pickIdle(t, e, im)
		if at := firstDifference(in.memory.bytes[:tail], want); at >= 0 {
			t.Errorf("%s (%v): memory differs from the image at %d", input, err, at)
		}
		if in.fuel.Get() != 0 || in.pages.Get() != uint64(im.pages) || in.stackPointer.Get() != uint64(e.base.stackTop) {
			t.Errorf("%s (%v): globals differ", input, err)
		}
		e.pool.mu.Lock()
		e.pool.idle = append(e.pool.idle, in)
		e.pool.mu.Unlock()
	}
}

// pickIdle takes the engine's only instance once it is back in the pool.
func pickIdle(t *testing.T, e *Engine, want *image) *instance {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if in := e.pool.pick(want); in != nil {
			return in
		}
	}
	t.Fatal("the instance did not come back")
	return nil
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestAttachWritesEveryByte spoils an instance's memory, read-only data included, as a bug in the engine could.
func TestAttachWritesEveryByte(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{})
	a, b := testProgram(t, e, messy), testProgram(t, e, `function execute() { return 'b' }`)
	in, err := e.newInstance()
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	fresh, err := e.newInstance()
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.close()
	fresh.attach(e.images.get(b.key))
	in.attach(e.images.get(a.key))
	for i := int(e.base.stackTop); i < int(in.image.end()); i += 97 {
		in.memory.bytes[i] ^= 0x55
	}
	in.attach(e.images.get(b.key))
	if !bytes.Equal(in.memory.bytes[:8<<20], fresh.memory.bytes[:8<<20]) {
		t.Error("an attached image does not cover all memory in use")
	}
}

func TestCallsSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Instances: 1})
	a := testProgram(t, e, messy)
	b := testProgram(t, e, `function execute() { return [typeof leak, typeof counter, ({}).polluted, [1].map(x => x)] }`)
	for range 3 {
		r, err := a.Call(t.Context(), []byte(`{"megabytes":2}`), CallOptions{})
		if err != nil || string(r.Output) != `[1,1,2]` {
			t.Errorf("%s, %v", r.Output, err)
		}
		_, err = a.Call(t.Context(), []byte(`{"how":"throw"}`), CallOptions{})
		if !errors.Is(err, tool.GuestError) {
			t.Error(err)
		}
		r, err = b.Call(t.Context(), []byte(`{}`), CallOptions{})
		if err != nil || string(r.Output) != `["undefined","undefined",null,[1]]` {
			t.Errorf("%s, %v", r.Output, err)
		}
	}
}

func TestFuelIsRepeatable(t *testing.T) {
	t.Parallel()
	code := `const seen = new Map();
	async function execute(i) {
		for (const w of i.text.split(' ')) seen.set(w, (seen.get(w) ?? 0) + Math.random());
		await null;
		return [[...seen].sort(), Date.now(), performance.now(), new Date().toString(), JSON.stringify(i).replace(/a/g, 'b')];
	}`
	input := []byte(`{"text":"a b c a d e f g a"}`)
	opt := CallOptions{Seed: 7, Now: time.Unix(1_700_000_000, 5_000_000)}
	var first *Result
	for range 2 { // two engines stand for two processes: nothing is shared between them
		e := testEngine(t, Options{Instances: 2})
		p := testProgram(t, e, code)
		other := testProgram(t, e, messy)
		for range 50 {
			r, err := p.Call(t.Context(), input, opt)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
			}
			if r.Stats.Fuel != first.Stats.Fuel || !bytes.Equal(r.Output, first.Output) {
				t.Fatalf("%d units and %s, first %d and %s", r.Stats.Fuel, r.Output, first.Stats.Fuel, first.Output)
			}
			_, _ = other.Call(t.Context(), []byte(`{"how":"throw"}`), CallOptions{})
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{})
	p := testProgram(t, e, `const atLoad = Math.random(); function execute() { return [atLoad, Math.random()] }`)
	seen := map[string]bool{}
	for range 20 {
		r, err := p.Call(t.Context(), []byte(`{}`), CallOptions{})
		if err != nil {
			t.Fatal(err)
		}
		seen[string(r.Output)] = true
	}
	if len(seen) != 20 {
		t.Errorf("20 calls without a seed gave %d results", len(seen))
	}
}

func TestImagesAreKeyedByWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{})
	keys := map[string]bool{}
	for _, src := range []Source{
		{Code: `function execute() {}`},
		{Code: `function execute() { }`},
		{Code: `function execute() {}`, Name: "a.js"},
		{Code: `function execute() {}`, TimeZone: "Europe/Berlin"},
		{Code: `function execute() {}`, APIs: []API{{Name: "x"}}},
		{Code: `function execute() {}`, APIs: []API{{Name: "x"}, {Name: "y"}}},
		{Code: `function execute() {}`, APIs: []API{{Name: "x", Glue: `(function () {})`}}},
	} {
		p, err := e.Load(t.Context(), src, tool.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		keys[p.Hash()] = true
	}
	if len(keys) != 7 {
		t.Errorf("7 different sources have %d keys", len(keys))
	}
	if _, err := e.Load(t.Context(), Source{Code: `function execute() {}`}, tool.Limits{}); err != nil || e.Stats().Images != 7 {
		t.Errorf("an equal source must share its image: %+v, %v", e.Stats(), err)
	}
}

func TestEvictedImagesAreMadeAnew(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{ImageCacheBytes: 60 << 10})
	var programs []*Program
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		programs = append(programs, testProgram(t, e, `function execute() { return `+n+` }`))
	}
	if s := e.Stats(); s.Images >= 5 || s.ImageBytes > 60<<10 {
		t.Fatalf("the cap does not hold: %+v", s)
	}
	for i, p := range programs {
		r, err := p.Call(t.Context(), []byte(`{}`), CallOptions{})
		if err != nil || string(r.Output) != string(rune('1'+i)) {
			t.Errorf("%s, %v", r.Output, err)
		}
	}
}

func TestPoolWaitsAndGivesUp(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Instances: 1})
	p, err := e.Load(t.Context(), Source{Code: `async function execute(i) { if (i > 1) await meet(); return i }`, APIs: []API{{Name: "meet"}}}, tool.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	met, leave := make(chan struct{}), make(chan struct{})
	meet := func(context.Context, Request) (Reply, error) {
		close(met)
		<-leave
		return Reply{Value: []byte(`1`)}, nil
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := p.Call(t.Context(), []byte(`2`), CallOptions{Limits: tool.Limits{Timeout: time.Minute}, Funcs: map[string]Func{"meet": meet}}); err != nil {
			t.Error(err)
		}
	})
	<-met
	if _, err := p.Call(t.Context(), []byte(`1`), CallOptions{Limits: tool.Limits{Timeout: 50 * time.Millisecond}}); !errors.Is(err, tool.Unavailable) {
		t.Errorf("a full pool: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Call(ctx, []byte(`1`), CallOptions{}); !errors.Is(err, tool.Timeout) {
		t.Errorf("a context that ends while waiting: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, func() { close(leave) })
	if r, err := p.Call(t.Context(), []byte(`1`), CallOptions{}); err != nil || string(r.Output) != "1" {
		t.Errorf("after waiting: %s, %v", r.Output, err)
	}
	wg.Wait()
}

func TestCloseWaits(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{})
	p, err := e.Load(t.Context(), Source{Code: `async function execute() { return await meet() }`, APIs: []API{{Name: "meet"}}}, tool.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var arrived, wg sync.WaitGroup
	arrived.Add(4)
	meet := func(context.Context, Request) (Reply, error) {
		arrived.Done()
		time.Sleep(50 * time.Millisecond) // while the engine is being closed
		return Reply{Value: []byte(`"done"`)}, nil
	}
	for range 4 {
		wg.Go(func() {
			r, err := p.Call(t.Context(), []byte(`{}`), CallOptions{Funcs: map[string]Func{"meet": meet}})
			if err != nil || string(r.Output) != `"done"` {
				t.Errorf("%s, %v", r.Output, err)
			}
		})
	}
	arrived.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if _, err := p.Call(t.Context(), []byte(`{}`), CallOptions{}); !errors.Is(err, tool.Unavailable) {
		t.Errorf("a call of a closed engine: %v", err)
	}
	if _, err := e.Load(t.Context(), Source{Code: messy}, tool.Limits{}); !errors.Is(err, tool.Unavailable) {
		t.Errorf("loading into a closed engine: %v", err)
	}
}

func TestDeepStacksAreGivenBack(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Instances: 1})
	p := testProgram(t, e, `function execute() { return execute() + 1 }`)
	before := e.pool.idle[0].run
	if _, err := p.Call(t.Context(), []byte(`{}`), CallOptions{}); !errors.Is(err, tool.StackOverflow) {
		t.Fatal(err)
	}
	if e.pool.idle[0].run == before {
		t.Error("the native stack of a deep recursion is kept")
	}
}

func TestDamagedCompilationCache(t *testing.T) {
	if testing.Short() {
		t.Skip("the engine is compiled anew for each damage, which takes seconds under the race detector")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	start := func() {
		e, err := New(t.Context(), Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if r, err := testProgram(t, e, `function execute() { return 1 }`).Call(t.Context(), []byte(`{}`), CallOptions{}); err != nil {
			t.Errorf("%s, %v", r.Output, err)
		}
	}
	start()
	entries, err := filepath.Glob(filepath.Join(dir, "engine-*", "wazero-*", "*"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("cache entries %v, %v", entries, err)
	}
	whole, err := os.ReadFile(entries[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"cut":             func() error { return os.Truncate(entries[0], 1000) },
		"flipped offsets": func() error { return flip(entries[0], 29) },
		"flipped size":    func() error { return flip(entries[0], 17) },
		"flipped code":    func() error { return flip(entries[0], len(whole)/2) },
		"no sum":          func() error { return os.Remove(filepath.Join(filepath.Dir(filepath.Dir(entries[0])), "sum")) },
	} {
		if err := damage(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start()
		if now, err := os.ReadFile(entries[0]); err != nil || !bytes.Equal(now, whole) {
			t.Errorf("%s: the entry was not made anew: %d bytes, %v", name, len(now), err)
		}
	}
}

// flip changes one byte of a file.
func flip(file string, at int) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text[at] ^= 0xff
	return os.WriteFile(file, text, 0o600)
}

func TestCacheFolderMustBePrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the mistake under test
		t.Fatal(err)
	}
	if e, err := New(t.Context(), Options{CacheDir: dir}); err == nil {
		_ = e.Close()
		t.Error("a cache that everyone can write to was accepted")
	}
}

func TestInterpreter(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Interpreter: true})
	if e.Stats().Compiler {
		t.Error("the interpreter calls itself a compiler")
	}
	p := testProgram(t, e, `function execute(i) { return i.a + 1 }`)
	if r, err := p.Call(t.Context(), []byte(`{"a":1}`), CallOptions{}); err != nil || string(r.Output) != "2" {
		t.Errorf("%s, %v", r.Output, err)
	}
	loop := testProgram(t, e, `function execute() { for (;;); }`)
	if _, err := loop.Call(t.Context(), []byte(`{}`), CallOptions{Limits: tool.Limits{Timeout: 100 * time.Millisecond}}); !errors.Is(err, tool.Timeout) {
		t.Error(err)
	}
}

func TestHostPanicsAreContained(t *testing.T) {
	t.Parallel()
	e := testEngine(t, Options{Instances: 1})
	p := testProgram(t, e, `function execute() { return Date.now() }`)
	zone := p.zone
	p.zone = nil
	src := testProgram(t, e, `function execute() { return new Date(2020, 1).getTime() }`)
	src.zone = nil // a host function will meet it
	if _, err := src.Call(t.Context(), []byte(`{}`), CallOptions{}); !errors.Is(err, tool.Internal) {
		t.Errorf("a panic in a host function: %v", err)
	}
	p.zone = zone
	if _, err := p.Call(t.Context(), []byte(`{}`), CallOptions{}); err != nil {
		t.Errorf("the call after it: %v", err)
	}
	if s := e.Stats(); s.Instances != 1 || s.IdleInstances != 1 {
		t.Errorf("%+v", s)
	}
}
