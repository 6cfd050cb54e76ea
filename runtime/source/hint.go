package source

import (
	"regexp"
	"strings"
	"sync"
)

// advice pairs what a syntax error looks like with how to mend it. Both patterns must match when both are given.
type advice struct {
	message *regexp.Regexp // of the parser, ours or the engine's
	line    *regexp.Regexp // the source line
	hint    string
}

const (
	bracesHint = "a body that holds a declaration needs braces: (x) => { const y = f(x); return y; }, if (x) { const y = 1; }"
	typesHint  = `the source is JavaScript, but this looks like TypeScript: leave the types out, or give the language "ts" ` +
		"or a file name that ends in .ts"
)

// advices are tried in order; the first that matches wins. They are compiled when the first error asks for them.
var advices = sync.OnceValue(func() []advice {
	return []advice{
		{message: pattern(`single-statement context|keyword '(const|var|function|class)'|in expression: '(const|let|var)'`), hint: bracesHint},
		{line: pattern(`=>\s*(const|let|var)\b`), hint: bracesHint},
		{message: pattern(`HTML-like`), hint: "write // for a comment, and put a space into a < !--b"},
		{message: pattern(`nested too deeply|stack overflow`), hint: "split the expression or the function into smaller ones"},
		{
			message: pattern(`keyword: export|keyword 'export'`), line: pattern(`\bexport\s+default\b`),
			hint: "the source is a script: leave out export default, and name the function execute",
		},
		{message: pattern(`keyword: (import|export)|keyword '(import|export)'`), hint: "the source is a script: leave out import and export"},
		{line: typeDeclaration(), hint: typesHint},
		{message: pattern(`'[:<?]'|identifier|expecting '[;,)=]'|expected|missing initializer`), line: typeAnnotation(), hint: typesHint},
		{
			message: pattern(`unexpected (identifier|keyword 'await')|expecting ';'`), line: pattern(`\bawait\b`),
			hint: "await works in async functions only: async function execute(input) { … }",
		},
		{message: pattern(`'@'`), hint: "decorators are not JavaScript: call the function yourself"},
		{
			message: pattern(`(?i)unexpected end|end of input|not closed|expecting '}'|in expression: ''`),
			hint:    "something is not closed: look for a missing }, ), ] or quote",
		},
		{message: pattern(`'<'`), line: pattern(`<[A-Za-z/>]`), hint: "JSX is not JavaScript: build the text with a template `…`"},
		{message: pattern(`^return |return not in`), hint: "return belongs into function execute(input) { … }; look for a } too many above"},
		{message: pattern(`(unexpected|in expression:|Unexpected token) '[)}\]]'`), hint: "a closing bracket too many, or something is missing before it"},
		{message: pattern(`(?i)unexpected (identifier|string|number|template)|expecting '[;,]'|expected '[;,]'`), hint: "a comma, semicolon or operator is missing before this"},
	}
})

func typeDeclaration() *regexp.Regexp {
	return pattern(`^\s*(export\s+)?(declare\s+)?(interface\s+\w+|type\s+\w+(<.*>)?\s*=|enum\s+\w+|namespace\s+\w+|abstract\s+class\b)`)
}

func typeAnnotation() *regexp.Regexp {
	return pattern(`[\w\])}]\??\s*:\s*(\w+\.)?(string|number|boolean|any|unknown|void|never|object|bigint|symbol|` +
		`[A-Z]\w*)\b|\bas\s+(const|string|number|any|unknown|[A-Z]\w*)|\b(private|public|protected|readonly|implements)\s+\w|` +
		`\bfunction\s+\w+\s*<|import\s+type\b`)
}

func pattern(text string) *regexp.Regexp { return regexp.MustCompile(text) }

// SyntaxHint says how to mend a syntax error: message is the parser's, ours or the engine's, line the source line it
// speaks of ("" when not known). It is "" when there is nothing helpful to say.
func SyntaxHint(message, line string) string { return hintFor(message, line, JavaScript) }

// hintFor knows that TypeScript is right in TypeScript.
func hintFor(message, line, language string) string {
	line = line[:min(len(line), 500)]
	for _, a := range advices() {
		if a.hint == typesHint && language == TypeScript {
			continue
		}
		if (a.message == nil || a.message.MatchString(message)) && (a.line == nil || a.line.MatchString(line)) {
			return a.hint
		}
	}
	if strings.Contains(message, "escape") {
		return "write the character itself"
	}
	return ""
}
