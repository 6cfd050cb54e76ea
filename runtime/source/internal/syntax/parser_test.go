package syntax_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// modern is syntax that the engine takes (QuickJS-ng 0.16, script goal) and that must not be refused.
var modern = []string{
	"#!/usr/bin/env node\nlet a = 1",
	"class A { a = 1; b; 'c' = 2; [d] = 3; static e = 4; #f = 5; static #g; get; set; async; static; static static }",
	"class A { static { this.x = 1; } static async *m() {} get x() { return 1 } set x(v) {} #p() {} static get [k]() {} }",
	"class A { #x; has(o) { return #x in o && o.#x?.y } }",
	"class A extends (class {}) { constructor() { super(); super.m?.(); } async\nm() {} }",
	"a ??= b; a ||= c; a &&= d; a **= 2; a >>>= 1",
	"a?.b?.[c]?.(d)?.e", "a?.5:1", "x ? .5 : 1",
	"const re = /[/\\]](?<year>\\d{4})/dgimsuy.test(x), v = /[\\p{L}--[a-z]]/v",
	"{ using x = f(); } async function g() { await using y = f(); for await (using z of w); }",
	"1_000_000n + 0xFF_FFn + 0b1010 + 0o17 + 1_0.5e1_0 + .5",
	"async function* g() { for await (const x of y) yield* x; yield; await 1 }",
	"outer: for (;;) { inner: for (const x of y) { if (x) continue outer; break inner } break }",
	"const o = { get a() { return 1 }, set a(v) {}, async b() {}, *c() {}, async *d() {}, [e]: 1, 'f': 2, 3: 4, g, ...h, " +
		"async: 1, get: 2, set: 3, static: 4, await: 5, if: 6, async() {}, get() {}, set() {} }",
	"try { f() } catch { g() } finally { h() }",
	"const { a, b: { c = 1 } = {}, ...d } = o, [e, , f = 2, ...[g]] = p",
	"({ a, b: [c] } = d); [a, b] = [b, a]; ({ a = 1 } = b)",
	"async (x) => await x; async x => x; async () => {}; (a, { b }, [c] = [], ...d) => a; a => b => c; () => ({})",
	"async(1); async; async\n(x); var async = 1; async + 1; (async)",
	"var let_ = 1, of = 2, get = 3, set = 4, from = 5, as = 6, static_ = 7; for (of of of); for (var of of of);",
	"var yield_ = function () { var yield; yield / 1; }; var await; await / 2",
	"`a${`b${`c`}`}d` + tag`x\\unicode${1}`", "function f() { return new.target }",
	"new A; new A(); new a.b.C(1); new (f())(); new new A()(); new A().b.c`x`", "import_.meta",
	"if (a) function f() {} else function g() {}", "if (a) b\n;else c", "do x++\n;while (x < 5) y",
	"while (x) y\nz", "var a\nvar b", "a\n++b", "return_\n/re/g", "x = y / z / w; x = (y) / z; x = [] / 1; x = {} / 1",
	"if (x) /re/.test(y)", "x\n/re/g.exec(y)\n/g", "function f() {} /re/.test(x)", "{} /re/.test(x)", "a = b ? /c/ : /d/",
	"for (let in o); for (let of_ of o); for (let [a] = b;;); for (let;;); for (var i = 0 in {});",
	"for (const [k, v] of Object.entries(o)) { }", "for (let i = 0, n = a.length; i < n; i++) s += a[i]",
	"for (x in y, z); for (x.y of z); for ([a, b] of c); for ({ a } of b);", "for (var x = (a in b); x;);",
	"switch (x) { case 1: case 2: { let a } break; default: let a; function f() {} }",
	"with (o) { p }", "label: { break label }", "debugger; ; ;;", "010 + 08.5 + 00 + 019", "'\\\n'; '\\0\\x41\\u{1F600}\\101'",
	"let a = 1; { let a = 2; { var b } } function f(a, a) {}", "let f; { function f() {} }",
	"a = b ? c : d ? e : f ? g => h : i, j", "a ? b : c = d", "a ? (b, c) : (d) => e", "a ? b ? c : d : e",
	"x = a => {}\n/re/g.test(y)", "x = function () {} / 1", "(a => b)(c)", "(function () {})()", "!function () {}()",
	"(-(2 ** 2)) ** 2, (-2) ** 2, 2 ** -1, 2 ** 3 ** 2", "a in b, !(a in b), typeof a in b, a instanceof b",
	"void 0, delete a.b, typeof typeof a, - -a, + +a, ~~a, !!a", "a\u2028b\u2029c", "\uFEFFa\u00A0=\u30001",
	"var \\u0061b = 1, \\u{63}d = 2, ünïcödé = 3, $_ = 4, \u4e2d = 5", "o.\\u0069f; o.class; ({ \\u0069f: 1 })",
	"// comment at the end", "/* a */ /* b\n */ x", "a = /* c */ b // d\nc", "'use strict'; function f() { 'use strict' }",
	"import('x'); y = import('z').then(f)", "x = { __proto__: null, 'constructor': 1 }; x.__proto__ = y",
	"async function f() { await (async () => {})(); for (const a of await b) await c; return await d }",
	"function* g() { const x = yield; yield\nfoo; yield /re/; (yield) + 1; [yield, yield 2]; f(yield) }",
	"var a = async function () {}, b = async function* g() {}, c = function* () {}, d = class {}, e = class N {}",
	"a.b.c = d.e = f", "[...a, ...b], f(...c, d, ...e)", "(a, b)", "((a)), ((a, b)), ([a]), ({ a })",
	"let\na = 1", "if (a) { } else if (b) { } else { }", "x = {\n  a: 1,\n  b,\n}\n;[1, 2].forEach(f)", "var x = 1 /* */ /2/ 3",
}

func TestModernSyntaxIsRead(t *testing.T) {
	t.Parallel()
	for _, code := range modern {
		if _, err := syntax.Parse(code); err != nil {
			var e *syntax.Error
			errors.As(err, &e)
			t.Errorf("%q at %d: %v", code, e.Offset, err)
		}
	}
}

// broken is what nobody takes for JavaScript, with ^ before the place and the message ("" any).
var broken = map[string]string{
	"function f( { ^":               "unexpected end of input, expected '}'",
	"if (a ^{ b }":                  "unexpected '{', expected ')'",
	"const f = x => ^const y = 1":   "unexpected keyword 'const', expected an expression",
	"if (x) ^const y = 1":           "a lexical declaration (const) cannot stand in a single-statement context",
	"if (x) ^let y = 1":             "",
	"function f(a^: number) {}":     "unexpected ':', expected ',' or ')'",
	"let a^: string = 1":            "unexpected ':', expected ';' or a line break",
	"interface ^A { b: string }":    "unexpected identifier 'A', expected ';' or a line break",
	"const a = { b: 1 ^c: 2 }":      "unexpected identifier 'c', expected ',' or '}' behind a property",
	"f(a ^b)":                       "unexpected identifier 'b', expected ',' or ')' behind an argument",
	"[1 ^2]":                        "unexpected number, expected ',' or ']'",
	"a = 1 ^2":                      "unexpected number, expected ';' or a line break",
	"function f() { return 1; } ^}": "unexpected '}', expected an expression",
	"x = 'abc^":                     "",
	"function f() { await ^g() }":   "unexpected identifier 'g', expected ';' or a line break",
	"^return 1":                     "return stands outside of a function",
	"class A { ^@x b() {} }":        "unexpected character '@'",
	"try { } ^f()":                  "unexpected identifier 'f', expected 'catch' or 'finally'",
	"throw\n^x":                     "a line break cannot stand behind throw",
	"im\\u0070ort('x')":             "the keyword import is written with escapes",
	"var i\\u0066 = 1":              "unexpected identifier 'if', expected a name",
	"a = ^/* ":                      "a comment is not closed",
	"a = ^`b${c} d":                 "",
	"a = ^\"b\n\"":                  "a string is not closed",
	"a = ^/b\n/":                    "a regular expression is not closed",
	"a\n^--> b":                     "an HTML-like comment is not allowed",
	"a^<!-- b":                      "an HTML-like comment is not allowed",
	"\n/* c */--^> b":               "",
	"a = 3^px":                      "a number runs into a name",
	"a = ^0x":                       "",
	"a\x00b":                        "unexpected character '\\x00'",
	"var ^1":                        "unexpected number, expected a name",
	"(a, ^b.c) => d":                "unexpected expression where a name is declared",
	"(a + b) ^=> d":                 "",
	"() ^+ 1":                       "unexpected '+', expected '=>' behind a list of parameters",
	"^a + b = c":                    "the left side of = cannot be assigned to",
	"^[a] += c":                     "the left side of += cannot be assigned to",
	"({ a: 1, b ^c })":              "unexpected identifier 'c', expected ',' or '}' behind a property",
	"({ if ^})":                     "unexpected '}', expected ':'",
	"export { a ^":                  "unexpected end of input, expected '}'",
	"import a ^+ b":                 "unexpected '+', expected the name of a module in quotes",
	"x = import ^y":                 "unexpected identifier 'y', expected '(' behind import",
	"x = #a ^+ b":                   "unexpected '+', expected 'in' behind a private name",
	"`${a ^b}`":                     "unexpected identifier 'b', expected '}' behind the expression in a template",
	"class A { get x ^= 1 }":        "unexpected '=', expected '('",
	"for (const x of y^; z) {}":     "unexpected ';', expected ')'",
	"switch (a) { case 1 ^}":        "unexpected '}', expected ':'",
}

func TestBrokenSyntaxIsPlaced(t *testing.T) {
	t.Parallel()
	for code, want := range broken {
		place := strings.Index(code, "^")
		_, err := syntax.Parse(strings.Replace(code, "^", "", 1))
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: accepted", code)
			continue
		}
		if want != "" && e.Message != want {
			t.Errorf("%q: %q, want %q", code, e.Message, want)
		}
		if want != "" && place >= 0 && e.Offset != place {
			t.Errorf("%q: at %d, want %d (%s)", code, e.Offset, place, e.Message)
		}
	}
}

// free lists the names that nothing in the source declares, in order, each use.
func free(t *testing.T, code string) []string {
	t.Helper()
	root, err := syntax.Parse(code)
	if err != nil {
		t.Fatalf("%q: %v", code, err)
	}
	var names []string
	walk(root, func(n *syntax.Node) {
		if n.Kind == syntax.Identifier && n.Binding == nil {
			names = append(names, n.Text)
		}
	})
	return names
}

func walk(n *syntax.Node, visit func(*syntax.Node)) {
	visit(n)
	for _, kid := range n.Kids {
		walk(kid, visit)
	}
}

func TestNamesBelongToTheirDeclarations(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"x":                        "x",
		"x; var x":                 "",
		"x(); function x() {}":     "",
		"{ let x } x":              "x",
		"{ var x } x":              "",
		"{ function x() {} } x":    "x",
		"{ function x() {} x }":    "",
		"if (1) function x() {} x": "x",
		"function f() { var x; return () => x } x":      "x",
		"function f(x) { return x } x":                  "x",
		"function f(a = x) { var x }":                   "x",
		"function f(x, a = x) {}":                       "",
		"const f = (a = x, x) => x":                     "",
		"const f = (a = x) => { var x }":                "x",
		"const f = x => x + y":                          "y",
		"const f = async (x) => x, g = async x => x; x": "x",
		"async(x)":                          "async x",
		"(x, y)":                            "x y",
		"(function x() { x })(); x":         "x",
		"(class x { m() { x } }); x":        "x",
		"class x extends y { [z]() { x } }": "y z",
		"class A { x = x; #y; static { var z; z } }; z":          "x z",
		"try { } catch (x) { x } x":                              "x",
		"try { } catch ({ x, y: [z] }) { x; y; z }":              "y",
		"for (let x of x) x; x":                                  "x",
		"for (var x of y) x; x":                                  "y",
		"for (let x = 1; x; x++) { let x } x":                    "x",
		"for (x of y) x":                                         "x y x",
		"switch (x) { case x: let x; x } x":                      "x x",
		"const { x, y: z, [k]: w = v, ...u } = o; x; y; z; w; u": "k v o y",
		"({ x, y: z, [k]: w = v, ...u } = o)":                    "x z k w v u o",
		"let [a, , b = c, ...d] = e":                             "c e",
		"({ x: 1, y, z() {}, get w() { return v } })":            "y v",
		"o.x; o[y]; o?.z":                                        "o o y o",
		"x: for (;;) { break x }":                                "",
		"typeof x; delete y.z; void w":                           "x y w",
		"import x, { y as z } from 'm'; x; y; z":                 "y",
		"export const x = 1; x":                                  "",
		"export default function x() {} x":                       "",
		"`${x}${y => y}`":                                        "x",
		"with (o) { x }":                                         "o x",
		"var \\u0078; x":                                         "",
		"function f() { arguments }":                             "arguments",
		"let async; async; async\n(x)":                           "x",
		"using\n(x)":                                             "using x",
		"{ using x = y; x } x":                                   "y x",
		"x => { { var x } return x }":                            "",
		"yield => yield; await => await":                         "",
		"function* g() { yield x }":                              "x",
		"label: { x }":                                           "x",
	} {
		got := strings.Join(free(t, code), " ")
		if got != want {
			t.Errorf("%q: free are %q, want %q", code, got, want)
		}
	}
}

func TestBindingsKnowTheirValue(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{ // x has a known value
		"const x = 1; x": true, "let x = 1; x": true, "let x; x = 1": true, "var x = 1; var x; x": true,
		"function x() {} x": true, "class x {} x": true, "const { x } = y; x": true, "const [x] = y; x": true,
		"function f(x = 1) { x }": true,
		"let x; x":                false, "let x = 1; x = 2": false, "let x = 1; x++": false, "let x = 1; [x] = y": false,
		"var x = 1; var x = 2; x": false, "let x = 1; for (x of y);": false, "let x; x += 1": false,
		"function x() {} function x() {} x": false, "for (let x of y) x": false, "const { ...x } = y; x": false,
		"function f(x) { x }": false, "try {} catch (x) { x }": false,
	} {
		root, err := syntax.Parse(code)
		if err != nil {
			t.Fatal(code, err)
		}
		known := false
		walk(root, func(n *syntax.Node) {
			known = known || n.Kind == syntax.Identifier && n.Text == "x" && n.Binding != nil && n.Binding.Init != nil
		})
		if known != want {
			t.Errorf("%q: known value %v, want %v", code, known, want)
		}
	}
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`plain`: "plain", `\x41\u0042\u{43}\u{000044}`: "ABCD", `\101\60\0`: "A0\x00", `\400`: " 0", `\n\t\'\"\\\q`: "\n\t'\"\\q",
		`\uD83D\uDE00`: "😀", `\uD83D`: "\uFFFD", "a\\\nb\\\r\nc\\\u2028d": "abcd", `\8\9`: "89", `ü\é`: "üé",
	} {
		if got, ok := syntax.Unescape(raw); got != want || !ok {
			t.Errorf("%q: %q, %v, want %q", raw, got, ok, want)
		}
	}
	for _, raw := range []string{`\`, `\x4`, `\xZZ`, `\u12`, `\u{}`, `\u{110000}`, `\u{41`, `\u{` + strings.Repeat("0", 100) + `41}`} {
		if got, ok := syntax.Unescape(raw); ok {
			t.Errorf("%q: %q accepted", raw, got)
		}
	}
}

// hostile are sources whose reading must neither hang nor exhaust the stack.
func hostile() map[string]string {
	rep := strings.Repeat
	names := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return map[string]string{
		"parentheses": rep("(", 30000) + "1" + rep(")", 30000), "arrows": rep("a=>", 1000) + "1",
		"classes":        rep("class A{static{", 1000) + rep("}}", 1000),
		"functions":      rep("(function(){", 5000) + rep("})()", 5000),
		"arrays":         rep("[", 30000) + rep("]", 30000),
		"objects":        rep("({a:", 15000) + "1" + rep("})", 15000),
		"blocks":         rep("{", 30000) + rep("}", 30000),
		"unary":          rep("!", 60000) + "a",
		"templates":      rep("`${", 10000) + "1" + rep("}`", 10000),
		"new":            rep("new ", 15000) + "a",
		"members":        "a" + rep(".a", 30000),
		"calls":          "a" + rep("()", 30000),
		"labels":         rep("a:", 30000) + ";",
		"powers":         rep("a**", 20000) + "a",
		"assignments":    rep("a=", 30000) + "1",
		"heritage":       rep("class extends ", 4000) + "a",
		"async":          rep("async(", 10000) + rep(")", 10000),
		"ternaries":      rep("a?", 15000) + "c" + rep(":b", 15000),
		"names deep":     rep("(", 400) + names("a%d,", 8000) + "1" + rep(")", 400),
		"names in block": rep("{", 400) + names("var a%d;", 5000) + rep("}", 400),
		"names in funcs": rep("(function(){", 100) + names("a%d;", 8000) + rep("})", 100),
		"names, arrows":  "x(" + names("b%d,", 4000) + names("c%d=>1,", 3500) + "1)",
		"escapes":        "'" + rep(`\u{`, 20000) + "'",
		"octals":         rep("010,", 15000) + "1",
		"backticks":      rep("`", 60001),
		"patterns":       "var " + rep("[", 400) + "a" + rep("]", 400) + "=" + rep("[", 400) + rep("]", 400),
	}
}

func TestHostileSourcesEndSoon(t *testing.T) {
	t.Parallel()
	for name, code := range hostile() {
		code = code[:min(len(code), 64<<10)]
		start := time.Now()
		_, err := syntax.Parse(code)
		if took := time.Since(start); took > 5*time.Second { // 20 ms at most on a quiet machine; what is quadratic takes longer than this
			t.Errorf("%s: %v (%v)", name, took, err)
		}
	}
}

func TestLongFlatSourcesAreRead(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	for name, code := range map[string]string{
		"sum": rep("a+", 30000) + "a", "mixed sum": rep("a+b-", 15000) + "a", "list": rep("a,", 30000) + "a",
		"else if": rep("if(a);else ", 5000) + ";", "ternary": rep("a?b:", 15000) + "c", "or": rep("a||", 20000) + "a",
		"chain": "a" + rep(".then(f)", 900), "statements": rep("f();", 15000), "concatenation": rep("'x'+", 15000) + "''",
	} {
		if _, err := syntax.Parse(code); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, code := range modern {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		root, err := syntax.Parse(strings.ToValidUTF8(code, "?"))
		if err != nil {
			var e *syntax.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(strings.ToValidUTF8(code, "?")) || e.Message == "" {
				t.Fatalf("%q: %#v", code, err)
			}
			return
		}
		walk(root, func(n *syntax.Node) {
			if n == nil || n.Pos < 0 || n.Pos > len(code)*3 {
				t.Fatalf("%q: a bad node", code)
			}
		})
	})
}
