package source

import (
	"errors"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestGuardTurnsAPanicIntoARefusal(t *testing.T) {
	t.Parallel()
	report, err := guarded(func() (*Report, error) { panic("index out of range") })
	if report != nil || !errors.Is(err, tool.Internal) {
		t.Errorf("%v, %v", report, err)
	}
}

// FuzzCheck calls what Check guards, so that a panic shows.
func FuzzCheck(f *testing.F) {
	for _, code := range []string{
		"function execute(input) { return eval('1'); }", "const { Function: F } = globalThis; const run = () => F`1`",
		"globalThis['ev' + 'al'] = String.fromCharCode(1, 2)", "async function* run({ a = [1, ...b] }, ...c) { for await (const x of y) yield* x }",
		"class A { static #x = 1; static { this.constructor.constructor('x') } } export default A", "import fs from 'fs'; fs.promises.rm(`a${b}`)",
		"var [a, b] = [b, a], { [a]: c = a } = c; execute = a ? b : c ?? d", "'x'.split('').reverse().join('').slice(1, 2).at(0).replace('a', 'b')",
		"const C = x.constructor; C('1'); C`1`; (C || 1)('1')", "label: while (true) { with (this) switch (x) { case typeof process: break label } }", "interface A { b: string }", "a => const b = 1",
	} {
		f.Add(code, true)
	}
	f.Fuzz(func(t *testing.T, code string, allowed bool) {
		var opt Options
		if allowed {
			opt.Allow = []string{Fetch, ReadFile}
		}
		report, err := check(code, JavaScript, opt)
		if err == nil {
			if report.Entry != "execute" && report.Entry != "run" {
				t.Fatalf("%q passes without an entry point", code)
			}
			return
		}
		var list Violations
		if !errors.Is(err, tool.InvalidSource) || !errors.As(err, &list) || len(list) == 0 || len(list) > maxViolations {
			t.Fatalf("%q: %v", code, err)
		}
		for i, v := range list {
			if v.Line < 1 || v.Column < 1 || v.Message == "" || v.Rule == "" || i > 0 && v.Line < list[i-1].Line {
				t.Fatalf("%q: %+v", code, v)
			}
		}
	})
}
