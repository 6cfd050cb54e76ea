package runtime_test

import (
	"context"
	"errors"
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
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// sandbox is shared by the tests and never closed. It uses the user's compilation cache, as the program does.
var sandbox = sync.OnceValues(func() (*runtime.Sandbox, error) {
	var opt wasmjs.Options
	if dir, err := os.UserCacheDir(); err == nil {
		opt.CacheDir = filepath.Join(dir, "toolsmith")
	}
	return runtime.OpenSandbox(context.Background(), opt)
})

func open(t *testing.T) *runtime.Sandbox {
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
// A run must return within a second of its limit, so no more of them go at once than there are processors.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	box, jobs := open(t), goruntime.GOMAXPROCS(0)
	for _, file := range files {
		if testing.Short() && slices.Contains(slow, filepath.Base(file)) {
			continue
		}
		all := parse(t, file)
		run(t, box, all, cases.Options{Jobs: jobs})
		run(t, box, refused(all), cases.Options{Jobs: jobs, NoGate: true})
	}
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
		return box.Run(ctx, runtime.Request{Code: c.Source, Input: c.Input, Limits: c.Limits, SkipGate: opt.NoGate})
	}
	for r := range cases.Run(t.Context(), one, all, opt) {
		if r.Status != cases.Passed {
			t.Errorf("%s, gate %v: %s", r.Case.ID, !opt.NoGate, r.Reason)
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

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := open(t).Run(ctx, runtime.Request{Code: "function execute() { for (;;); }", Input: []byte("{}")})
	if !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	box, err := runtime.OpenSandbox(t.Context(), wasmjs.Options{Interpreter: true})
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
