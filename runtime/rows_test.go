package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

// The rows of section 3.3 of the specification, those of 3.1 that are about a run, and T-75 of 3.4. Rows about the words in
// which the forge refuses are tests of the root package. docs/behaviour.md says where ours differ.

func TestSandboxRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, input, output string }{
		"T-35 an object of two numbers": {"function execute({ a, b }) { return { sum: a + b, product: a * b } }", `{"a":3,"b":4}`, `{"sum":7,"product":12}`},
		"T-36 async":                    {"async function execute({ a, b }) { return { sum: await Promise.resolve(a + b) } }", `{"a":3,"b":4}`, `{"sum":7}`},
		"T-53 a string":                 {"function execute({ a }) { return 'n' + a }", `{"a":3}`, `"n3"`},
		"T-54 a number":                 {"function execute({ a }) { return a / 2 }", `{"a":3}`, `1.5`},
		"T-57 totals of a list": {
			`function execute({ items }) {
				let total = 0, count = 0;
				for (const { price, quantity } of items) { total += price * quantity; count += quantity; }
				return { total, count };
			}`,
			`{"items":[{"price":10,"quantity":2},{"price":2.5,"quantity":4},{"price":7,"quantity":0}]}`, `{"total":30,"count":6}`,
		},
		"T-60 modern async code": {
			`const twice = async (n = 0) => n * 2;
			async function execute({ list, more }) {
				const { first, ...rest } = { first: list?.[0] ?? 1, x: 1, ...more };
				const all = [];
				for await (const n of list.map((n) => twice(n))) all.push(n);
				return { all, first, rest, text: ` + "`${all.at(-1)}`" + ` };
			} // a comment without an end of line`,
			`{"list":[1,2],"more":{"y":2}}`, `{"all":[2,4],"first":1,"rest":{"x":1,"y":2},"text":"4"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := open(t).Run(t.Context(), runtime.Request{Code: c.code, Input: []byte(c.input)})
			if err != nil || string(result.Output) != c.output {
				t.Errorf("got %s, %v; want %s", result.Output, err, c.output)
			}
		})
	}
}

func TestSandboxRowsOfFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code string
		want tool.Code
		text string
	}{
		"T-46 throws":             {"function execute() { throw new Error('runtime boom') }", tool.GuestError, "runtime boom"},
		"T-47 no entry":           {"function helper() { return 1 }", tool.InvalidSource, "must define execute(input) or run(input)"},
		"T-58 a declaration body": {"const execute = (input) => const x = 1;", tool.InvalidSource, ""},
		"T-59 an interface":       {"interface Input { a: number }\nfunction execute(input) { return input.a }", tool.InvalidSource, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := open(t).Run(t.Context(), runtime.Request{Code: c.code, Input: []byte(`{}`)})
			wants(t, name, err, c.want, c.text)
			if result.Output != nil || c.want == tool.GuestError && result.Stats.Wall <= 0 {
				t.Errorf("%s after %v", result.Output, result.Stats.Wall)
			}
		})
	}
}

func TestT23And44And56And62ARunIsMeasured(t *testing.T) {
	t.Parallel()
	const code = "function execute() { const kept = []; for (let i = 0; i < 5; i++) kept.push(String(i).repeat(1 << 20)); return kept.length }"
	result, err := open(t).Run(t.Context(), runtime.Request{Code: code, Input: []byte(`{}`)})
	if err != nil || string(result.Output) != "5" {
		t.Fatalf("%s, %v", result.Output, err)
	}
	if s := result.Stats; s.Wall <= 0 || s.Fuel == 0 || s.PeakMemoryBytes < 5<<20 {
		t.Errorf("%+v", s)
	}
}

func TestT37EndlessLoopTimesOut(t *testing.T) {
	t.Parallel()
	loop, err := open(t).Prepare(t.Context(), runtime.Request{Code: "function execute() { while (true) {} }"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := loop.Call(t.Context(), runtime.Inputs{Input: []byte(`{}`), Limits: tool.Limits{Timeout: 100 * time.Millisecond}})
	wants(t, "endless", err, tool.Timeout, "timed out after 100 ms")
	if result.Stats.Wall < 50*time.Millisecond {
		t.Errorf("it ran for %v", result.Stats.Wall)
	}
}

func TestT55TheHostsOwnTimeLimit(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{Limits: tool.Limits{Timeout: 100 * time.Millisecond}})
	h.put(t, ann, "endless", code("function execute() { for (;;) {} }"))
	_, err := h.Call(t.Context(), ann.Caller, "endless", json.RawMessage(`{"n":1}`))
	wants(t, "endless", err, tool.Timeout, "timed out after 100 ms")
}

func TestGateRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line  string // within an async entry
		allow []string
		want  []string // parts of the violations' messages; none: the source is let through
	}{
		"T-38 process":             {"return process.env", nil, []string{"process access is forbidden"}},
		"T-39 eval":                {"return eval('1')", nil, []string{"eval() is forbidden"}},
		"T-40 require":             {"return require('fs')", nil, []string{"require() is forbidden"}},
		"T-41 fetch, not allowed":  {"return fetch('https://example.org/')", nil, []string{"fetch() is not allowed", "is not in the allowlist"}},
		"T-42 fetch, allowed":      {"return (await fetch('https://example.org/')).status", []string{"fetch"}, nil},
		"T-43 three at once":       {"eval('1'); require('fs'); return process.env", nil, []string{"eval()", "require()", "process access"}},
		"T-48 writing":             {"fs.writeFile('a', 'b')", []string{"fs.readFile"}, []string{"fs.write*", "forbidden"}},
		"T-49 new Function":        {"return new Function('return 1')", nil, []string{"new Function() is forbidden"}},
		"T-50 Function":            {"return Function('return 1')", nil, []string{"Function() is forbidden"}},
		"T-52 crypto, not allowed": {"return crypto.randomUUID()", nil, []string{`"crypto" is not in the allowlist`}},
		"T-52 crypto, allowed":     {"return crypto.randomUUID()", []string{"crypto"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t).Prepare(t.Context(), runtime.Request{Code: "async function execute(input) { " + c.line + " }", Allow: c.allow})
			violates(t, err, c.want...)
		})
	}
	t.Run("T-51 a static import", func(t *testing.T) {
		t.Parallel()
		_, err := open(t).Prepare(t.Context(), runtime.Request{Code: "import fs from 'fs';\nfunction execute() { return 1 }"})
		violates(t, err, "import")
	})
}

// violates checks that the gate finds each of what is wanted, and nothing when nothing is.
func violates(t *testing.T, err error, want ...string) {
	t.Helper()
	var found source.Violations
	if errors.As(err, &found) == (want == nil) || want == nil && err != nil || want != nil && !errors.Is(err, tool.InvalidSource) {
		t.Fatalf("got %v; want %q", err, want)
	}
	for _, part := range want {
		if !slices.ContainsFunc(found, func(v source.Violation) bool { return strings.Contains(v.Message, part) }) {
			t.Errorf("%v lacks %q", err, part)
		}
	}
}

// The gate refuses the way, and the sandbox holds without the gate.
func TestT61ConstructorChainsLeadNowhere(t *testing.T) {
	t.Parallel()
	for _, chain := range []string{"({}).constructor.constructor('return 42')()", "({})['con' + 'structor']['con' + 'structor']('return 42')()"} {
		for _, skip := range []bool{false, true} {
			r := runtime.Request{Code: "function execute() { return { escaped: " + chain + " } }", Input: []byte(`{}`), SkipGate: skip}
			result, err := open(t).Run(t.Context(), r)
			if err == nil || strings.Contains(string(result.Output), "42") {
				t.Errorf("%s, without the gate %v: %s", chain, skip, result.Output)
			}
		}
	}
}

func TestT2ThreeAPIs(t *testing.T) {
	t.Parallel()
	all := []string{"fetch", "fs.readFile", "crypto"}
	if !slices.Equal(hostapi.Names(), all) {
		t.Errorf("the APIs are %q", hostapi.Names())
	}
	h := host(t, runtime.HostOptions{})
	impl := code("function execute({ n }) { return { n } }")
	impl.Allowlist = all
	if _, _, err := h.Prepare(t.Context(), ann.Caller, "mine", impl); err != nil {
		t.Error(err)
	}
	impl.Allowlist = []string{"fs.writeFile"}
	_, _, err := h.Prepare(t.Context(), ann.Caller, "mine", impl)
	wants(t, "no API", err, tool.InvalidRequest, "fs.writeFile")
}

func TestT15ReuseVerdicts(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	h.put(t, ann, "breaks", code("function execute() { return { n: 'text', more: 1 } }"))
	result, err := h.Call(t.Context(), ann.Caller, "breaks", json.RawMessage(`{"n":1}`))
	wants(t, "breaks its schema", err, tool.InvalidOutput, "output schema validation failed")
	if v := result.Reuse; v.Valid || len(v.SchemaErrors) != 2 || result.Output != nil {
		t.Errorf("%+v, %s", v, result.Output)
	}
	_, err = h.shelf.Put(t.Context(), ann, tool.Draft{
		Name: "drifts", Description: "a tool for tests", InputSchema: json.RawMessage(numbered), OutputSchema: json.RawMessage(anyObject),
		Implementation: code("function execute({ n }) { return n < 100 ? { n } : { other: n } }"), Verdict: tool.CreationVerdict{Approved: true, Confidence: 0.9},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(make([]int, 30), 100) {
		if result, err = h.Call(t.Context(), ann.Caller, "drifts", fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			t.Fatal(err)
		}
	}
	if v := result.Reuse; !v.Valid || !v.Anomaly || v.AnomalyReason == "" {
		t.Errorf("%+v", v)
	}
}
