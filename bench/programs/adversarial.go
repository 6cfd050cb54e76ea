package programs

// DeepRecursion is the adversarial program that is measured apart: the first deep recursion on an instance also
// pays for the growth of the native stack.
var DeepRecursion = hostile("first_deep_recursion", `let depth = 0; function dive() { depth++; return dive() + 1 } for (;;) { try { dive() } catch {} }`)

// Adversarial returns programs that try to outlive their deadline: endless loops in the language and inside native
// built-ins, huge single operations, allocation storms. Some end by themselves, by an error, before a deadline.
func Adversarial() []Program { return append([]Program(nil), adversarial...) }

var adversarial = []Program{
	// Loops in the language.
	hostile("loop", `for (;;) {}`),
	hostile("loop_catch", `for (;;) { try { for (;;) {} } catch {} finally { continue } }`),
	hostile("loop_throw", `for (;;) { try { throw 1 } catch {} }`),
	{Name: "loop_async", Source: `async function execute() { for (;;) await null }`, Input: "null"},
	hostile("loop_jobs", `const spin = () => { queueMicrotask(spin) }; spin(); return new Promise(() => {})`),
	hostile("loop_generator", `function* g() { for (;;) yield* [1, 2, 3] } for (const x of g()) {}`),
	hostile("loop_getter", `const o = { get a() { return this } }; for (let p = o;;) p = p.a`),
	hostile("loop_proxy", `const p = new Proxy({}, { get: (t, k, r) => r }); for (let q = p;;) q = q.x`),

	// Built-ins over lengths that never end.
	hostile("generic_fill", `Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)`),
	hostile("generic_index_of", `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`),
	hostile("generic_reverse", `Array.prototype.reverse.call({ length: 2 ** 53 - 1 })`),
	hostile("generic_sort", `Array.prototype.sort.call({ length: 2 ** 53 - 1 })`),
	hostile("generic_every", `Array.prototype.every.call({ length: 2 ** 53 - 1 }, x => x)`),
	hostile("sparse_join", `return new Array(2 ** 28).join('').length`),
	hostile("iterator_spread", `return [...{ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 0 }) }) }]`),

	// Regular expressions.
	hostile("regex_nested", `return /^(x+)+$/.test('x'.repeat(48) + '-')`),
	hostile("regex_alternation", `return /^(x|xx|x)*y$/.test('x'.repeat(200))`),
	hostile("regex_lookahead", `return /^(?:(?=(x+))x)+$/.test('x'.repeat(90000) + '-')`),
	hostile("regex_backreference", `return /^(x*)(x*)(x*)(x*)\1\2\3\4-$/.test('x'.repeat(300))`),
	hostile("regex_quadratic", `return /x*y/.test('x'.repeat(300000))`),

	// Big integers.
	hostile("bigint_square", `let x = 5n; for (;;) { x = x * x; x.toString() }`),
	hostile("bigint_power", `for (;;) (9n ** 200000n).toString()`),
	hostile("bigint_divide", `const a = 1n << 900000n, b = (1n << 450000n) + 1n; for (;;) a % b`),
	hostile("bigint_parse", `const digits = '7'.repeat(250000); for (;;) BigInt(digits)`),

	// Bytes in bulk.
	hostile("bytes_copy_up", `const a = new Uint8Array(56 << 20); for (;;) a.copyWithin(3, 0)`),
	hostile("bytes_copy_down", `const a = new Uint8Array(56 << 20); for (;;) a.copyWithin(0, 3)`),
	hostile("bytes_fill", `const a = new Uint8Array(56 << 20); for (;;) a.fill(9)`),
	hostile("doubles_fill", `const a = new Float64Array(7 << 20); for (;;) a.fill(0.5)`),
	hostile("bytes_set", `const a = new Uint8Array(26 << 20), b = new Uint8Array(26 << 20); for (;;) a.set(b)`),
	hostile("bytes_slice", `const a = new Uint8Array(26 << 20); for (;;) a.slice()`),
	hostile("bytes_allocate", `for (;;) new Uint8Array(56 << 20)`),
	hostile("bytes_reverse", `const a = new Uint8Array(56 << 20); for (;;) a.reverse()`),
	hostile("bytes_index_of", `const a = new Uint8Array(56 << 20); for (;;) a.indexOf(1)`),
	hostile("words_sort", `const a = new Uint32Array(8 << 20); for (let i = 0; i < a.length; i += 89) a[i] = i * 6151; for (;;) a.sort()`),
	hostile("buffer_resize", `const b = new ArrayBuffer(1, { maxByteLength: 56 << 20 }); for (;;) { b.resize(56 << 20); b.resize(1) }`),
	hostile("buffer_transfer", `let b = new ArrayBuffer(26 << 20); for (;;) b = b.transfer(b.byteLength ^ 1)`),

	// Text in bulk.
	hostile("text_repeat", `for (;;) 'xyz'.repeat(12000000)`),
	hostile("text_compare", `const a = 'xy'.repeat(11000000), b = 'xy'.repeat(11000000); for (;;) a === b`),
	hostile("text_index", `const a = 'xy'.repeat(11000000); for (;;) { a.indexOf('yx', 3); a.lastIndexOf('--') }`),
	hostile("text_upper", `const a = 'xy'.repeat(6000000); for (;;) a.toUpperCase()`),
	hostile("text_concat", `const a = 'xy'.repeat(8000000); for (;;) (a + '-').charCodeAt(1)`),
	hostile("text_normalize", `const a = '\u0344'.repeat(2500000); for (;;) a.normalize('NFKD')`),
	hostile("text_double", `for (let s = '-';;) s += s`),

	// Arrays, collections, JSON.
	hostile("array_slice", `const a = new Array(2500000).fill(1); for (;;) a.slice()`),
	hostile("array_shift", `const a = new Array(2500000).fill(1); for (;;) { a.shift(); a.push(1) }`),
	hostile("array_splice", `const a = new Array(2500000).fill(1); for (;;) { a.splice(3, 1); a.splice(3, 0, 1) }`),
	hostile("array_spread", `const a = new Array(30000).fill(1); for (;;) Math.max(...a)`),
	hostile("map_growth", `const m = new Map(); for (let i = 0;; i++) m.set(i, i)`),
	hostile("json_round", `const a = Array.from({ length: 150000 }, (_, i) => i); for (;;) JSON.parse(JSON.stringify(a))`),
	hostile("json_deep", `const text = '['.repeat(150000) + ']'.repeat(150000); for (;;) { try { JSON.parse(text) } catch {} }`),

	// Memory.
	hostile("memory_cycles", `const keep = []; for (let i = 0; i < 250000; i++) { const o = {}; o.self = o; keep.push(o) } for (;;) keep.push({})`),
	hostile("memory_bytes", `for (const a = [];;) a.push(new Uint8Array(1 << 20))`),
	hostile("memory_catch", `for (;;) { try { for (const a = [];;) a.push(new Uint8Array(1 << 20)) } catch {} }`),
	hostile("recursion_replace", `const f = () => 'x'.replace(/x/, f); for (;;) { try { f() } catch {} }`),
}

// hostile makes the program whose execute has the given body.
func hostile(name, body string) Program {
	return Program{Name: name, Source: "function execute() { " + body + " }\n", Input: "null"}
}
