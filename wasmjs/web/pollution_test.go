package web_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pollute replaces nearly every built-in that the pieces could use with a function that throws.
const pollute = `
  const trap = () => { throw new RangeErrorKept('a replaced built-in was called'); };
  const RangeErrorKept = RangeError, { defineProperty, getOwnPropertyDescriptor } = Object, ownKeys = Reflect.ownKeys;
  const names = ownKeys(globalThis), tables = [];
  const kept = { __proto__: null, console: 1, URL: 1, URLSearchParams: 1, TextEncoder: 1, TextDecoder: 1, structuredClone: 1,
    Event: 1, CustomEvent: 1, EventTarget: 1, AbortController: 1, AbortSignal: 1, globalThis: 1, undefined: 1, NaN: 1, Infinity: 1 };
  for (let i = 0; i < names.length; i++) {
    const value = globalThis[names[i]];
    if (typeof value === 'function' && !kept[names[i]]) tables[tables.length] = value, tables[tables.length] = value.prototype;
    else if (names[i] === 'Math' || names[i] === 'JSON' || names[i] === 'Reflect') tables[tables.length] = value;
  }
  tables[tables.length] = Object.getPrototypeOf(Uint8Array.prototype);
  tables[tables.length] = Object.getPrototypeOf([].values());
  tables[tables.length] = Object.getPrototypeOf(new Map().entries());
  for (let i = 0; i < tables.length; i++) {
    const table = tables[i], keys = table ? ownKeys(table) : [];
    for (let k = 0; k < keys.length; k++) {
      const d = getOwnPropertyDescriptor(table, keys[k]);
      if (!d.configurable || keys[k] === 'constructor' || keys[k] === 'prototype' || keys[k] === 'name' || keys[k] === '__proto__') continue;
      if (typeof d.value === 'function') defineProperty(table, keys[k], { __proto__: null, value: trap, writable: true });
      else if (d.get) defineProperty(table, keys[k], { __proto__: null, get: trap });
    }
  }
  for (const key in { get: 1, set: 1, value: 1, enumerable: 1, index: 1, done: 1 })
    defineProperty(Object.prototype, key, { __proto__: null, get: trap, set: trap });
  for (let i = 0; i < names.length; i++)
    if (!kept[names[i]] && typeof globalThis[names[i]] === 'function' && names[i] !== 'execute') globalThis[names[i]] = trap;
`

// uses runs through the pieces in ways that need no built-in itself and returns what came out.
const uses = `
  const out = [];
  const u = new URL('http://us er:p@B%41ü.de:81/a/../ b/%2e/ç?x=1 \'&y#f "', 'foo:bar');
  out[0] = u.href;
  u.searchParams.append('é', '~ %&'); u.searchParams.delete('x'); u.searchParams.sort();
  out[1] = u.href + u.searchParams.get('é') + u.searchParams.has('y') + u.searchParams.size;
  u.host = '[1:0::2]:5'; u.pathname = '/p/..\\q'; u.hash = 'é'; u.protocol = 'https'; u.port = '443'; u.search = '?%ff=%C3%A9+';
  out[2] = u.href + ' ' + u.origin + u.searchParams.toString() + URL.canParse('x') + new URL('http://0x7f.1').host;
  out[3] = new TextDecoder().decode(new TextEncoder().encode('aé€😀\u{d800}')) + new TextDecoder('latin1').decode(new TextEncoder().encode('é'));
  const cloned = structuredClone({ a: [1, , 'x'], d: time, r: pattern, m: map, s: set, e: error, b: bytes, p: { __proto__: null, q: 1n } });
  console.log(cloned);
  console.log('%s %d %i %f %o|', 'a', '1', '2.5', '3.5', [map, set, bytes], error, time, pattern, u, symbol, () => 1);
  console.table([{ a: 1 }, 2]); console.group(); console.log('x\ny'); console.count(); console.assert(0, 'no');
  const controller = new AbortController(), target = new EventTarget();
  let n = 0;
  target.addEventListener('x', { handleEvent(e) { n += e.type === 'x' && e.target === target ? 1 : 100; } }, { signal: controller.signal });
  target.addEventListener('x', () => { n += 10; }, true);
  target.dispatchEvent(new CustomEvent('x', { detail: 1 }));
  controller.abort();
  target.dispatchEvent(new Event('x'));
  out[4] = n + controller.signal.reason.name;
  return out;
`

func TestReplacedBuiltinsBreakNothing(t *testing.T) {
	engine := newEngine(t)
	const before = `const time = new Date(5), pattern = /a/gi, map = new Map([[1, { a: 2 }]]), set = new Set([1]);
const error = new TypeError('e', { cause: 1 }), bytes = new Uint8Array([1, 2]), symbol = Symbol('s');
function execute() {`
	clean, dirty := run(t, engine, before+uses+"}"), run(t, engine, before+pollute+uses+"}")
	if diff := cmp.Diff(string(clean.Output), string(dirty.Output)); diff != "" {
		t.Errorf("output, -clean +replaced:\n%s", diff)
	}
	if diff := cmp.Diff(clean.Logs, dirty.Logs); diff != "" {
		t.Errorf("logs, -clean +replaced:\n%s", diff)
	}
}
