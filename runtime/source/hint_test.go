package source_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/source"
)

// TestHints gives the messages of both parsers for one mistake: ours, and the engine's.
func TestHints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ message, line, want string }{
		{"unexpected ':', expected ',' or ')'", "function execute(input: any) { return 1; }", "TypeScript"},
		{"Unexpected token ':'", "function execute(input: any) { return 1; }", "TypeScript"},
		{"unexpected ':', expected '{'", "function execute(input): Promise<string> {", "TypeScript"},
		{"missing initializer for variable", "const x: string = 1;", "TypeScript"},
		{"unexpected ':', expected ';' or a line break", "const x: Record<string, number> = {};", "TypeScript"},
		{"unexpected identifier 'A', expected ';' or a line break", "interface A { b: string }", "TypeScript"},
		{"expecting ';'", "interface A { b: string }", "TypeScript"},
		{"expecting ';'", "type A = string | number;", "TypeScript"},
		{"unsupported keyword: enum", "enum A { B }", "TypeScript"},
		{"unexpected identifier 'as', expected ';' or a line break", "return input as string;", "TypeScript"},
		{"expecting ';'", "return input as Foo;", "TypeScript"},
		{"Unexpected token '<'", "function execute<T>(i) {}", "TypeScript"},
		{"expecting ';'", "class A { private x = 1 }", "TypeScript"},
		{"unexpected keyword 'const', expected an expression", "const f = x => const y = 1;", "braces"},
		{"unexpected token in expression: 'const'", "const f = x => const y = 1;", "braces"},
		{"lexical declarations can't appear in single-statement context", "if (i) const y = 1;", "braces"},
		{"a lexical declaration (let) cannot stand in a single-statement context", "if (i) let y = 1;", "braces"},
		{"unexpected identifier 'fetch', expected ';' or a line break", "const r = await fetch(u);", "async function execute"},
		{"expecting ';'", "const r = await fetch(u);", "async function execute"},
		{"unexpected end of input, expected '}'", "", "not closed"},
		{"unexpected token in expression: ''", "if (i) { return 1;", "not closed"},
		{"unexpected end of string", "const a = 'b", "not closed"},
		{"a template is not closed", "x = `a", "not closed"},
		{"unexpected end of comment", "/*", "not closed"},
		{"unexpected identifier 'c', expected ',' or '}' behind a property", "{ b: 1 c: 2 }", "comma"},
		{"Unexpected identifier 'c'", "{ b: 1 c: 2 }", "comma"},
		{"Unexpected number", "[1 2]", "comma"},
		{"expecting ';'", "a = 1 2", "comma"},
		{"unexpected token in expression: '}'", "} }", "closing bracket"},
		{"unexpected '}', expected an expression", "} }", "closing bracket"},
		{"return not in a function", "return 1", "belongs into function execute"},
		{"return stands outside of a function", "return 1", "belongs into function execute"},
		{"unsupported keyword: export", "export const a = 1", "leave out import and export"},
		{"unsupported keyword: export", "export default function (i) {}", "leave out export default"},
		{"unexpected token in expression: '<'", "return <div>a</div>;", "JSX"},
		{"unexpected '<', expected an expression", "return <div>a</div>;", "JSX"},
		{"unexpected token in expression: '@'", "@foo class A {}", "decorators"},
		{"unexpected character '@'", "@foo class A {}", "decorators"},
		{"an HTML-like comment is not allowed", "<!-- x", "//"},
		{"the source is nested too deeply", "((((", "split"},
		{"stack overflow", "((((", "split"},
		{"invalid assignment left-hand side", "1 = 2", ""},
	} {
		got := source.SyntaxHint(c.message, c.line)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s | %s: %q, want %q", c.message, c.line, got, c.want)
		}
	}
}
