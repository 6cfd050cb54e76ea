package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Rule names what a source may not do. The text is stable.
type Rule string

// The rules.
const (
	RuleSize         Rule = "size"          // more bytes than allowed
	RuleEncoding     Rule = "encoding"      // not UTF-8
	RuleSyntax       Rule = "syntax"        // cannot be read
	RuleEntry        Rule = "entry"         // neither execute nor run
	RuleEval         Rule = "eval"          // eval
	RuleFunction     Rule = "function"      // Function and its kin, which make code from text
	RuleRequire      Rule = "require"       // require
	RuleImport       Rule = "import"        // import, static and dynamic
	RuleExport       Rule = "export"        // export
	RuleProcess      Rule = "process"       // process
	RuleChildProcess Rule = "child_process" // the word child_process
	RuleFileWrite    Rule = "fs.write"      // members of fs that change files
	RuleAllowlist    Rule = "allowlist"     // fetch, fs or crypto without having asked for it
)

// Violation is one place that breaks a rule. It is written for the agent that wrote the source.
type Violation struct {
	Rule    Rule   `json:"rule"`
	Message string `json:"message"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in characters
	Snippet string `json:"snippet,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// Violations are all that is wrong with a source, by position. They are the cause of the *tool.Error that Check
// returns: errors.As finds them.
type Violations []Violation //nolint:errname // a list of Violation first, an error by the way

// maxViolations bounds how many are reported.
const maxViolations = 50

// listed bounds how many of them an error's message lists.
const listed = 10

// Error lists the violations.
func (v Violations) Error() string {
	parts := make([]string, 0, listed)
	for _, one := range v[:min(len(v), listed)] {
		parts = append(parts, fmt.Sprintf("%s (line %d, column %d)", one.Message, one.Line, one.Column))
	}
	if len(v) > listed {
		parts = append(parts, fmt.Sprintf("and %d more", len(v)-listed))
	}
	return strings.Join(parts, "; ")
}

// failure makes the error that Check returns.
func (v Violations) failure() *tool.Error {
	first := v[0]
	e := &tool.Error{
		Code: tool.InvalidSource, Message: first.Message, Line: first.Line, Column: first.Column,
		Snippet: first.Snippet, Hint: first.Hint, Cause: v,
	}
	if len(v) > 1 {
		e.Message = fmt.Sprintf("%d violations: %s", len(v), v.Error())
	}
	if first.Rule == RuleSyntax {
		e.Message = "SyntaxError before execution: " + e.Message
	} else {
		e.Message = "Code validation failed: " + e.Message
	}
	return e
}

// finding is a Violation whose place is still an offset.
type finding struct {
	offset        int
	rule          Rule
	message, hint string
}

// violations places the findings in order and drops those beyond the cap.
func violations(findings []finding, p *places) Violations {
	slices.SortStableFunc(findings, func(a, b finding) int { return cmp.Compare(a.offset, b.offset) })
	list := make(Violations, 0, min(len(findings), maxViolations))
	for _, f := range findings[:min(len(findings), maxViolations)] {
		line, column := p.at(f.offset)
		list = append(list, Violation{
			Rule: f.rule, Message: f.message, Line: line, Column: column,
			Snippet: window(p.line(line), column), Hint: f.hint,
		})
	}
	return list
}
