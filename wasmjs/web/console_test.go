package web_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/wasmjs"
)

func TestConsole(t *testing.T) {
	engine := newEngine(t)
	tests := map[string]struct {
		body string
		want []string // a line per log: its level and its text
	}{
		"levels": {
			`console.log('a'); console.info('b'); console.warn('c'); console.error('d'); console.debug('e'); console.dir('f')`,
			[]string{"log a", "info b", "warn c", "error d", "debug e", `log "f"`},
		},
		"joined by spaces":   {`console.log('a', 1, 'b c', true, null, undefined); console.log()`, []string{"log a 1 b c true null undefined", "log "}},
		"numbers":            {`console.log(-0, 1e21, NaN, 10n, 1.50)`, []string{"log -0 1e+21 NaN 10n 1.5"}},
		"objects":            {`console.log({ a: 1, 'b-c': [1, 'x'], '': { d: null } })`, []string{`log { a: 1, "b-c": [1, "x"], "": { d: null } }`}},
		"empty":              {`console.log({}, [], '', new Map(), new Set())`, []string{"log {} []  Map(0) {} Set(0) {}"}},
		"symbols":            {`console.log(Symbol('a'), { [Symbol('k')]: 1 })`, []string{"log Symbol(a) { [Symbol(k)]: 1 }"}},
		"__proto__ as a key": {`console.log(JSON.parse('{"__proto__":1}'))`, []string{"log { __proto__: 1 }"}},
		"no prototype":       {`console.log(Object.create(null))`, []string{"log [null prototype] {}"}},
		"holes":              {`console.log([, 1, , , 2, ,], new Array(3))`, []string{"log [<1 empty>, 1, <2 empty>, 2, <1 empty>] [<3 empty>]"}},
		"array members":      {`console.log(/b/.exec('abc'))`, []string{`log ["b", index: 1, input: "abc", groups: undefined]`}},
		"collections": {
			`console.log(new Map([['a', { b: 1 }]]), new Set([1, [2]]))`,
			[]string{`log Map(1) { "a" => { b: 1 } } Set(2) { 1, [2] }`},
		},
		"binary": {
			`console.log(new Uint8Array([1, 2]), new Float32Array([1.5]), new BigInt64Array([1n]), new ArrayBuffer(3))`,
			[]string{"log Uint8Array(2) [1, 2] Float32Array(1) [1.5] BigInt64Array(1) [1n] ArrayBuffer { byteLength: 3 }"},
		},
		"dates and patterns": {
			`console.log(new Date(0), [new Date(NaN)], /a\/b/gi)`,
			[]string{"log 1970-01-01T00:00:00.000Z [Invalid Date] /a\\/b/gi"},
		},
		"boxed": {
			`console.log(new Boolean(true), new Number(1), new String('s'), Object(1n), Object(Symbol('x')))`,
			[]string{`log [Boolean: true] [Number: 1] [String: "s"] [BigInt: 1n] [Symbol: Symbol(x)]`},
		},
		"functions": {
			`console.log(function f() {}, () => 1, async function g() {}, class A {}, Math.max, [function* h() {}])`,
			[]string{"log [Function f] [Function (anonymous)] [AsyncFunction g] [class A] [Function max] [[GeneratorFunction h]]"},
		},
		"classes": {
			`class P { x = 1; #y = 2; get z() { return 3 } } class M extends Map {} console.log(new P(), [new P()], new M())`,
			[]string{"log P { x: 1 } [P { x: 1 }] M(0) {}"},
		},
		"platform objects": {
			`console.log(new URL('http://h/?a=1'), new URLSearchParams('a=1'), [new URL('x:y')], new Event('e'), Promise.resolve(), new WeakMap())`,
			[]string{`log URL "http://h/?a=1" URLSearchParams "a=1" [URL "x:y"] Event {} Promise {} WeakMap {}`},
		},
		"a guest class of a known name": {`{ class URL { x = 1 } console.log(new URL()) }`, []string{"log URL { x: 1 }"}},
		"cycles":                        {`const o = { a: {} }; o.a.o = o; o.s = o.a; console.log(o)`, []string{"log { a: { o: [Circular] }, s: { o: [Circular] } }"}},
		"depth": {
			`console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } }, { a: [[[[[1]]]]] })`,
			[]string{"log { a: { b: { c: { d: { e: [Object] } } } } } { a: [[[[[Array]]]]] }"},
		},
		"an error": {`console.error(new TypeError('bad'))`, []string{"error TypeError: bad\n    at execute (tool.js:2:19)"}},
		"errors inside": {
			`class MyError extends Error {} const named = new Error('n'); named.name = 'Named'; named.code = 5;
			console.log([new RangeError('r'), new MyError('m'), named, new Error()])`,
			[]string{"log [[RangeError: r], [MyError: m], [Named: n] { code: 5 }, [Error]]"},
		},
		"causes": {
			`console.log([new Error('a', { cause: new Error('b', { cause: 1 }) }), new AggregateError([1], 'c')])`,
			[]string{"log [[Error: a] { cause: [Error: b] { cause: 1 } }, [AggregateError: c] { errors: [1] }]"},
		},
		"a DOMException": {`console.log([new DOMException('m', 'AbortError')])`, []string{"log [[AbortError: m]]"}},
		"format letters": {
			`console.log('%s is %d, %i, %f: %j %o%c.', 'Bob', '42', '12.9px', '1.5e1', { a: 1 }, 'q', 'css', 'rest')`,
			[]string{`log Bob is 42, 12, 15: {"a":1} "q". rest`},
		},
		"format letters and odd values": {
			`console.log('%d %d %d %d %s %s %s', {}, 5n, Symbol(), undefined, Symbol('s'), -0, { toString() { throw 1 } })`,
			[]string{"log NaN 5n NaN NaN Symbol(s) -0 { toString: [Function toString] }"},
		},
		"percent signs": {
			`console.log('100%', 1); console.log('%%'); console.log('%% %x %s', 'a'); console.log('%s %s', 'a'); console.log(1, '%s', 2)`,
			[]string{"log 100% 1", "log %%", "log % %x a", "log a %s", "log 1 %s 2"},
		},
		"accessors":         {`console.log({ get a() { throw 1 }, set b(v) {} }, [Object.defineProperty([], 0, { get() { throw 1 }, enumerable: true })])`, []string{"log { a: [Getter], b: [Setter] } [[[Getter]]]"}},
		"proxies":           {`const r = Proxy.revocable({}, {}); r.revoke(); console.log(r.proxy, [new Proxy([], {})], new Proxy(() => 1, {}), Object.create(new Proxy({}, {})))`, []string{"log [Proxy] [[Proxy]] [Proxy] {}"}},
		"a throwing toJSON": {`console.log('%j %j', { toJSON() { throw 1 } }, 1n); console.log({ toJSON() { throw 1 } })`, []string{"log [Throws] [Throws]", "log { toJSON: [Function toJSON] }"}},
		"a hostile error": {
			`const e = new Error('m'); for (const k of ['name', 'message', 'stack', 'cause']) Object.defineProperty(e, k, { get() { throw k } }); console.log([e])`,
			[]string{"log [[Error] { cause: [Getter] }]"},
		},
		"a hostile class": {
			`class C { get [Symbol.toStringTag]() { throw 1 } static get name() { throw 2 } } Object.defineProperty(C.prototype, 'constructor', { get() { throw 3 } }); console.log(new C(), [C])`,
			[]string{"log {} [[class (anonymous)]]"},
		},
		"polluted prototypes": {
			`for (const k of ['get', 'value', 'enumerable']) Object.defineProperty(Object.prototype, k, { __proto__: null, get() { throw k } });
			for (const C of [Array, String, Map, RegExp]) for (const k of Object.getOwnPropertyNames(C.prototype)) if (k !== 'constructor' && k !== 'length') C.prototype[k] = () => { throw k };
			Array.prototype[Symbol.iterator] = Reflect.ownKeys = JSON.stringify = () => { throw 1 };
			console.log('%s|', 'a', { b: [1, 'c'], get d() { return 1 } }, new Map()); console.table([{ a: 1 }])`,
			[]string{`log a| { b: [1, "c"], d: [Getter] } Map(0) {}`, "log | (index) | a |\n| --- | --- |\n| 0 | 1 |"},
		},
		"groups": {
			`console.group('a', 1); console.group(); console.log('x\ny'); console.groupEnd(); console.log('z'); console.groupEnd(); console.groupEnd(); console.log('end')`,
			[]string{"log a 1", "log     x\n    y", "log   z", "log end"},
		},
		"assert": {
			`console.assert(1, 'no'); console.assert(0); console.assert(false, 'of %s', 'it'); console.assert('', { a: 1 })`,
			[]string{"error Assertion failed", "error Assertion failed: of it", "error Assertion failed { a: 1 }"},
		},
		"counts": {
			`console.count(); console.count('a'); console.count(); console.countReset(); console.count(); console.count(Symbol('s')); console.count('__proto__')`,
			[]string{"log default: 1", "log a: 1", "log default: 2", "log default: 1", "log Symbol(s): 1", "log __proto__: 1"},
		},
		"timers that do not run": {`console.timeEnd('t'); console.timeLog()`, []string{`log Timer "t" was not started`, `log Timer "default" was not started`}},
		"trace":                  {`function here() { console.trace('why', 1) } here()`, []string{"log Trace: why 1\n    at here (tool.js:2:27)\n    at execute (tool.js:2:45)"}},
		"table of objects": {
			`console.table([{ a: 1, b: 'x' }, { a: 2, c: { d: 1 } }, 5])`,
			[]string{"log | (index) | a | b | c | Values |\n| --- | --- | --- | --- | --- |\n| 0 | 1 | \"x\" |  |  |\n| 1 | 2 |  | { d: 1 } |  |\n| 2 |  |  |  | 5 |"},
		},
		"table of some columns": {`console.table({ x: { v: 1, w: 2 } }, ['w'])`, []string{"log | (index) | w |\n| --- | --- |\n| x | 2 |"}},
		"table of no table":     {`console.table(5); console.table([]); console.table(new Map([[1, 2]]))`, []string{"log 5", "log []", "log Map(1) { 1 => 2 }"}},
		"unbound":               {`const { log } = console; [1].forEach(log)`, []string{"log 1 0 [1]"}},
		"the object":            {`console.log(Object.prototype.toString.call(console), Object.keys(globalThis).includes('console'))`, []string{"log [object console] false"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, logged(t, engine, test.body)); diff != "" {
				t.Errorf("%s\n-want +got:\n%s", test.body, diff)
			}
		})
	}
}

func TestConsoleCuts(t *testing.T) {
	engine := newEngine(t)
	const mark = "… (cut)"
	tests := map[string]struct {
		body       string
		start, end string
		most       int // UTF-16 units
	}{
		"a text":          {`console.log('x'.repeat(100_000))`, "xxx", "x" + mark, 65_536},
		"a nested text":   {`console.log(['x'.repeat(20_000)])`, `["xxx`, `x"` + mark + "]", 10_300},
		"many texts":      {`console.log(Array(90).fill('x'.repeat(9_000)))`, `["xxx`, mark, 65_536},
		"an array":        {`console.log(Array.from({ length: 150 }, (_, i) => i))`, "[0, 1, 2", "98, 99, … 50 more]", 600},
		"an object":       {`console.log(Object.fromEntries(Array.from({ length: 150 }, (_, i) => ['k' + i, i])))`, "{ k0: 0", "k99: 99, … 50 more }", 2_000},
		"a set":           {`console.log(new Set(Array(150).keys()))`, "Set(150) { 0, 1", "99, … 50 more }", 600},
		"a huge array":    {`console.log(new Array(2 ** 32 - 1))`, "[<100 empty>", "… 4294967195 more]", 100},
		"a bush":          {`const bush = (n) => n ? Array.from({ length: 100 }, () => bush(n - 1)) : 1; const b = bush(2); console.log([[b, b, b, b], [b, b, b, b]])`, "[[[[1, 1", mark, 65_536},
		"a chain":         {`let o = {}; const top = o; for (let i = 0; i < 20_000; i++) o = o.x = {}; console.log(top)`, "{ x: { x:", "[Object] } } } } }", 100},
		"a long key":      {`console.log({ ['k'.repeat(50_000)]: 1 })`, "{ kkk", mark + ": 1 }", 10_300},
		"groups of lines": {`for (let i = 0; i < 1000; i++) console.group(); console.log('\n'.repeat(10_000))`, "   ", mark, 65_536},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			logs := logged(t, engine, test.body)
			if len(logs) != 1 {
				t.Fatalf("%d logs, want 1", len(logs))
			}
			text := strings.TrimPrefix(logs[0], "log ")
			if !strings.HasPrefix(text, test.start) || !strings.HasSuffix(text, test.end) || len([]rune(text)) > test.most {
				t.Errorf("%s: %d characters, %.20q to %q", test.body, len([]rune(text)), text, text[max(0, len(text)-40):])
			}
		})
	}
}

// logged runs body as a tool and returns its logs.
func logged(t *testing.T, engine *wasmjs.Engine, body string) []string {
	t.Helper()
	var lines []string
	for _, log := range run(t, engine, "function execute() {\n"+body+"\nreturn null }").Logs {
		lines = append(lines, log.Level+" "+log.Text)
	}
	return lines
}
