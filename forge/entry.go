package forge

import (
	"errors"
	"strings"

	"example.com/toolsmith/runtime/source"
)

// code reads the source: out of its Markdown fence, and, when it is the bare body of a function, within the function.
func (r *requestReader) code(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	i := &r.request.Implementation
	inner, word, fenced := unfence(text)
	if _, _, again := unfence(inner); again {
		inner = text // whatever it is, it is no code
	} else if fenced {
		r.note("the Markdown fence around the code is left out")
		if language, err := source.LanguageOf("", word); err == nil && language == source.TypeScript && i.Language == "" {
			i.Language = language
			r.note("the fence says that the language is %s", language)
		}
	}
	if i.Language == source.TypeScript || len(inner) > r.rules.MaxSourceBytes {
		return inner
	}
	return r.entryPoint(inner)
}

// entryPoint returns code that defines the function that is the tool, wherever it can be told what the author meant. A
// return outside of all functions does not parse; what parses within a function and not without is the body of one.
func (r *requestReader) entryPoint(code string) string {
	found := violationsOf(code)
	if hint, ok := hintOf(found, source.RuleEntry); ok {
		r.note("the code defines neither execute(input) nor run(input): %s", hint)
	}
	if _, broken := hintOf(found, source.RuleSyntax); !broken || !strings.Contains(code, "return") {
		return code
	}
	for _, head := range []string{"function execute(input)", "async function execute(input)"} {
		body := " { " + code + "\n}"
		// In parentheses, so that nothing within can end the function early and begin another.
		if _, broken := hintOf(violationsOf("("+head+body+")"), source.RuleSyntax); !broken {
			r.note("the code is the body of a function: it is taken for that of %s", head)
			return head + body
		}
	}
	return code
}

// violationsOf are what the static gate has against a source, which is not for here to judge.
func violationsOf(code string) source.Violations {
	_, err := source.Check(code, source.Options{MaxBytes: 2 * len(code)})
	found, _ := errors.AsType[source.Violations](err)
	return found
}

// hintOf is the hint of the first violation of a rule.
func hintOf(found source.Violations, rule source.Rule) (string, bool) {
	for _, v := range found {
		if v.Rule == rule {
			return v.Hint, true
		}
	}
	return "", false
}
