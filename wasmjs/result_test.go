package wasmjs_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, input, want string }{
		"identity":         {`function execute(i) { return i }`, `{"b":1,"a":[true,null,"x"]}`, `{"b":1,"a":[true,null,"x"]}`},
		"run":              {`const run = i => i + 1`, `1`, `2`},
		"execute wins":     {`const run = () => 1; function execute() { return 2 }`, `{}`, `2`},
		"async":            {`async function execute(i) { await null; return i }`, `7`, `7`},
		"promise":          {`function execute() { return Promise.resolve(Promise.resolve(3)) }`, `{}`, `3`},
		"thenable":         {`function execute() { return { then(r) { r(42); r(43) } } }`, `{}`, `42`},
		"nothing":          {`function execute() {}`, `{}`, `null`},
		"undefined member": {`function execute() { return { a: undefined, b: [undefined], c: 1 } }`, `{}`, `{"b":[null],"c":1}`},
		"date":             {`function execute() { return [new Date(0)] }`, `{}`, `["1970-01-01T00:00:00.000Z"]`},
		"minus zero":       {`function execute() { return -0 }`, `{}`, `-0`},
		"numbers":          {`function execute() { return [0.1, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740992, -1] }`, `{}`, `[0.1,1e+21,5e-324,1.7976931348623157e+308,9007199254740992,-1]`},
		"strings":          {`function execute(i) { return i }`, `"\u0000\u001f\"\\\/\b\f\n\r\té€😀\u2028"`, "\"\\u0000\\u001f\\\"\\\\/\\u0008\\u000c\\n\\r\\té€😀\u2028\""},
		"lone surrogates":  {`function execute(i) { return [i, '\udc00x', i.length] }`, `"\ud800"`, `["\ud800","\udc00x",1]`},
		"wrappers":         {`function execute() { return [new Number(1), new String('s'), Object(false)] }`, `{}`, `[1,"s",false]`},
		"toJSON":           {`function execute() { return { toJSON(k) { return { k } } } }`, `{}`, `{"k":""}`},
		"toJSON keys":      {`function execute() { const j = { toJSON(k) { return k } }; return { a: j, b: [j, j] } }`, `{}`, `{"a":"a","b":["0","1"]}`},
		"toJSON undefined": {`function execute() { return { a: { toJSON() {} }, b: 1 } }`, `{}`, `{"b":1}`},
		"raw JSON":         {`function execute() { return [JSON.rawJSON('9007199254740993'), JSON.rawJSON('"é"')] }`, `{}`, `[9007199254740993,"é"]`},
		"proto key":        {`function execute(i) { return i }`, `{"__proto__":{"admin":true}}`, `{"__proto__":{"admin":true}}`},
		"proxy":            {`function execute() { return new Proxy({ a: 1 }, {}) }`, `{}`, `{"a":1}`},
		"array holes":      {`function execute() { return [, 1] }`, `{}`, `[null,1]`},
		"inherited":        {`class A { x = 1; get y() { return 2 } } function execute() { return new A() }`, `{}`, `{"x":1}`},
		"symbol keys":      {`function execute() { return { [Symbol('s')]: 1, a: 2 } }`, `{}`, `{"a":2}`},
		"read once":        {`function execute() { let n = 0; return { get v() { return ++n } } }`, `{}`, `{"v":1}`},
		"replaced JSON":    {`JSON.stringify = () => 'forged'; JSON.parse = () => 'forged'; function execute(i) { return i }`, `[1]`, `[1]`},
		"replaced helpers": {`Array.prototype[Symbol.iterator] = null; Object.keys = null; function execute() { return { real: [1] } }`, `{}`, `{"real":[1]}`},
		"rope":             {`function execute() { let s = ''; for (let i = 0; i < 3000; i++) s = i % 2 ? s + 'ab' : 'cd' + s; return s.length === 6000 && [s] }`, `{}`, `["` + strings.Repeat("cd", 1500) + strings.Repeat("ab", 1500) + `"]`},
		"generator":        {`function* execute() { yield 1 }`, `{}`, `{}`},
		"strict":           {`'use strict'; function execute() { return this === undefined }`, `{}`, `true`},
		"comment at end":   {`function execute() { return 1 } // end`, `{}`, `1`},
		"huge integers":    {`function execute(i) { return [...i, -(2 ** 60), 123456789012345680000, 1e21, 2 ** 70] }`, `[20000000000000112]`, `[20000000000000112,-1152921504606846976,123456789012345683968,1e+21,1.1805916207174113e+21]`},
		"large integers":   {`function execute(i) { return i }`, `[9007199254740991,-9007199254740991,9007199254740992,1e300,0.1000000000000000055]`, `[9007199254740991,-9007199254740991,9007199254740992,1e+300,0.1]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := output(t, c.code, c.input); got != c.want {
				t.Errorf("got  %.300s\nwant %.300s", got, c.want)
			}
		})
	}
}

func TestRefusedResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, path, says string }{
		"NaN":            {`{ a: [1, NaN] }`, "/a/1", "NaN"},
		"infinity":       {`-Infinity`, "", "-Infinity"},
		"bigint":         {`{ n: 10n }`, "/n", "BigInt"},
		"boxed bigint":   {`{ n: Object(10n) }`, "/n", "BigInt"},
		"function":       {`{ f() {} }`, "/f", "function"},
		"class":          {`[class {}]`, "/0", "function"},
		"symbol":         {`[[Symbol('s')]]`, "/0/0", "symbol"},
		"map":            {`{ m: new Map([[1, 2]]) }`, "/m", "Map"},
		"set":            {`new Set([1])`, "", "Set"},
		"nested":         {`[{ a: { b: [new Set()] } }]`, "/0/a/b/0", "Set"},
		"promise":        {`({ p: Promise.resolve(1) })`, "/p", "Promise"},
		"error":          {`[new Error('x')]`, "/0", "Error"},
		"regexp":         {`[/x/]`, "/0", "RegExp"},
		"buffer":         {`[new ArrayBuffer(1)]`, "/0", "buffer"},
		"typed array":    {`[new Uint8Array([1, 2])]`, "/0", "typed array"},
		"big typed":      {`[new BigInt64Array(1)]`, "/0", "typed array"},
		"map iterator":   {`({ v: new Map([[1, 2]]).values() })`, "/v", "iterator"},
		"array entries":  {`[1, 2].entries()`, "", "iterator"},
		"match all":      {`'abc'.matchAll(/b/g)`, "", "iterator"},
		"invalid date":   {`[new Date(NaN)]`, "/0", "Date"},
		"invalid date 2": {`({ d: new Date(NaN) })`, "/d", "Date"},
		"cycle":          {`(() => { const a = {}; a.b = [a]; return a })()`, "/b/0", "cycle"},
		"toJSON result":  {`{ toJSON() { return NaN } }`, "", "NaN"},
		"raw infinity":   {`[JSON.rawJSON('1e999')]`, "/0", "range"},
		"odd key":        {`{ 'a/~': NaN }`, "/a~1~0", "NaN"},
		"unicode key":    {`{ 'ké"y': NaN }`, `/ké"y`, "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := failure(t, `function execute() { const v = `+c.value+`; return v }`, `{}`, tool.Limits{})
			if e.Code != tool.InvalidOutput || e.Path != c.path || !strings.Contains(e.Message, c.says) {
				t.Errorf("%v, path %q", e, e.Path)
			}
		})
	}
}

func TestSharedValuesAreNoCycle(t *testing.T) {
	t.Parallel()
	if got := output(t, `function execute() { const s = [1]; return { a: s, b: [s, s] } }`, `{}`); got != `{"a":[1],"b":[[1],[1]]}` {
		t.Error(got)
	}
}

func TestRefusedInputs(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for name, c := range map[string]struct{ input, path string }{
		"not JSON":        {`{a:1}`, ""},
		"empty":           {``, ""},
		"two values":      {`1 2`, ""},
		"not UTF-8":       {"\"\xff\"", ""},
		"raw surrogate":   {"\"\xed\xb2\xb5\"", ""},
		"2^53+1":          {`{"a":[1,{"n":9007199254740993}]}`, "/a/1/n"},
		"long integer":    {`[123456789012345678901234567890]`, "/0"},
		"out of range":    {`{"x":1e400}`, "/x"},
		"underflow":       {`[0,0.0,0e5,1e-400]`, "/3"},
		"after strings":   {`{"1234567890123456":"9007199254740993","k/~":-9007199254740993}`, "/k~1~0"},
		"too deep":        {deep, ""},
		"key with escape": {`{"\u0061":{"b":1e999}}`, "/a/b"},
	} {
		e := failure(t, `function execute(i) { return i }`, c.input, tool.Limits{})
		if e.Code != tool.InvalidInput || e.Path != c.path {
			t.Errorf("%s: %v, path %q", name, e, e.Path)
		}
	}
	if e := failure(t, `function execute(i) { return i }`, `"xxxxx"`, tool.Limits{InputBytes: 4}); e.Code != tool.InvalidInput {
		t.Errorf("too large: %v", e)
	}
}

func TestLargeInput(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abc", 300_000)
	if got := output(t, `function execute(i) { return i.s.length }`, `{"s":"`+text+`"}`); got != "900000" {
		t.Error(got)
	}
}
