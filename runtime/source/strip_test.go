package source_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/source"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// engine is shared by the tests: starting one takes a second.
var engine = sync.OnceValues(func() (*wasmjs.Engine, error) {
	return wasmjs.New(context.Background(), wasmjs.Options{})
})

func stripper(t testing.TB) *source.Stripper {
	t.Helper()
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	return source.NewStripper(e)
}

func TestTheBundleIsTheRecorded(t *testing.T) {
	t.Parallel()
	record, err := os.ReadFile("stripts/strip-ts.js.sha256")
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := os.ReadFile("stripts/strip-ts.js")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(bundle)
	if hex.EncodeToString(sum[:]) != strings.TrimSpace(string(record)) {
		t.Error("stripts/strip-ts.js is not what strip-ts.js.sha256 records: run its recipe")
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	s := stripper(t)
	for code, want := range map[string]string{
		"function execute(input: { n: number }): number {\n  return input.n;\n}": "function execute(input) {\n  return input.n;\n}",
		"interface A {\n  b: string;\n}\ntype B = A | null;\nlet c: B = null;":   "\n\n\n\nlet c = null;",
		"const x = (a as any).b!, y = c satisfies D, z = [1] as const;":          "const x = (a ).b, y = c , z = [1] ;",
		"import type { X } from './x';\nimport { Y } from './y';\nlet y: Y;":     "\n\nlet y;",
		"const f = async <T,>(x: T): Promise<T> => x;":                           "const f = async ( x) => x;",
		"enum Color { Red, Green = 'g' }": `var Color; (function (Color) { const Red = 0; Color[Color["Red"] = Red] = "Red"; ` +
			`const Green = 'g'; Color["Green"] = Green; })(Color || (Color = {}));`,
		"class A { constructor(private readonly x: number) {} }":     "class A { constructor(  x) {;this.x = x;} }",
		"abstract class A<T> { abstract f(): void; #g?: T; }":        " class A {  #g; }",
		"declare const a: number; declare namespace N { let b }":     "",
		"class A { #x = 1; static { this.y = a?.b ?? c ** 2 } }":     "class A { #x = 1; static { this.y = a?.b ?? c ** 2 } }",
		"if (a < b && c > (d)) f<number>(e);":                        "if (a < b && c > (d)) f(e);",
		"const s = `${x as string} namespace X {`; // namespace Y {": "const s = `${x } namespace X {`; // namespace Y {",
	} {
		got, err := s.Strip(t.Context(), code)
		if strings.TrimRight(got, " ") != want || err != nil {
			t.Errorf("%q:\n%q, %v, want\n%q", code, got, err, want)
		}
		if strings.Count(got, "\n") != strings.Count(code, "\n") && err == nil {
			t.Errorf("%q: lines moved: %q", code, got)
		}
	}
}

func TestStripRefuses(t *testing.T) {
	t.Parallel()
	s := stripper(t)
	for code, want := range map[string]struct {
		line, column int
		text         string
	}{
		"function execute(i: any) {\n  const ü = 1 +;\n}": {2, 16, "Unexpected token"},
		"let s: string = '😀'; let é: = 1":                 {1, 29, "Unexpected token"},
		"let a = `b":                                      {1, 10, "Unterminated template"},
		"let a = 1;\nnamespace N { let b }":               {2, 1, "namespaces are not supported"},
		"export namespace A.B\n{ let b = 1 }":             {1, 8, "namespaces are not supported"},
		"function f( {":                                   {1, 14, ""},
		strings.Repeat("(", 30000):                        {1, 1, "nested too deeply"},
		"let \xff":                                        {1, 1, "not valid UTF-8"},
		strings.Repeat(" ", 256<<10+1):                    {1, 1, "at most 262144"},
	} {
		_, err := s.Strip(t.Context(), code)
		e := tool.AsError(err)
		if !errors.Is(err, tool.InvalidSource) || e.Line != want.line || e.Column != want.column || !strings.Contains(e.Message, want.text) {
			t.Errorf("%.60q: %+v", code, e)
		}
		var v source.Violations
		if !errors.As(err, &v) || len(v) != 1 || strings.Contains(e.Hint, "looks like TypeScript") {
			t.Errorf("%.60q: %+v", code, v)
		}
	}
}

// What comes out of the stripper passes the gate, and what the gate refuses is at the line of the TypeScript.
func TestStrippedSourceIsChecked(t *testing.T) {
	t.Parallel()
	s := stripper(t)
	for code, want := range map[string]string{ // "" passes
		"enum E { A, B = 'b' }\nexport type T = E;\nasync function execute(input: { e: E }): Promise<E> {\n  return input.e ?? E.A;\n}": "",
		"class A { constructor(private x = 1) {} }\nconst execute = (i: unknown): number => new A()['x'];":                              "",
		"type F = typeof fetch;\nfunction execute(i: any) {\n  return (eval as any)(i.code);\n}":                                        "eval() is forbidden (line 3",
		"interface A {}\nimport fs from 'fs';\nfunction execute(i: A) { fs.readFile(i) }":                                               "import statements are forbidden",
		"function execute(i: any) { return 1 }\n@dec class A { x: number = 1 }":                                                         "unexpected character '@'",
		"export default function execute(i: any): any {}":                                                                               "export is forbidden",
	} {
		js, err := s.Strip(t.Context(), code)
		if err == nil {
			_, err = source.Check(js, source.Options{Language: source.TypeScript})
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), strings.Split(want, " (")[0])) {
			t.Errorf("%s:\n%v, want %q", code, err, want)
		}
	}
}

func TestStripKeepsWhatItMade(t *testing.T) {
	t.Parallel()
	s := stripper(t)
	first, err := s.Strip(t.Context(), "let kept: number = 1")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := s.Strip(ended, "let kept: number = 1"); again != first || err != nil {
		t.Errorf("not from the cache: %q, %v", again, err)
	}
	if _, err := s.Strip(ended, "let other: number = 1"); !errors.Is(err, tool.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
}

func TestStripConcurrently(t *testing.T) {
	t.Parallel()
	s := stripper(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := strings.Repeat("x", i+1)
			got, err := s.Strip(t.Context(), "let "+name+": number = 1")
			if got != "let "+name+" = 1" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	group.Wait()
}

func TestHostileTypeScriptEnds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := stripper(t)
	rep := strings.Repeat
	for name, code := range map[string]string{
		"arrows":       "const f = " + rep("a=>", 1000) + "1",
		"typed arrows": "const f = " + rep("(a: any) => ", 500) + "1",
		"cover":        "const f = " + rep("(a = ", 300) + "1" + rep(")", 300),
		"conditional":  rep("a ? (b) : ", 300) + "c",
		"generics":     "f" + rep("<a", 3000),
		"classes":      rep("class A{static{", 1000) + rep("}}", 1000),
		"types":        "let a: " + rep("[", 5000),
		"wide":         rep("let a: number = 1;", 3500),
	} {
		start := time.Now()
		_, err := s.Strip(t.Context(), code)
		took := time.Since(start)
		if err != nil && !errors.Is(err, tool.InvalidSource) || took > 10*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
		t.Logf("%-12s %8v %.90v", name, took.Round(time.Millisecond), err)
	}
}

func BenchmarkStrip1KB(b *testing.B) {
	s := stripper(b)
	code := strings.Replace(plain, "execute(input)", "execute(input: { csv: string }): Promise<unknown>", 1)
	for i := 0; b.Loop(); i++ {
		if _, err := s.Strip(b.Context(), code+strings.Repeat(" ", i%1000)); err != nil { // not from the cache, for the most part
			b.Fatal(err)
		}
	}
}
