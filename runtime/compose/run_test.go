package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

func TestRunsAreBoundedInTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		each    time.Duration // that a call takes; 0 is for ever
		timeout time.Duration // of the caller; 0 is none
		steps   int
		after   time.Duration
		want    string
	}{
		"a step":     {0, 0, 2, 30 * time.Second, `step "s0", tool "slow": it took longer than 30s`},
		"all":        {25 * time.Second, 0, 10, 2 * time.Minute, `step "s4", tool "slow": the pipeline took longer than 2m0s`},
		"the caller": {0, time.Second, 1, time.Second, `step "s0", tool "slow": context deadline exceeded`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pipeline(t, strings.Trim(string(repeat(`{"name": "s%d", "tool": "slow"}`, c.steps)), "[]"))
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if c.timeout > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.timeout)
				}
				defer cancel()
				start := time.Now()
				_, _, err := p.Run(ctx, nil, func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
					if c.each == 0 {
						<-ctx.Done()
						return nil, errors.New("stopped")
					}
					select {
					case <-time.After(c.each):
						return nil, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}, compose.Options{})
				if e := tool.AsError(err); e == nil || e.Code != tool.Timeout || e.Message != c.want || time.Since(start) != c.after {
					t.Errorf("after %s: %v", time.Since(start), err)
				}
			})
		})
	}
}

func TestACanceledRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld()
	w.tools["cancel"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		cancel()
		return nil, nil
	}
	_, trace, err := pipeline(t, `{"name": "a", "tool": "cancel"}, {"name": "b", "tool": "echo"}`).Run(ctx, nil, w.call, compose.Options{})
	if !errors.Is(err, tool.Canceled) || len(w.calls) != 1 || trace.Steps[1].Code != tool.Canceled {
		t.Errorf("%v, %q, %+v", err, w.calls, trace)
	}
}

func TestRunsAreBoundedInSize(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.tools["big"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return []byte(`"` + strings.Repeat("x", 200) + `"`), nil
	}
	w.tools["text"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return []byte(`hello`), nil }
	w.tools["latin"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return []byte("\"\xe9\""), nil
	}
	opt := compose.Options{ArgumentBytes: 100, OutputBytes: 150}
	for name, c := range map[string]struct {
		tool, input, mapping string
		want                 tool.Code
		message              string
	}{
		"input":        {"echo", `"` + strings.Repeat("x", 99) + `"`, `{}`, tool.InvalidInput, "the input has 101 bytes: at most 100 are taken"},
		"no JSON in":   {"echo", `{`, `{}`, tool.InvalidInput, "the input cannot be read"},
		"arguments":    {"echo", `"` + strings.Repeat("x", 60) + `"`, `{"a": "$input", "b": ["$input"]}`, tool.InvalidInput, `step "a", tool "echo": the arguments have more than 100 bytes`},
		"interpolated": {"echo", `[` + strings.Repeat(`"",`, 20) + `""]`, `{"a": "x$input"}`, tool.InvalidInput, "the arguments have more than 100 bytes"},
		"output":       {"big", ``, `{}`, tool.OutputTooLarge, `step "a", tool "big": its output has 202 bytes: at most 150 are taken`},
		"no JSON out":  {"text", ``, `{}`, tool.InvalidOutput, `step "a", tool "text": its output cannot be read`},
		"no UTF-8":     {"latin", ``, `{}`, tool.InvalidOutput, `UTF-8`},
	} {
		p := pipeline(t, fmt.Sprintf(`{"name": "a", "tool": %q, "inputMapping": %s}`, c.tool, c.mapping))
		_, _, err := p.Run(t.Context(), []byte(c.input), w.call, opt)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDoublingEnds(t *testing.T) {
	t.Parallel()
	steps := repeat(`{"name": "s%d", "tool": "echo", "inputMapping": {"l": "$prev", "r": "x $prev $prev"}}`, 20)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	_, trace, err := pipeline(t, strings.Trim(string(steps), "[]")).Run(t.Context(), nil, newWorld().call, compose.Options{})
	goruntime.ReadMemStats(&after)
	if !errors.Is(err, tool.InvalidInput) || len(trace.Steps) == 20 {
		t.Errorf("%v after %d steps", err, len(trace.Steps))
	}
	if total := after.TotalAlloc - before.TotalAlloc; total > 256<<20 {
		t.Errorf("%d bytes were allocated", total)
	}
}

func TestCallsOfATreeAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for level := 3; level >= 1; level-- {
		next := "echo"
		if level < 3 {
			next = fmt.Sprintf("level_%d", level+1)
		}
		if err := w.forge(fmt.Sprintf("level_%d", level), repeat(`{"name": "s%d", "tool": "`+next+`"}`, 20)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.call(t.Context(), "level_1", nil)
	if !errors.Is(err, tool.Limit) || len(w.calls) != 1+256 {
		t.Errorf("%v after %d calls", err, len(w.calls))
	}
}

func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for level, want := range []bool{true, true, true, true, false} {
		next := "echo"
		if level > 0 {
			next = fmt.Sprintf("level_%d", level-1)
		}
		name := fmt.Sprintf("level_%d", level)
		if err := w.forge(name, repeat(`{"name": "s%d", "tool": "`+next+`"}`, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.call(t.Context(), name, nil); (err == nil) != want || (err != nil && !errors.Is(err, tool.Limit)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheTraceHasSizesAndTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Second); return now }
	p := pipeline(t, `{"name": "a", "tool": "echo", "inputMapping": {"v": "$input"}}, {"name": "b", "tool": "echo", "condition": "$prev.v > 'x'"}`)
	_, trace, err := p.Run(t.Context(), []byte("12"), newWorld().call, compose.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	a, b := trace.Steps[0], trace.Steps[1]
	if a.ArgumentBytes != 8 || a.OutputBytes != 8 || a.Duration != time.Second || a.Skipped || a.Code != "" {
		t.Errorf("%+v", a)
	}
	if !b.Skipped || b.Duration != 0 || len(b.Notes) != 1 || !strings.Contains(b.Notes[0], "a number and a string have no order") {
		t.Errorf("%+v", b)
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	_, trace, err := echo(t, ``, compose.Options{Lenient: true}, `{"l": [`+strings.Repeat(`"$word.`+strings.Repeat("x", 200)+`",`, 100)+`1]}`)
	if err != nil || len(trace.Steps[0].Notes) != 10 || len(trace.Steps[0].Notes[0]) > 300 {
		t.Errorf("%d notes, %v", len(trace.Steps[0].Notes), err)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.tools["loud"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, &tool.Error{Code: tool.GuestError, Message: strings.Repeat("é", 1<<20), Hint: "h", Name: "RangeError"}
	}
	w.tools["silent"] = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, &tool.Error{Code: tool.Denied}
	}
	_, _, err := pipeline(t, `{"name": "a", "tool": "loud"}`).Run(t.Context(), nil, w.call, compose.Options{})
	if e := tool.AsError(err); len(e.Message) > 4096 || e.Hint != "h" || e.Name != "RangeError" {
		t.Errorf("%d bytes", len(e.Message))
	}
	_, _, err = pipeline(t, `{"name": "a", "tool": "silent"}`).Run(t.Context(), nil, w.call, compose.Options{})
	if e := tool.AsError(err); e.Code != tool.Denied || e.Message != `step "a", tool "silent": unknown error` {
		t.Error(err)
	}
}

func TestAPipelineIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `
		{"name": "a", "tool": "echo", "inputMapping": {"v": "$input.text", "w": ["<$input.o.a>"]}, "condition": "$input.text == 'ab'"},
		{"name": "b", "tool": "echo", "inputMapping": {"v": "$prev.v"}}`)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				out, _, err := p.Run(t.Context(), []byte(sample), newWorld().call, compose.Options{})
				if err != nil || string(out) != `{"v":"ab"}` {
					t.Errorf("%s, %v", out, err)
				}
			}
		})
	}
	all.Wait()
}

func TestTheOutputBelongsToTheCaller(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `{"name": "a", "tool": "echo", "condition": "false"}`)
	for range 2 {
		out, _, err := p.Run(t.Context(), nil, newWorld().call, compose.Options{})
		if err != nil || string(out) != "null" {
			t.Fatalf("%s, %v", out, err)
		}
		copy(out, "oops")
	}
}

// Work must not be more than linear, whatever is referred to.
func TestHostileValuesAreQuick(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	deep := strings.Repeat(`{"a":`, size/10) + "1" + strings.Repeat("}", size/10)
	deepest := strings.Repeat(`{"a":`, 9000) + `"` + strings.Repeat("x", size/2) + `"` + strings.Repeat("}", 9000)
	path := "$input" + strings.Repeat(".a", 32)
	refs := func(r string) string { return `{"v": "` + strings.Repeat(r+" ", 60_000/(len(r)+1)) + `"}` }
	for name, c := range map[string]struct{ input, mapping string }{
		"too deep":     {deep, refs(path)},
		"deep":         {deepest, refs(path)},
		"long list":    {`[` + strings.Repeat("0,", size/2-2) + `0]`, refs("$input.9999")},
		"wide object":  {`{` + strings.Repeat(`"aa":0,`, size/8) + `"b":0}`, refs("$input.b")},
		"long string":  {`"` + strings.Repeat("x", size-2) + `"`, refs("$input")},
		"quotes":       {`[` + strings.Repeat(`"",`, size/4) + `""]`, refs("$input")},
		"spaces":       {`[` + strings.Repeat(" ", size-2) + `]`, refs("$input")},
		"nothing":      {`{}`, refs("$input.x")},
		"dollar signs": {`{}`, `{"v": "` + strings.Repeat("$", 60_000) + `"}`},
		"brackets":     {`{}`, `{"v": "` + strings.Repeat(`$a[\"`, 10_000) + `"}`},
		"words":        {`{}`, `{"v": "` + strings.Repeat("$a.", 20_000) + `"}`},
		"hyphens":      {`{}`, `{"v": "` + strings.Repeat("$a-", 20_000) + `"}`},
		"dots":         {`{}`, `{"v": "` + strings.Repeat("$", 30_000) + strings.Repeat(".a", 15_000) + `"}`},
	} {
		start := time.Now()
		p, err := compose.Parse(fmt.Appendf(nil, `{"steps": [{"name": "s", "tool": "echo", "inputMapping": %s}]}`, c.mapping), compose.Rules{})
		if err == nil {
			_, _, err = p.Run(t.Context(), []byte(c.input), newWorld().call, compose.Options{})
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %s (%.200v)", name, took, err)
		}
	}
}
