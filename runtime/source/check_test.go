package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
)

// in puts a line into an entry point.
func in(line string) string { return "async function execute(input) { " + line + " }" }

// violationsOf checks code and returns what is wrong with it.
func violationsOf(t *testing.T, code string, opt source.Options) source.Violations {
	t.Helper()
	_, err := source.Check(code, opt)
	if err == nil {
		return nil
	}
	var v source.Violations
	if !errors.Is(err, tool.InvalidSource) || !errors.As(err, &v) {
		t.Fatalf("%q: %v", code, err)
	}
	return v
}

func TestBans(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]source.Rule{
		"eval('1')": source.RuleEval, "(0, eval)('1')": source.RuleEval, "eval?.('1')": source.RuleEval, "eval`1`": source.RuleEval,
		"const e = eval; e('1')": source.RuleEval, "let e; e = eval": source.RuleEval, "[eval][0]('1')": source.RuleEval,
		"f(eval)": source.RuleEval, "({ eval })": source.RuleEval, "return eval": source.RuleEval, "`${eval('1')}`": source.RuleEval,
		"ev\\u0061l('1')": source.RuleEval, "\\u{65}val('1')": source.RuleEval, "globalThis.eval('1')": source.RuleEval,
		"globalThis['eval']('1')": source.RuleEval, "globalThis['ev' + 'al']('1')": source.RuleEval,
		"globalThis[`ev${'al'}`]('1')": source.RuleEval, "globalThis['\\x65val']('1')": source.RuleEval,
		"const k = 'ev', l = k + 'al'; globalThis[l]('1')":        source.RuleEval,
		"globalThis[String.fromCharCode(101, 118, 97, 108)]('1')": source.RuleEval,
		"globalThis['lave'.split('').reverse().join('')]('1')":    source.RuleEval,
		"globalThis[[...'lave'].reverse().join('')]('1')":         source.RuleEval,
		"globalThis[['ev', 'al'].join('')]('1')":                  source.RuleEval,
		"globalThis['EVAL'.toLowerCase()]('1')":                   source.RuleEval,
		"globalThis['xeval'.slice(1)]('1')":                       source.RuleEval,
		"globalThis['e_v_a_l'.replaceAll('_', '')]('1')":          source.RuleEval,
		"globalThis[atob('ZXZhbA==')]('1')":                       source.RuleEval,
		"const g = globalThis; g.eval('1')":                       source.RuleEval,
		"let g; g = globalThis; g['ev' + 'al']":                   source.RuleEval,
		"const g = globalThis.globalThis; g.eval":                 source.RuleEval,
		"(globalThis || x).eval('1')":                             source.RuleEval,
		"const { eval: e } = globalThis":                          source.RuleEval, "({ eval: input.x } = globalThis)": source.RuleEval,
		"const { ['ev' + 'al']: e } = globalThis":                        source.RuleEval,
		"const { globalThis: { eval: e } } = globalThis":                 source.RuleEval,
		"(({ eval: e } = globalThis) => e)()":                            source.RuleEval,
		"Reflect.get(globalThis, 'eval')('1')":                           source.RuleEval,
		"Object.getOwnPropertyDescriptor(globalThis, 'eval').value('1')": source.RuleEval,
		"this.eval('1')": source.RuleEval,
		"const self = this; self['ev' + 'al']('1')": source.RuleEval,
		"class A { [eval]() {} }":                   source.RuleEval, "class A { x = eval }": source.RuleEval, "class A extends eval {}": source.RuleEval,
		"class A { static { eval } }": source.RuleEval, "label: eval('1')": source.RuleEval, "for (const x of eval) ;": source.RuleEval,
		"with (input) { eval('1') }": source.RuleEval, "switch (eval) { case 1: let eval }": source.RuleEval,
		"if (eval) {} else if (1) {}": source.RuleEval, "do {} while (eval)": source.RuleEval, "(x = eval) => x": source.RuleEval,
		"{ let eval = 1 } eval('1')": source.RuleEval, "try {} catch (eval) {} eval('1')": source.RuleEval,
		"if (0) function eval() {} eval('1')": source.RuleEval, "delete eval": source.RuleEval, "eval++": source.RuleEval,
		"new Function('1')": source.RuleFunction, "Function('1')": source.RuleFunction, "Function\n('1')": source.RuleFunction,
		"Reflect.construct(Function, ['1'])": source.RuleFunction, "const { Function: F } = globalThis": source.RuleFunction,
		"x instanceof Function": source.RuleFunction, "class F extends Function {}": source.RuleFunction,
		"Function.prototype.call": source.RuleFunction, "globalThis.Function('1')": source.RuleFunction,
		"(function () {}).constructor('1')": source.RuleFunction, "new (() => {}).constructor('1')": source.RuleFunction,
		"(async () => {}).constructor('1')": source.RuleFunction, "(function* () {})['const' + 'ructor']('1')": source.RuleFunction,
		"const { constructor: F } = () => {}; F('1')": source.RuleFunction,
		"this.constructor.constructor('1')":           source.RuleFunction, "input.constructor.constructor('1')": source.RuleFunction,
		"const C = input.constructor, F = C.constructor; F('1')": source.RuleFunction,
		"input.x.constructor('return 1')":                        source.RuleFunction, "const k = 'constructor'; input[k]('1')": source.RuleFunction,
		"input.x.constructor`return 1`":       source.RuleFunction,
		"const C = input.constructor; C('1')": source.RuleFunction, "const C = input.constructor; C`1`": source.RuleFunction,
		"(input.x.constructor || 1)('1')": source.RuleFunction,
		"[]['flat'].constructor('1')":     source.RuleFunction, "new ([].flat.constructor)('1')": source.RuleFunction,
		"execute.constructor('1')": source.RuleFunction, "parseInt.constructor('1')": source.RuleFunction,
		"Math.max.constructor(input.x)": source.RuleFunction, "Array.constructor('1')": source.RuleFunction,
		"const A = Object.getPrototypeOf(async function () {}).constructor; new A('1')": source.RuleFunction,
		"(() => {}).__proto__.constructor('1')":                                         source.RuleFunction, "class A {} A.constructor('1')": source.RuleFunction,
		"globalThis.constructor.constructor('1')": source.RuleFunction, "(() => {}).bind(1).constructor('1')": source.RuleFunction,
		"require('fs')": source.RuleRequire, "const r = require": source.RuleRequire, "typeof require('fs')": source.RuleRequire,
		"require.resolve('x')": source.RuleRequire, "globalThis.require": source.RuleRequire,
		"await import('fs')": source.RuleImport, "import.meta.url": source.RuleImport, "import/**/('x')": source.RuleImport,
		"process.env": source.RuleProcess, "process['env']": source.RuleProcess, "const { env } = process": source.RuleProcess,
		"process?.env": source.RuleProcess, "globalThis.process": source.RuleProcess, "f(process)": source.RuleProcess,
		"typeof process.env": source.RuleProcess, "process": source.RuleProcess, "process = 1": source.RuleProcess,
		"'child_process'": source.RuleChildProcess, "`child_process`": source.RuleChildProcess, "input.child_process": source.RuleChildProcess,
		"const child_process = 1": source.RuleChildProcess, "'node:child_process'": source.RuleChildProcess,
		"fetch('x')": source.RuleAllowlist, "const f = fetch": source.RuleAllowlist, "globalThis.fetch('x')": source.RuleAllowlist,
		"globalThis['fe' + 'tch']('x')": source.RuleAllowlist, "fs.readFile('x')": source.RuleAllowlist,
		"const { readFile } = fs": source.RuleAllowlist, "crypto.randomUUID()": source.RuleAllowlist, "crypto['randomUUID']()": source.RuleAllowlist,
		"function g(a = fetch) { var fetch }": source.RuleAllowlist,
	} {
		v := violationsOf(t, in(line), source.Options{})
		if len(v) == 0 || v[0].Rule != want {
			t.Errorf("%s: %v, want the rule %s", line, v, want)
		}
	}
}

func TestFileChanges(t *testing.T) {
	t.Parallel()
	for line := range strings.SplitSeq(`fs.writeFile('a', 'b')
fs.writeFileSync
fs['write' + 'File']
fs?.unlinkSync?.('a')
const { appendFile } = fs
const { appendFile: a = null } = fs
const f = fs; f.rm('a')
fs.promises.writeFile('a')
const { promises: p } = fs; p.rmdir('a')
globalThis.fs.truncate('a')
fs.mkdir('a')
fs.rename('a', 'b')
fs.copyFile('a', 'b')
fs.chmod('a')
fs.chown('a')
fs.symlink('a')
fs.linkSync('a')
fs.createWriteStream('a')
fs.open('a')
fs.rmSync('a')
fs.cp('a', 'b')`, "\n") {
		v := violationsOf(t, in(line), source.Options{Allow: []string{source.ReadFile}})
		if len(v) != 1 || v[0].Rule != source.RuleFileWrite {
			t.Errorf("%s: %v", line, v)
		}
	}
	v := violationsOf(t, in("const fs = require('fs'); fs.writeFileSync('a')"), source.Options{})
	if len(v) != 2 || v[0].Rule != source.RuleRequire || v[1].Rule != source.RuleFileWrite {
		t.Errorf("a required fs: %v", v)
	}
}

func TestLookAlikesPass(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"retrieval(1); function retrieval() {}", "input.eval('1')", "input.db.fetch(1)", "({ fetch() {}, eval: 1, process: 2 })",
		"// eval('1'), require('fs'), process.env, child_process\n", "/* import x from 'y' */", "'eval(1) and import goods, process.'",
		"/\\brequire\\b|child_process/.test(input.s)", "input.process.name", "input.processed.count", "const { process, fetch } = input; process; fetch(1)",
		"function fetch(x) { return x } fetch(1)", "const require = (x) => x; require('y')", "((process) => process.x)(1)", "for (const fs of input) fs.writeFile",
		"try { x() } catch (crypto) { crypto.y }", "class fetch {} new fetch()", "(function eval_() {})()", "fetch: for (;;) { break fetch }",
		"typeof eval", "typeof Function", "typeof require === 'undefined'", "typeof process !== 'undefined' && 1", "typeof (fetch)", "typeof globalThis.process",
		"typeof x === 'function'", "input.constructor === Object", "input.constructor.name", "execute.constructor.name === 'AsyncFunction'",
		"x instanceof (async () => {}).constructor", "new this.constructor(1)", "new input.constructor('message')", "input.x.constructor(1)",
		"class A { constructor() { this.constructor.x } }", "function A() {} A.prototype.constructor = A", "({}).constructor", "[].constructor === Array",
		"('child' + '_process').length", "globalThis.x = 1; globalThis.JSON", "globalThis[input.k]", "with (input) { x }", "new Proxy({}, {})",
		"Reflect.ownKeys({})", "({ __proto__: null }).__proto__", "setTimeout(() => {}, 1)", "new Date(); Date.now(); Math.random()",
		"while (true) { break }", "for (;;) {}", "var process = {}; process.x", "let eval_ = 1", "class A { eval() { this.eval(); this.process } }",
		"function Old() { this.fetch = 1; this.process = 2 } new Old()", "input.import; input.require; input.export", "const imports = 1, exported = 2",
		"`${'import x'}`", "input['eval']", "input['constructor']", "'x'.constructor.name", "JSON.parse('{}')", "Object.assign({}, input)",
		"const { constructor } = input", "input?.fetch?.(1)", "super_ = 1; var super_", "const fs = { writeFile() {} }; fs.writeFile()",
		"const evalution = 1, Functional = 2, requirement = 3, processor = 4, fetched = 5",
	} {
		if v := violationsOf(t, in(line), source.Options{}); v != nil {
			t.Errorf("%s: %v", line, v)
		}
	}
}

func TestTopLevelNames(t *testing.T) {
	t.Parallel()
	const entry = "\nfunction execute() { return fetch('x') }"
	for code, ok := range map[string]bool{
		"let fetch = (x) => x;" + entry: true, "function fetch(x) { return x }" + entry: true, "class fetch {}" + entry: true,
		"var fetch = (x) => x;" + entry:                                true,  // there is no fetch to fall back on
		"var eval; function execute() { return eval('1') }":            false, // a var leaves the realm's own value
		"var eval = (x) => x; function execute() { return eval('1') }": false,
		"let eval_ = 1; function execute() { return eval_ }":           true,
		"this.eval('1'); function execute() {}":                        false,
		"const f = () => this.eval; function execute() {}":             false,
		"function helper() { return this.eval } function execute() {}": true,
		"import fs from 'fs'; function execute() { return fs }":        false,
	} {
		if v := violationsOf(t, code, source.Options{}); (v == nil) != ok {
			t.Errorf("%s: %v, want pass %v", code, v, ok)
		}
	}
	// With fetch allowed a var of that name is the host's still.
	report, err := source.Check("var fetch;"+entry, source.Options{Allow: []string{source.Fetch}})
	if err != nil || fmt.Sprint(report.Uses) != "[fetch]" {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestUsesAndUnused(t *testing.T) {
	t.Parallel()
	all := []string{source.Fetch, source.ReadFile, source.Crypto}
	for line, want := range map[string]string{
		"1":                                     "[] [fetch fs.readFile crypto]",
		"fetch('x')":                            "[fetch] [fs.readFile crypto]",
		"const { readFile: r } = fs; r('x')":    "[fs.readFile] [fetch crypto]",
		"globalThis.crypto.randomUUID()":        "[crypto] [fetch fs.readFile]",
		"typeof fetch; input.fetch(); 'crypto'": "[] [fetch fs.readFile crypto]",
		"fetch(await fs.readFile('x')); crypto": "[fetch fs.readFile crypto] []",
		"const fetch = 1; fetch":                "[] [fetch fs.readFile crypto]",
	} {
		report, err := source.Check(in(line), source.Options{Allow: all})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := fmt.Sprint(report.Uses, report.Unused); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestEntryPoint(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{ // "" is refused
		"function execute() {}": "execute", "function run() {}": "run", "function run() {} function execute() {}": "execute",
		"const execute = () => 1": "execute", "let run = async function () {}": "run", "var execute": "execute", "async function* run() {}": "run",
		"const { execute } = make()": "execute", "execute = () => 1": "execute", "globalThis.execute = () => 1": "execute",
		"globalThis['exec' + 'ute'] = () => 1": "execute", "this.run = () => 1": "run", "{ function execute() {} }": "execute",
		"Object.defineProperty(globalThis, 'execute', { value() {} })": "execute", "Object.assign(globalThis, { run() {} })": "run",
		"Reflect.set(globalThis, 'run', () => 1)": "run", "var execute = new Proxy(f, {})": "execute", "if (1) { var run = f }": "run",
		"var execute = 1; execute = () => 1": "execute", "const f = () => 1, execute = f": "execute", "var execute = { a: 1 }; globalThis.execute = f": "execute",
		"": "", "const run2 = () => 1": "", "class execute {}": "", "const execute = class {}": "", "var execute = { call: 1 }": "",
		"const execute = 'x'": "", "const run = [1]": "", "const execute = 5": "", "const execute = null": "", "function f() { function execute() {} }": "",
		"{ let execute = () => 1 }": "", "execute: f()": "", "input.execute = 1": "", "'function execute() {}'": "",
	} {
		report, err := source.Check(code, source.Options{})
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "must define execute(input) or run(input)")):
			t.Errorf("%q: %v %v, want a refusal", code, report, err)
		case want != "" && err != nil:
			t.Errorf("%q: %v", code, err)
		case want != "" && report.Entry != want:
			t.Errorf("%q: entry %s, want %s", code, report.Entry, want)
		}
	}
}

func TestEntryHints(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"export default function main(input) {}": "leave out the words export default", "export function main(input) {}": "leave out the word export", "module.exports = { main: (x) => x }": "module.exports is not needed",
		"exports.main = (x) => x": "module.exports is not needed", "class Tool { execute() {} }": "call the class from a function",
		"function main(input) {}": "rename main to execute", "const handler = async (x) => x": "rename handler to execute", "1": "write function execute",
	} {
		v := violationsOf(t, code, source.Options{})
		if !strings.Contains(v[len(v)-1].Hint+v[0].Hint, want) {
			t.Errorf("%q: %q, want %q in it", code, v[len(v)-1].Hint, want)
		}
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"new Proxy({}, {})": "proxy", "Reflect.ownKeys(input)": "reflect", "globalThis.x": "global_this", "input.__proto__": "proto",
		"input['__pro' + 'to__']": "proto", "input.constructor": "constructor", "with (input) {}": "with", "setTimeout(f, 1)": "timer",
		"setInterval(f)": "timer", "Math.random()": "random", "const { random } = Math": "random", "Date.now()": "clock", "new Date()": "clock",
		"Date()": "clock", "performance.now()": "clock", "new Date(input.t)": "", "Date.UTC(1)": "", "new Intl.DateTimeFormat()": "missing",
		"Buffer.from('x')": "missing", "typeof Buffer": "", "window.x": "missing", "globalThis[input.x]": "global_this dynamic_global",
		"while (true) {}": "endless_loop", "for (;;) {}": "endless_loop", "for (;; input++) { f() }": "endless_loop", "do {} while (1)": "endless_loop",
		"while (!0) { switch (1) { default: break } }": "endless_loop", "for (;;) { for (;;) { break } }": "endless_loop",
		"while (true) { (() => { return 1 })() }": "endless_loop", "while (true) { break }": "", "while (true) { if (input) return }": "",
		"while (true) { throw 1 }": "", "a: while (true) { for (;;) { break a } }": "", "while (input) {}": "", "for (; input;) {}": "",
		"function* g() { while (true) yield 1 }": "", "const Date = 1; Date.now": "", "input.setTimeout()": "", "const c = crypto; c.webcrypto": "missing",
		"const c = crypto; c.subtle": "", "crypto.subtle.digest('SHA-256', input)": "",
		"crypto.timingSafeEqual(input, input)": "", "crypto.getRandomValues(input)": "random",
		"crypto.randomUUID()": "random", "fs.readdir('x')": "missing", "fs.readFile('x')": "",
	} {
		report, err := source.Check("function execute(input) { "+line+" }", source.Options{Allow: []string{source.Crypto, source.ReadFile}})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		var kinds []string
		for _, fact := range report.Facts {
			kinds = append(kinds, string(fact.Kind))
			if fact.Line != 1 || fact.Column < 2 || fact.Message == "" {
				t.Errorf("%s: %+v", line, fact)
			}
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestTopLevelFacts(t *testing.T) {
	t.Parallel()
	report, err := source.Check("'use strict';\nlet n = 0;\nn++;\nclass A {}\nif (n) n = 2;\nasync function execute() {}", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(report.Facts); !strings.Contains(got, "top_level") || len(report.Facts) != 3 ||
		report.Facts[0].Line != 3 || report.Facts[1].Line != 5 || report.Facts[2].Kind != source.FactAsync {
		t.Errorf("%s", got)
	}
}

func TestFactsAreBounded(t *testing.T) {
	t.Parallel()
	report, err := source.Check(in(strings.Repeat("Math.random(); Date.now();", 500)), source.Options{})
	if err != nil || len(report.Facts) != 21 {
		t.Errorf("%d facts, %v", len(report.Facts), err)
	}
}

func TestEveryViolationIsReportedInOrder(t *testing.T) {
	t.Parallel()
	code := "const a = require('x');\nfunction execute(input) {\n  const ü = process.env; eval('1');\n  return new Function('1');\n}\nfetch('y');"
	_, err := source.Check(code, source.Options{})
	var v source.Violations
	if !errors.As(err, &v) {
		t.Fatal(err)
	}
	want := "require 1:11, process 3:13, eval 3:26, function 4:14, allowlist 6:1"
	var got []string
	for _, one := range v {
		got = append(got, fmt.Sprintf("%s %d:%d", one.Rule, one.Line, one.Column))
		if one.Hint == "" || one.Snippet == "" || one.Message == "" {
			t.Errorf("bare: %+v", one)
		}
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	e := tool.AsError(err)
	if e.Line != 1 || e.Column != 11 || e.Snippet != "const a = require('x');" || e.Hint == "" ||
		!strings.HasPrefix(e.Message, "Code validation failed: 5 violations: require() is forbidden") {
		t.Errorf("%+v", e)
	}
}

func TestMessagesNameTheConstruct(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"eval('1')": "eval() is forbidden", "new Function('1')": "new Function() is forbidden", "Function('1')": "Function() is forbidden",
		"require('x')": "require() is forbidden", "import('x')": "dynamic import() is forbidden", "process.x": "process access is forbidden",
		"'child_process'": "child_process access is forbidden", "fetch('x')": `fetch() is not allowed: "fetch" is not in the allowlist`,
		"fs.readFile('x')": `"fs.readFile" is not in the allowlist`, "crypto.x": `"crypto" is not in the allowlist`,
		"fs.writeFileSync('x')": "fs.write*", "fs.rm('x')": "fs.rm", "require('node:fs/promises')": "", "require('axios')": "",
	} {
		v := violationsOf(t, in(line), source.Options{})
		if !strings.Contains(v.Error(), want) {
			t.Errorf("%s: %s", line, v.Error())
		}
	}
	for line, want := range map[string]string{
		"require('node:fs/promises')": "fs.readFile", "require('axios')": "call the global fetch", "import('node:crypto')": "use the global crypto",
	} {
		if v := violationsOf(t, in(line), source.Options{}); !strings.Contains(v[0].Hint, want) {
			t.Errorf("%s: %s", line, v[0].Hint)
		}
	}
}

func TestModulesThatAreAllowedNeedNoEntry(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"require('crypto')": "use the global crypto: randomUUID", "import('node:fs')": "call the global fs.readFile"} {
		v := violationsOf(t, in(line), source.Options{Allow: []string{source.Crypto, source.ReadFile}})
		if !strings.HasPrefix(v[0].Hint, want) {
			t.Errorf("%s: %s", line, v[0].Hint)
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	v := violationsOf(t, in(strings.Repeat("eval('1');", 1000)), source.Options{})
	if len(v) != 50 || len(v.Error()) > 1000 || !strings.HasSuffix(v.Error(), "and 40 more") {
		t.Errorf("%d violations, %s", len(v), v.Error())
	}
}

func TestSizeAndEncoding(t *testing.T) {
	t.Parallel()
	ok := "function execute() {}"
	for name, c := range map[string]struct {
		code string
		opt  source.Options
		want source.Rule
	}{
		"fits":           {ok + strings.Repeat(" ", 64<<10-len(ok)), source.Options{}, ""},
		"a byte more":    {ok + strings.Repeat(" ", 64<<10-len(ok)+1), source.Options{}, source.RuleSize},
		"own limit":      {ok, source.Options{MaxBytes: 10}, source.RuleSize},
		"larger limit":   {ok + strings.Repeat(" ", 100<<10), source.Options{MaxBytes: 256 << 10}, ""},
		"not UTF-8":      {ok + "\xff", source.Options{}, source.RuleEncoding},
		"byte order":     {"\uFEFF" + ok, source.Options{}, ""},
		"nothing":        {"", source.Options{}, source.RuleEntry},
		"only a comment": {"// nothing", source.Options{}, source.RuleEntry},
		"deep":           {strings.Repeat("(", 9000), source.Options{}, source.RuleSyntax},
	} {
		v := violationsOf(t, c.code, c.opt)
		if (c.want == "") != (v == nil) || v != nil && v[0].Rule != c.want {
			t.Errorf("%s: %v, want %q", name, v, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for _, opt := range []source.Options{{Language: "coffee"}, {Allow: []string{"net"}}, {Allow: []string{"fs"}}} {
		if _, err := source.Check("function execute() {}", opt); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"", "", "js"},
		{"a.js", "", "js"},
		{"a.ts", "", "ts"},
		{"dir.ts/a.MTS", "", "ts"},
		{"a.cts", "", "ts"},
		{"a.ts", "js", "js"},
		{"a.js", "ts", "ts"},
		{"a", "TypeScript", "ts"},
		{"a.ts", "javascript", "js"},
		{"a.tsx", "", "js"},
	} {
		if got, err := source.LanguageOf(c[0], c[1]); got != c[2] || err != nil {
			t.Errorf("%v: %s, %v", c, got, err)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	_, err := source.Check("function execute(input) {\n  const n: number = input.n;\n  return n;\n}", source.Options{})
	e := tool.AsError(err)
	if e.Code != tool.InvalidSource || e.Line != 2 || e.Column != 10 || e.Snippet != "const n: number = input.n;" ||
		!strings.HasPrefix(e.Message, "SyntaxError before execution: unexpected ':'") || !strings.Contains(e.Hint, "TypeScript") {
		t.Errorf("%+v", e)
	}
}

func TestSnippetsAreCut(t *testing.T) {
	t.Parallel()
	long := "function execute() { return '" + strings.Repeat("ü", 300) + "' + eval('1') + '" + strings.Repeat("x", 300) + "' }"
	v := violationsOf(t, long, source.Options{})
	if s := v[0].Snippet; len([]rune(s)) > 125 || !strings.Contains(s, "eval('1')") || !strings.HasPrefix(s, "…") || !strings.HasSuffix(s, "…") {
		t.Errorf("%q", s)
	}
	for line, want := range map[int]string{0: "", 1: "a", 2: "b", 3: "c", 4: "d", 5: "", 6: ""} {
		if got := source.Snippet("a\n  b\r\nc\u2028d\r", line, 1); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

func TestHostileSourcesAreCheckedSoon(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	names := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return b.String()
	}
	for name, code := range map[string]string{
		"chain of constants":  "const a0 = 'x';" + names("const a%[2]d = a%[1]d + 'x';", 2500),
		"chain backwards":     names("const a%[1]d = a%[2]d;", 2800) + "globalThis[a0]",
		"constants in a ring": names("const a%[1]d = a%[2]d + a%[2]d;", 1800) + "const a1800 = a0; globalThis[a0]",
		"patterns":            names("const { a: { b: [c%[1]d] } } = globalThis;", 1300),
		"nested patterns":     "const " + rep("{a:", 120) + "b" + rep("}", 120) + " = globalThis",
		"endless loops":       rep("for(;;)", 240) + "{" + rep("a.b();", 9000) + "}",
		"strings":             rep("'x'+", 15000) + "''",
		"splits":              rep("'"+rep("x", 60)+"'.split('').reverse().join('');", 500),
		"members":             "globalThis" + rep(".globalThis", 900),
		"many members":        rep("globalThis.a.b.c;", 3500),
		"violations":          rep("eval;", 12000),
		"facts":               rep("Proxy;", 10000),
		"constructors":        rep("a.constructor.constructor;", 2500),
		"lines":               rep("eval\n", 12000),
		"one long line":       rep("eval,", 12000) + "1",
		"this":                rep("this.eval;", 6000),
		"templates":           rep("`a${'b'}c`;", 5000),
		"spreads":             "[" + rep("...'abc',", 7000) + "]",
		"calls":               "f" + rep("('x')", 900),
		"replace":             rep("'"+rep("x", 60)+"'.replaceAll('x','"+rep("y", 60)+"');", 400),
	} {
		code = code[:min(len(code), 64<<10)]
		start := time.Now()
		_, err := source.Check(code, source.Options{})
		if took := time.Since(start); took > 5*time.Second { // 25 ms at most on a quiet machine; what is quadratic takes longer than this
			t.Errorf("%s: %v (%v)", name, took, err)
		}
		t.Logf("%-20s %8v %.80v", name, time.Since(start).Round(10*time.Microsecond), err)
	}
}
