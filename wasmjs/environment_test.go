package wasmjs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, want string }{
		"globals that must not be": {
			`function execute() { return ['process', 'require', 'std', 'os', 'print', 'Worker', 'WebAssembly', 'Atomics', 'fetch', 'fs', 'crypto', 'native', 'scriptArgs', 'Intl', 'navigator'].filter(n => n in globalThis) }`,
			`[]`,
		},
		"base64":              {`function execute() { return [btoa('héllo'), atob('aGk=')] }`, `["aOlsbG8=","hi"]`},
		"text encoding":       {`function execute() { return new TextDecoder().decode(new TextEncoder().encode('é😀')) }`, `"é😀"`},
		"url":                 {`function execute() { return new URL('../b?x=1#h', 'https://ex.org/a/c').href }`, `"https://ex.org/b?x=1#h"`},
		"search params":       {`function execute() { return String(new URLSearchParams({ a: '1 2', b: 'é' })) }`, `"a=1+2&b=%C3%A9"`},
		"structured clone":    {`function execute() { const a = { m: new Map([[1, { d: new Date(0) }]]) }; const b = structuredClone(a); return [b.m.get(1).d.getTime(), b.m !== a.m] }`, `[0,true]`},
		"microtasks":          {`async function execute() { const out = []; queueMicrotask(() => out.push('q')); await null; return out }`, `["q"]`},
		"timers in order":     {`function execute() { const out = []; return new Promise(r => { setTimeout(() => out.push('c'), 30); setTimeout(() => out.push('a'), 5); setTimeout(() => out.push('b'), 5); setTimeout(() => r(out), 40) }) }`, `["a","b","c"]`},
		"timer arguments":     {`function execute() { return new Promise(r => setTimeout((a, b) => r([a, b]), 1, 'x', 'y')) }`, `["x","y"]`},
		"interval":            {`function execute() { let n = 0; return new Promise(r => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); r(n) } }, 1) }) }`, `3`},
		"cleared timer":       {`async function execute() { clearTimeout(setTimeout(() => { throw 1 }, 1)); await new Promise(r => setTimeout(r, 5)); return 'quiet' }`, `"quiet"`},
		"clearing nonsense":   {`function execute() { clearTimeout(); clearTimeout({}); clearInterval('x'); return 1 }`, `1`},
		"time passes waiting": {`async function execute() { const t = Date.now(), p = performance.now(); await new Promise(r => setTimeout(r, 50)); return [Date.now() - t >= 50, performance.now() - p >= 50] }`, `[true,true]`},
		"time passes working": {`function execute() { const t = performance.now(); for (let i = 0; i < 1e6; i++); return performance.now() > t }`, `true`},
		"busy wait ends":      {`function execute() { const t = Date.now(); while (Date.now() - t < 20); return 'done' }`, `"done"`},
		"abort":               {`async function execute() { const c = new AbortController(); setTimeout(() => c.abort('why'), 1); return await new Promise(r => c.signal.addEventListener('abort', () => r(c.signal.reason))) }`, `"why"`},
		"abort timeout":       {`async function execute() { const s = AbortSignal.timeout(2); await new Promise(r => setTimeout(r, 10)); return [s.aborted, s.reason.name] }`, `[true,"TimeoutError"]`},
		"utc":                 {`function execute() { return [new Date('2024-02-29T12:00:00Z').getTimezoneOffset(), new Date(0).getHours()] }`, `[0,0]`},
		"typeof eval":         {`function execute() { return [typeof eval, typeof Function, eval(5)] }`, `["function","function",5]`},
		"shadowing":           {`const URL = 1, console = 2, setTimeout = 3; function execute() { return URL + console + setTimeout }`, `6`},
		"wrapper names":       {`const entry = 1, native = 2, execute_ = 3, result = 4; function execute() { return entry + native + result }`, `7`},
		"escaped names":       {"function execute() { return typeof \\u0055RL }", `"function"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := output(t, c.code, `{}`); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	p := load(t, `const atLoad = Date.now(); function execute() { return [atLoad, new Date().toISOString(), Math.floor(performance.now())] }`)
	r, err := call(t, p, `{}`, wasmjs.CallOptions{Now: time.Date(2031, 5, 6, 7, 8, 9, 250e6, time.UTC)})
	if err != nil || string(r.Output) != `[0,"2031-05-06T07:08:09.250Z",0]` {
		t.Errorf("%s, %v", r.Output, err)
	}
}

func TestDistantClocks(t *testing.T) {
	t.Parallel()
	p := load(t, `function execute() { return new Date().toISOString() }`)
	for _, year := range []int{1, 1600, 1969, 2300, 9999} {
		now := time.Date(year, 2, 3, 4, 5, 6, 789e6, time.UTC)
		r, err := call(t, p, `{}`, wasmjs.CallOptions{Now: now})
		if want := `"` + now.Format("2006-01-02T15:04:05.000Z") + `"`; err != nil || string(r.Output) != want {
			t.Errorf("%s, %v, want %s", r.Output, err, want)
		}
	}
}

func TestLocalTimesAroundChanges(t *testing.T) {
	t.Parallel()
	// Each row: zone, local time, and the instant that it is in Node.js 20.
	code := `function execute(rows) { return rows.map(([y, mo, d, h, mi]) => new Date(y, mo - 1, d, h, mi).toISOString().slice(0, 16)) }`
	for zone, rows := range map[string]map[string]string{
		"America/New_York": {
			"[2026,3,8,1,59]": "2026-03-08T06:59", "[2026,3,8,2,30]": "2026-03-08T07:30", "[2026,3,8,3,0]": "2026-03-08T07:00",
			"[2026,3,8,6,59]": "2026-03-08T10:59", "[2026,11,1,0,59]": "2026-11-01T04:59", "[2026,11,1,1,30]": "2026-11-01T05:30",
			"[2026,11,1,2,0]": "2026-11-01T07:00",
		},
		"Europe/Berlin": {
			"[2026,3,29,1,0]": "2026-03-29T00:00", "[2026,3,29,2,30]": "2026-03-29T01:30", "[2026,3,29,3,0]": "2026-03-29T01:00",
			"[2026,10,25,0,30]": "2026-10-24T22:30", "[2026,10,25,2,30]": "2026-10-25T00:30", "[2026,10,25,3,0]": "2026-10-25T02:00",
		},
		"Australia/Lord_Howe": {"[2026,4,5,1,45]": "2026-04-04T14:45", "[2026,10,4,2,15]": "2026-10-03T15:45"},
	} {
		p := loadSource(t, wasmjs.Source{Code: code, TimeZone: zone})
		for local, want := range rows {
			r, err := call(t, p, "["+local+"]", wasmjs.CallOptions{})
			if err != nil || string(r.Output) != `["`+want+`"]` {
				t.Errorf("%s %s: %s, %v, want %s", zone, local, r.Output, err, want)
			}
		}
	}
}

func TestTimeZones(t *testing.T) {
	t.Parallel()
	code := `const atLoad = new Date(0).getHours(); function execute() { const w = new Date('2024-01-15T12:00:00Z'), s = new Date('2024-07-15T12:00:00Z'); return [atLoad, w.getHours(), s.getHours(), s.getTimezoneOffset()] }`
	for zone, want := range map[string]string{
		"":                 `[0,12,12,0]`,
		"Europe/Berlin":    `[1,13,14,-120]`,
		"America/New_York": `[19,7,8,240]`,
		"Asia/Kolkata":     `[5,17,17,-330]`,
	} {
		r, err := call(t, loadSource(t, wasmjs.Source{Code: code, TimeZone: zone}), `{}`, wasmjs.CallOptions{})
		if err != nil || string(r.Output) != want {
			t.Errorf("%s: %s, %v, want %s", zone, r.Output, err, want)
		}
	}
	for _, zone := range []string{"Mars/Olympus", "Local"} {
		_, err := engine(t).Load(t.Context(), wasmjs.Source{Code: code, TimeZone: zone}, tool.Limits{})
		if !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%s: %v", zone, err)
		}
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	p := load(t, `console.info('loading'); function execute(i) {
		console.log('hello', { a: 1 }, [1, 'two']);
		console.warn('%s is %d', 'x', 4);
		console.error(new Error('bad').message);
		for (let k = 0; k < i.lines; k++) console.log('line ' + k);
		if (i.long) console.log('y'.repeat(i.long));
	}`)
	var told []wasmjs.Log
	r, err := call(t, p, `{}`, wasmjs.CallOptions{Log: func(l wasmjs.Log) { told = append(told, l) }})
	if err != nil || r.LogsCut {
		t.Fatal(r.LogsCut, err)
	}
	if !slices.Equal(told, r.Logs) {
		t.Errorf("while it ran it said %v, in the end %v", told, r.Logs)
	}
	var got []string
	for _, l := range r.Logs {
		got = append(got, l.Level+" "+l.Text)
	}
	want := "info loading|log hello {\"a\":1} [1,\"two\"]|warn x is 4|error bad"
	if text := strings.ReplaceAll(strings.Join(got, "|"), " ", ""); !strings.HasPrefix(text, "infoloading|loghello") || len(got) != 4 ||
		!strings.HasSuffix(text, "|warnxis4|errorbad") {
		t.Errorf("got %s, want about %s", strings.Join(got, "|"), want)
	}
	for _, input := range []string{`{"lines":100000}`, `{"long":50000000}`} {
		r, err := call(t, p, input, wasmjs.CallOptions{Limits: tool.Limits{Timeout: time.Minute}})
		total := 0
		for _, l := range r.Logs {
			total += len(l.Text)
		}
		if err != nil || !r.LogsCut || total > 64<<10 {
			t.Errorf("%s: %d bytes in %d lines, cut %v, %v", input, total, len(r.Logs), r.LogsCut, err)
		}
	}
	small, err := call(t, p, `{"lines":100}`, wasmjs.CallOptions{Limits: tool.Limits{LogBytes: 200}})
	if err != nil || !small.LogsCut || len(small.Logs) > 12 {
		t.Errorf("%d lines, %v", len(small.Logs), err)
	}
}

func TestLogsOfFailedCallsAreKept(t *testing.T) {
	t.Parallel()
	for _, how := range []string{`throw 1`, `for (;;);`, `return NaN`, `return new Promise(() => 0)`} {
		p := load(t, `function execute() { console.log('before'); `+how+` }`)
		r, err := call(t, p, `{}`, wasmjs.CallOptions{Limits: tool.Limits{Timeout: time.Second}})
		if err == nil || fmt.Sprint(r.Logs) != "[{log before}]" {
			t.Errorf("%s: %v, %v", how, r.Logs, err)
		}
	}
}

func TestManyTimers(t *testing.T) {
	t.Parallel()
	got := output(t, `function execute() { let n = 0; return new Promise(r => { for (let i = 0; i < 2000; i++) setTimeout(() => { if (++n === 2000) r(n) }, i % 20) }) }`, `{}`)
	if got != "2000" {
		t.Error(got)
	}
}

func TestTimersAreBounded(t *testing.T) {
	t.Parallel()
	e := failure(t, `function execute() { for (;;) setTimeout(() => 0, 1) }`, `{}`, tool.Limits{MemoryBytes: 8 << 20, Timeout: 2 * time.Second})
	if e.Code != tool.OutOfMemory && e.Code != tool.Timeout && e.Code != tool.OutOfFuel {
		t.Error(e)
	}
}
