package wasmjs_test

import (
	"errors"
	"flag"
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

var soakCalls = flag.Int("soak", 20_000, "calls made by TestSoak")

// soakTools are good and bad tools with the outcome that each must have every time.
var soakTools = []struct {
	code, output string
	limits       tool.Limits
	want         tool.Code
	every        int // one call in so many
}{
	{slug, `{"slug":"hello-world-%d","n":%d}`, tool.Limits{}, "", 1},
	{`let n = 0; function execute(i) { n += i.n; return { n } }`, `{"n":%[1]d}`, tool.Limits{}, "", 1},
	{`async function execute(i) { await null; return [i.n] }`, `[%[1]d]`, tool.Limits{}, "", 1},
	{`function execute(i) { throw new Error('no ' + i.n) }`, "", tool.Limits{}, tool.GuestError, 3},
	{`function execute(i) { return { a: [NaN] } }`, "", tool.Limits{}, tool.InvalidOutput, 3},
	{`function execute() { return new Promise(() => 0) }`, "", tool.Limits{}, tool.Unsettled, 5},
	{`function execute() { for (;;); }`, "", tool.Limits{Fuel: 20_000}, tool.OutOfFuel, 7},
	{`function execute() { return new Uint8Array(2 << 20).fill(1).length }`, `2097152`, tool.Limits{}, "", 11},
	{`function execute() { const a = []; for (;;) a.push(new Uint8Array(1 << 16)) }`, "", tool.Limits{MemoryBytes: 6 << 20}, tool.OutOfMemory, 31},
	{`function f() { return f() + 1 } function execute() { return f() }`, "", tool.Limits{}, tool.StackOverflow, 997},
	{`function execute() { for (;;) try { for (;;); } finally { continue } }`, "", tool.Limits{Timeout: 250 * time.Millisecond}, tool.Timeout, 499},
}

// TestSoak calls good and bad tools from eight goroutines: no wrong answer, no growth of memory or goroutines.
//
//	go test ./wasmjs -run TestSoak -soak 1000000
func TestSoak(t *testing.T) {
	const instances = 8
	e := newEngine(t, wasmjs.Options{Instances: instances})
	var programs []*wasmjs.Program
	for _, s := range soakTools {
		p, err := e.Load(t.Context(), wasmjs.Source{Code: s.code}, tool.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	for warm := 0; warm < 20 && (warm == 0 || e.Stats().Instances < instances); warm++ { // until nothing more is made
		soak(t, programs, 2000)
	}
	heap, goroutines := settled()
	soak(t, programs, *soakCalls)
	heapAfter, goroutinesAfter := settled()
	if heapAfter > heap+8<<20 || goroutinesAfter > goroutines+2 {
		t.Errorf("the heap went from %d to %d KiB, goroutines from %d to %d", heap>>10, heapAfter>>10, goroutines, goroutinesAfter)
	}
	t.Logf("%d calls: heap %d to %d KiB, goroutines %d to %d, %+v", *soakCalls, heap>>10, heapAfter>>10, goroutines, goroutinesAfter, e.Stats())
}

func settled() (heap uint64, goroutines int) {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc, goruntime.NumGoroutine()
}

func soak(t *testing.T, programs []*wasmjs.Program, calls int) {
	t.Helper()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := g; n < calls && !t.Failed(); n += 8 {
				soakCall(t, programs, n)
			}
		})
	}
	wg.Wait()
}

func soakCall(t *testing.T, programs []*wasmjs.Program, n int) {
	t.Helper()
	at := n * 7 % len(soakTools)
	if (n/len(soakTools))%soakTools[at].every != 0 {
		at = 0
	}
	s := soakTools[at]
	input := fmt.Sprintf(`{"text":"Hello World %d","n":%d}`, n, n)
	r, err := programs[at].Call(t.Context(), []byte(input), wasmjs.CallOptions{Limits: s.limits})
	if s.want != "" {
		if !errors.Is(err, s.want) {
			t.Errorf("%s: %s, %v, want %s", s.code, r.Output, err, s.want)
		}
		return
	}
	want := s.output
	switch at {
	case 0:
		want = fmt.Sprintf(s.output, n, n+1)
	case 1, 2:
		want = fmt.Sprintf(s.output, n)
	}
	if err != nil || string(r.Output) != want {
		t.Errorf("%s: got %s, %v, want %s", s.code, r.Output, err, want)
	}
}
