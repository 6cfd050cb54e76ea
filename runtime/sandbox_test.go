package runtime_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// sandbox is shared by the tests and never closed. It uses the user's compilation cache, as the program does. Of the network
// it knows servers on this machine alone, by names of its own.
var sandbox = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt runtime.Options
	if dir, err := os.UserCacheDir(); err == nil {
		opt.Engine.CacheDir = filepath.Join(dir, "toolsmith")
	}
	opt.Host.Resolver = names{"api.test": netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	return runtime.OpenSandbox(context.Background(), opt)
})

// names is a resolver that knows these and no others.
type names map[string]netip.Addr

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	addr, ok := n[host]
	if !ok {
		return nil, &net.DNSError{Name: host, IsNotFound: true}
	}
	return []netip.Addr{addr}, nil
}

func open(t testing.TB) *runtime.Sandbox {
	t.Helper()
	box, err := sandbox()
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// slow are the files that take more than a few seconds: loops that run into their time limits.
var slow = []string{"interrupt-bypass.json", "memory.json", "stack-overflow.json"}

// Every attack of the corpus ends as it should with the gate, and the sandbox alone holds those that the gate would refuse.
// None of them connects to anything. A run must return within a second of its limit, so no more of them go at once than
// there are processors.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	box, jobs := unconnected(t), goruntime.GOMAXPROCS(0)
	for _, file := range files {
		if testing.Short() && slices.Contains(slow, filepath.Base(file)) {
			continue
		}
		all := parse(t, file)
		run(t, box, all, cases.Options{Jobs: jobs})
		run(t, box, refused(all), cases.Options{Jobs: jobs, NoGate: true})
	}
}

// unconnected is a sandbox in a world without a network, in which dialling fails the test.
func unconnected(t *testing.T) *runtime.Sandbox {
	t.Helper()
	dial := func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("dialled %s", address)
		return nil, tool.Unavailable
	}
	box, err := runtime.OpenSandbox(t.Context(), runtime.Options{Host: hostapi.Options{Resolver: names{}, Dial: dial}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	return box
}

func parse(t *testing.T, file string) []cases.Case {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cases.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// refused are the cases that the gate may refuse.
func refused(all []cases.Case) []cases.Case {
	return slices.DeleteFunc(slices.Clone(all), func(c cases.Case) bool {
		return !slices.Contains(c.Expect, cases.Failure(tool.InvalidSource))
	})
}

func run(t *testing.T, box *runtime.Sandbox, all []cases.Case, opt cases.Options) {
	t.Helper()
	one := func(ctx context.Context, c cases.Case) (*wasmjs.Result, error) {
		p := new(policy.Policy)
		if err := runtime.Grant(p, c.Allow, c.Policy.AllowHosts, c.Policy.ReadRoots); err != nil {
			return nil, err
		}
		result, err := box.Run(ctx, runtime.Request{
			Code: c.Source, Input: c.Input, Limits: c.Limits, SkipGate: opt.NoGate, Allow: c.Allow, Policy: p,
		})
		return &result.Result, err
	}
	var late []cases.Case
	for r := range cases.Run(t.Context(), one, all, opt) {
		switch {
		case r.OK:
		case strings.HasPrefix(r.Reason, "returned after"):
			late = append(late, r.Case)
		default:
			t.Errorf("%s, gate %v: %s", r.Case.ID, !opt.NoGate, r.Reason)
		}
	}
	opt.Jobs = 1 // a busy machine makes a case late once; one that is late by itself is so again
	for r := range cases.Run(t.Context(), one, late, opt) {
		if !r.OK {
			t.Errorf("%s, gate %v, twice: %s", r.Case.ID, !opt.NoGate, r.Reason)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	box := open(t)
	for name, c := range map[string]struct {
		request runtime.Request
		output  string
		code    tool.Code // "" = the output
		message string    // part of it
	}{
		"result":        {runtime.Request{Code: "function execute(i) { return i.n + 1 }", Input: []byte(`{"n":1}`)}, "2", "", ""},
		"gate":          {runtime.Request{Code: "function execute() { return eval('1') }"}, "", tool.InvalidSource, "eval"},
		"gate left out": {runtime.Request{Code: "function execute() { return eval('1') }", SkipGate: true}, "", tool.GuestError, "eval"},
		"typescript":    {runtime.Request{File: "a.ts", Code: "const execute = (i: {n: number}): number => i.n as number", Input: []byte(`{"n":1}`)}, "1", "", ""},
		"language":      {runtime.Request{Language: "ts", Code: "function execute(i: number): number { return i }", Input: []byte(`1`)}, "1", "", ""},
		"ts, no gate":   {runtime.Request{Language: "ts", Code: "function execute(i: number): number { return i }", Input: []byte(`1`), SkipGate: true}, "1", "", ""},
		"gate on ts":    {runtime.Request{Language: "ts", Code: "function execute(i: number): any { return eval('1') }"}, "", tool.InvalidSource, "eval"},
		"broken ts":     {runtime.Request{Language: "ts", Code: "function execute(i: number): { return i }"}, "", tool.InvalidSource, ""},
		"types in js":   {runtime.Request{Code: "function execute(i: number) { return i }"}, "", tool.InvalidSource, ""},
		"no language":   {runtime.Request{Language: "py", Code: "def execute(): pass"}, "", tool.InvalidRequest, ""},
		"bad limits":    {runtime.Request{Limits: tool.Limits{Timeout: -1}}, "", tool.InvalidRequest, "timeout"},
		"bad input":     {runtime.Request{Code: "function execute() {}", Input: []byte("{")}, "", tool.InvalidInput, ""},
		"large source":  {runtime.Request{Code: strings.Repeat("/", 65_537)}, "", tool.InvalidSource, ""},
		"not utf-8":     {runtime.Request{Code: "function execute() { return '\xff' }"}, "", tool.InvalidSource, "UTF-8"},
		"clock": {
			runtime.Request{Code: "function execute() { return String(new Date()) }", TimeZone: "Asia/Tokyo", Now: time.Unix(0, 0)},
			`"Thu Jan 01 1970 09:00:00 GMT+0900"`, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.request.Input == nil {
				c.request.Input = []byte("{}")
			}
			result, err := box.Run(t.Context(), c.request)
			if result == nil {
				t.Fatal("no result")
			}
			if c.code == "" && (err != nil || string(result.Output) != c.output) {
				t.Fatalf("got %s, %v; want %s", result.Output, err, c.output)
			}
			if e := tool.AsError(err); c.code != "" && (e == nil || e.Code != c.code || !strings.Contains(e.Message, c.message)) {
				t.Errorf("got %v; want %s: %s", err, c.code, c.message)
			}
		})
	}
}

// Loading and calling share one time limit, which the error names.
func TestOneTimeLimit(t *testing.T) {
	t.Parallel()
	const code = "for (let n = 0; n < 1e6; n++); function execute() { for (;;); }"
	const limit = 400 * time.Millisecond
	start := time.Now()
	_, err := open(t).Run(t.Context(), runtime.Request{Code: code, Input: []byte("{}"), Limits: tool.Limits{Timeout: limit}})
	if e := tool.AsError(err); e == nil || e.Code != tool.Timeout || e.Message != "timed out after 400 ms" {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took < limit {
		t.Errorf("stopped after %v", took)
	}
}

// A caller that goes away ends the run, and so does a deadline of its own, which is not taken for the limit.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	endless := runtime.Request{Code: "function execute() { for (;;); }", Input: []byte("{}")}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := open(t).Run(ctx, endless); !errors.Is(err, tool.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := open(t).Run(ctx, endless); !errors.Is(err, tool.Timeout) || !strings.Contains(err.Error(), "the caller's own deadline") {
		t.Errorf("deadline: got %v", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	box, err := runtime.OpenSandbox(t.Context(), runtime.Options{Engine: wasmjs.Options{Interpreter: true}})
	if err != nil {
		t.Fatal(err)
	}
	if box.Compiled() {
		t.Error("the interpreter reads as compiled")
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	result, err := box.Run(t.Context(), runtime.Request{Code: "function execute() {}", Input: []byte("{}")})
	if result == nil || !errors.Is(err, tool.Unavailable) {
		t.Errorf("got %v, %v", result, err)
	}
}
