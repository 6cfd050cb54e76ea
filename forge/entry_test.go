package forge_test

import (
	"strings"
	"testing"
)

func TestReadsCode(t *testing.T) {
	t.Parallel()
	const note, async = "taken for that of function execute(input)", "taken for that of async function execute(input)"
	for text, c := range map[string]struct{ want, note string }{
		// What defines an entry point stays as it is, and so does what cannot be told.
		"function execute(input) { return 1 }":                                                    {},
		"async function execute(input) { return await 1 }":                                        {},
		"const execute = (input) => input.a":                                                      {},
		"const execute = async (input) => { return input.a };":                                    {},
		"let run = function (input) { return 1 }":                                                 {},
		"run = input => 1":                                                                        {},
		"globalThis.execute = (input) => 1":                                                       {},
		"function run(input) { return 1 }":                                                        {},
		"function helper(x) { return x }\nfunction execute(input) { return helper(1) } // return": {},
		"export default function execute(input) { return 1 }":                                     {},
		"const x: number = 1; return x":                                                           {},
		"function execute(input) { return 1":                                                      {},
		"return 1 }":                                                                              {},
		"return 1; } function other() {":                                                          {},
		"const x = await 1;":                                                                      {},
		"```js\n```js\nfunction run() {}\n```\n```":                                               {},
		// No entry point, and no body of one either: told, not mended.
		"module.exports = (input) => 1":           {note: "neither execute(input) nor run(input): a global function is enough"},
		"function add(a, b) { return a + b }":     {note: "rename add to execute"},
		"(input) => input.a":                      {note: "neither execute(input) nor run(input)"},
		"const double = (x) => x * 2; double(21)": {note: "rename double to execute"},
		// The body of a function.
		"return { sum: input.a }":                                {"function execute(input) { return { sum: input.a }\n}", note},
		"// adds\nconst s = input.a;\nreturn s // done":          {"function execute(input) { // adds\nconst s = input.a;\nreturn s // done\n}", note},
		"if (input.a) { return 1 }\nfunction f() { return 2 }":   {"function execute(input) { if (input.a) { return 1 }\nfunction f() { return 2 }\n}", note},
		"const r = await fetch(input.u); return await r.text();": {"async function execute(input) { const r = await fetch(input.u); return await r.text();\n}", async},
		"return eval('1')":                                       {"function execute(input) { return eval('1')\n}", note},
		// The fence.
		"```js\nfunction run() {}\n```":                      {"function run() {}\n", "Markdown fence"},
		" ```\nfunction run() {}```\n":                       {"function run() {}", "Markdown fence"},
		"```javascript\nreturn 1\n```":                       {"function execute(input) { return 1\n\n}", note},
		"Here it is:\n```js\nfunction run() {}\n```":         {note: ""},
		"const fence = '```'; function run() { return '```'": {},
	} {
		want := c.want
		if want == "" {
			want = text
		}
		r := mustRead(t, arguments("implementation", `{"mode":"sandbox","code":`+quoted(text)+`}`))
		if got := r.Implementation.Code; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		notes := strings.Join(r.Notes, "\n")
		if !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%q: notes %q, want %q", text, notes, c.note)
		}
	}
}

func TestTypeScriptIsLeftToTheGate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"mode":"ts","code":"return 1"`:                                  "return 1",
		`"code":"` + "```ts\\nfunction run(a: number) {}\\n```" + `"`:    "function run(a: number) {}\n",
		`"language":"typescript","code":"const x: number = 1; return x"`: "const x: number = 1; return x",
	} {
		r := mustRead(t, arguments("implementation", "{"+text+"}"))
		if r.Implementation.Code != want || r.Implementation.Language != "ts" {
			t.Errorf("%s: %+v", text, r.Implementation)
		}
	}
}

func TestLongCodeIsPassedOn(t *testing.T) {
	t.Parallel()
	code := "return 1 //" + strings.Repeat("x", 64<<10)
	if r := mustRead(t, arguments("implementation", `{"mode":"sandbox","code":`+quoted(code)+`}`)); r.Implementation.Code != code {
		t.Error("code beyond the limit is changed")
	}
}
