package wasmjs_test

import (
	"os"
	"testing"

	"example.com/toolsmith/wasmjs"
)

// TestPatchedEngine guards the places where guest/shim/quickjs.patch changes what the engine does.
func TestPatchedEngine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ expression, want string }{
		"split by class":        {`'a,b; c'.split(/[,;] ?/)`, `["a","b","c"]`},
		"split, captures":       {`'a1b2c'.split(/(\d)/)`, `["a","1","b","2","c"]`},
		"split, empty match":    {`'abc'.split(/(?:)/)`, `["a","b","c"]`},
		"split, maybe empty":    {`'axbc'.split(/x*/)`, `["a","b","c"]`},
		"split, at the ends":    {`',a,'.split(/,/)`, `["","a",""]`},
		"split, no match":       {`'abc'.split(/x/)`, `["abc"]`},
		"split, limit":          {`'a,b,c'.split(/,/, 2)`, `["a","b"]`},
		"split, empty":          {`[''.split(/,/), ''.split(/(?:)/)]`, `[[""],[]]`},
		"split, sticky":         {`'a,b'.split(/,/y)`, `["a","b"]`},
		"split, global":         {`'a,b,c'.split(/,/g)`, `["a","b","c"]`},
		"split, anchors":        {`'a\nb'.split(/^/m)`, `["a\n","b"]`},
		"split, lookbehind":     {`['aXbX'.split(/(?<=X)/), 'aXbXc'.split(/(?<=X)/)]`, `[["aX","bX"],["aX","bX","c"]]`},
		"split, unicode":        {`'😀x😁'.split(/x/u)`, `["😀","😁"]`},
		"split, astral":         {`'😀😁'.split(/(?:)/u)`, `["😀","😁"]`},
		"split, empty at end":   {`['ab'.split(/$/), 'ab\n'.split(/$/m), 'ab'.split(/b*$/)]`, `[["ab"],["ab","\n"],["a",""]]`},
		"split, units":          {`'😀'.split(/(?:)/).length`, `2`},
		"split, ignore case":    {`'aXbxc'.split(/x/i)`, `["a","b","c"]`},
		"split, own exec":       {`(() => { const r = /,/; r.exec = () => null; return 'a,b'.split(r) })()`, `["a","b"]`},
		"split, species":        {`(() => { let n = 0; class R extends RegExp { exec(s) { n++; return super.exec(s) } } return [...'a,b'.split(new R(',')), n] })()`, `["a","b",3]`},
		"split, proto exec":     {`(() => { RegExp.prototype.exec = () => null; return 'a,b'.split(/,/) })()`, `["a,b"]`},
		"split, not a regexp":   {`RegExp.prototype[Symbol.split].call({ constructor: RegExp, exec: RegExp.prototype.exec, flags: '', toString() { return ',' }, source: ',' }, 'a') instanceof Array`, `true`},
		"split, throwing ctor":  {`(() => { const r = /,/; Object.defineProperty(r, 'constructor', { get() { throw new Error('c') } }); try { 'a'.split(r) } catch (e) { return e.message } })()`, `"c"`},
		"replace, plain":        {`'a-b--c'.replace(/-+/g, '+')`, `"a+b+c"`},
		"replace, empty match":  {`'abc'.replace(/(?:)/g, '.')`, `".a.b.c."`},
		"replace, maybe empty":  {`'xaxxb'.replace(/x*/g, '.')`, `"..a..b."`},
		"replace, dollar":       {`'a-b'.replace(/-/g, '$&$&')`, `"a--b"`},
		"replace, sticky":       {`'aab'.replace(/a/gy, 'x')`, `"xxb"`},
		"replace, last index":   {`(() => { const r = /a/g; r.lastIndex = 2; return ['aaa'.replace(r, 'x'), r.lastIndex] })()`, `["xxx",0]`},
		"replace, own exec":     {`(() => { const r = /a/g; r.exec = () => null; return 'aa'.replace(r, 'x') })()`, `"aa"`},
		"replace, astral":       {`['😀a'.replace(/./gu, 'x'), '😀a'.replace(/./g, 'x'), '😀'.replace(/(?:)/gu, '.')]`, `["xx","xxx",".😀."]`},
		"replace, wide":         {`'aéb€c'.replace(/[^a-z]/g, '€')`, `"a€b€c"`},
		"search, class":         {`['xx1'.search(/[0-9]/), 'xx'.search(/[0-9]/), ''.search(/[0-9]/), 'é1'.search(/[^\x00-\x7f]/)]`, `[2,-1,-1,0]`},
		"search, many ranges":   {`'__k'.search(/[ac-eg-ikm-oq-su-w1-35-7]/)`, `2`},
		"search, code point":    {`['a😀'.search(/😀/u), 'a😀'.search(/[😀-😂]/u), 'a😀'.search(/[^a]/u), '\udc00😀'.match(/[^\udc00]/u)[0]]`, `[1,1,1,"😀"]`},
		"search, captures":      {`'xay'.match(/(b)?(a)/)`, `["a",null,"a"]`},
		"search, tried before":  {`'ab1ab2'.match(/(a)(b)2/)`, `["ab2","a","b"]`},
		"search, ends":          {`['ab'.search(/$/), ''.search(/(?:)/), 'ab'.search(/b$/), 'a\nb'.search(/^b/m)]`, `[2,0,1,2]`},
		"search, ignore case":   {`'xxÀ'.search(/à/i)`, `2`},
		"lower, ascii":          {`'AbZ[@` + "`" + `{09'.toLowerCase()`, "\"abz[@`{09\""},
		"upper, ascii":          {`'aBz[@` + "`" + `{09'.toUpperCase()`, "\"ABZ[@`{09\""},
		"lower, latin":          {`'ÀÉß'.toLowerCase()`, `"àéß"`},
		"upper, latin":          {`'àéßÿ'.toUpperCase()`, `"ÀÉSSŸ"`},
		"lower, wide":           {`'ΑΣ'.toLowerCase()`, `"ας"`},
		"upper, rope":           {`('ab'.repeat(500) + 'c'.repeat(500)).toUpperCase().slice(998, 1002)`, `"ABCC"`},
		"map of numbers":        {`(() => { const m = new Map(); for (let i = -500; i < 500; i++) m.set(i / 4, i); let s = 0; for (let i = -500; i < 500; i++) s += m.get(i / 4) === i; return [s, m.size, m.get(-0), m.has(NaN)] })()`, `[1000,1000,0,false]`},
		"set of odd keys":       {`new Set([NaN, NaN, 0, -0, '0', 0n, null, undefined, 1, 1.0]).size`, `7`},
		"dates":                 {`[new Date(0).toString(), new Date(0).toUTCString(), new Date(-62198755200000).toISOString(), new Date(8.64e15).toISOString()]`, `["Thu Jan 01 1970 00:00:00 GMT+0000","Thu, 01 Jan 1970 00:00:00 GMT","-000001-01-01T00:00:00.000Z","+275760-09-13T00:00:00.000Z"]`},
		"dates, local":          {`[new Date(2020, 0, 2, 15, 4, 5).toLocaleString(), new Date(2020, 0, 2, 3, 4, 5).toLocaleTimeString(), new Date(-1e14).toDateString()]`, `["01/02/2020, 03:04:05 PM","03:04:05 AM","Thu Feb 15 -1199"]`},
		"messages":              {`(() => { try { null.x } catch (e) { return e.message } })()`, `"cannot read property 'x' of null"`},
		"long messages are cut": {`(() => { try { undefined['x'.repeat(1000)] } catch (e) { return e.message.length < 300 } })()`, `true`},
		"stringify, left out":   {`[JSON.stringify([undefined, () => 1, Symbol('s'), NaN, -0]), JSON.stringify({ a: undefined, b() {}, c: 1 }), typeof JSON.stringify(), typeof JSON.stringify(() => 1)]`, `["[null,null,null,null,0]","{\"c\":1}","undefined","undefined"]`},
		"stringify, lossy":      {`JSON.stringify([new Map([[1, 2]]), new Set(), /x/, new Error('e'), new Uint8Array(1)])`, `"[{},{},{},{},{\"0\":0}]"`},
		"stringify, refused":    {`[{ n: 1n }, (() => { const a = {}; a.a = a; return a })()].map(v => { try { return JSON.stringify(v) } catch (e) { return e.constructor.name + ': ' + e.message } })`, `["TypeError: BigInt are forbidden in JSON.stringify","TypeError: circular reference"]`},
		"stringify, within":     {`({ toJSON() { return JSON.stringify({ f() {}, n: NaN }) } })`, `"{\"n\":null}"`},
		"stringify, deep":       {`(() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; try { return JSON.stringify(a).length } catch (e) { return e instanceof RangeError } })()`, `true`},
		"stringify, indent":     {`[JSON.stringify([1], null, 1), JSON.stringify({ a: 1, b: 2 }, ['b']), JSON.stringify([1], (k, v) => k ? 2 : v)]`, `["[\n 1\n]","{\"b\":2}","[2]"]`},
		"stack of errors":       {`(() => { const f = () => { throw new TypeError('t') }; try { f() } catch (e) { return e.stack.split('\n').length } })()`, `4`},
		"stack of an overflow":  {`(() => { const f = () => f() + 1; try { f() } catch (e) { return e.stack.includes('at f (tool.js:1:') } })()`, `true`},
		"quoted json":           {`JSON.stringify('\u0001\u001f\ud800')`, `"\"\\u0001\\u001f\\ud800\""`},
		"escape":                {`escape('é€ ')`, `"%E9%u20AC%20"`},
		"memory error caught":   {`(() => { try { new ArrayBuffer(2 ** 31 - 1) } catch (e) { return e instanceof InternalError || e instanceof RangeError } })()`, `true`},
		"overflow caught":       {`(() => { const f = () => f() + 1; try { f() } catch (e) { return e instanceof RangeError } })()`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := output(t, `function execute() { return `+c.expression+` }`, `{}`); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestRegExpAgreesWithV8 runs expressions and texts put together at random: testdata/regexp.json holds, for each, what
// split, match, search, replace, test and lastIndex gave in V8 (Node.js 20).
func TestRegExpAgreesWithV8(t *testing.T) {
	t.Parallel()
	rows, err := os.ReadFile("testdata/regexp.json")
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, `function execute(rows) {
		const wrong = rows.filter(([source, flags, text, by, ...want]) => {
			const r = new RegExp(source, flags);
			const got = [text.split(r), text.match(r), text.search(r), text.replace(r, by), r.test(text), r.lastIndex];
			return JSON.stringify(got) !== JSON.stringify(want);
		});
		return { rows: rows.length, wrong: wrong.slice(0, 5) };
	}`)
	r, err := call(t, p, string(rows), wasmjs.CallOptions{})
	if err != nil || string(r.Output) != `{"rows":650,"wrong":[]}` {
		t.Errorf("%s, %v", r.Output, err)
	}
}
