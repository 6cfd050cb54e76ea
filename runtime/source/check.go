package source

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/source/internal/syntax"
	"example.com/toolsmith/runtime/tool"
)

// The names that Options.Allow and Report.Uses hold: the host's APIs a tool can ask for.
const (
	Fetch    = "fetch"
	ReadFile = "fs.readFile"
	Crypto   = "crypto"
)

// Options says how a source is to be looked at. The zero value is right for JavaScript that asked for nothing.
type Options struct {
	File     string   // the file's name, for its ending; "" is fine
	Language string   // "js" or "ts"; "" goes by the file's ending, else js
	Allow    []string // the APIs the tool asked for: Fetch, ReadFile, Crypto
	MaxBytes int      // most bytes of source; 0 = 64 KiB
}

// Report is what Check found in a source that passed.
type Report struct {
	Entry  string   `json:"entry"`            // the function that is the tool: "execute" or "run"
	Uses   []string `json:"uses,omitempty"`   // the host's APIs that the source uses
	Unused []string `json:"unused,omitempty"` // those it asked for and never uses
	Facts  []Fact   `json:"facts,omitempty"`  // what a judge should know, by position
}

// Check looks at JavaScript; TypeScript has to go through a Stripper first, which keeps the lines. The error is a
// *tool.Error of code InvalidSource with the place, the source line and a hint of the first violation; its message
// lists them all, and errors.As with a Violations gives them as values. Unknown names in opt are InvalidRequest.
func Check(code string, opt Options) (*Report, error) {
	language, err := LanguageOf(opt.File, opt.Language)
	if err != nil {
		return nil, err
	}
	if err := checkAllow(opt.Allow); err != nil {
		return nil, err
	}
	return guarded(func() (*Report, error) { return check(code, language, opt) })
}

// guarded turns a panic, a fault of this package, into an error: a source that cannot be looked at is refused.
func guarded(check func() (*Report, error)) (report *Report, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			report, err = nil, tool.Errorf(tool.Internal, "the source could not be checked: %v", fault)
		}
	}()
	return check()
}

func check(code, language string, opt Options) (*Report, error) {
	if v := admit(code, opt.MaxBytes); v != nil {
		return nil, v.failure()
	}
	place := newPlaces(code)
	root, err := syntax.Parse(code)
	if err != nil {
		return nil, syntaxFailure(err, place, language)
	}
	g := newGate(opt.Allow)
	g.look(root)
	if len(g.findings) > 0 {
		return nil, violations(g.findings, place).failure()
	}
	return &Report{Entry: g.entry, Uses: g.used(), Unused: g.unused(opt.Allow), Facts: facts(g.notes, place)}, nil
}

// admit bounds what is read at all.
func admit(code string, most int) Violations {
	if most <= 0 {
		most = tool.DefaultLimits.SourceBytes
	}
	v := Violation{Line: 1, Column: 1}
	switch {
	case len(code) > most:
		v.Rule, v.Hint = RuleSize, "a tool does one thing: leave out data and libraries, pass data in the input"
		v.Message = fmt.Sprintf("the source has %d bytes, at most %d are allowed", len(code), most)
	case !utf8.ValidString(code):
		v.Rule, v.Hint = RuleEncoding, "write the source as UTF-8"
		v.Message = "the source is not valid UTF-8"
	default:
		return nil
	}
	return Violations{v}
}

func syntaxFailure(err error, place *places, language string) *tool.Error {
	e, ok := err.(*syntax.Error) //nolint:errorlint // Parse returns no other error
	if !ok {
		return tool.AsError(err)
	}
	line, _ := place.at(e.Offset)
	hint := hintFor(e.Message, place.line(line), language)
	return violations([]finding{{e.Offset, RuleSyntax, e.Message, hint}}, place).failure()
}

func checkAllow(allow []string) error {
	for _, name := range allow {
		if name != Fetch && name != ReadFile && name != Crypto {
			return &tool.Error{
				Code: tool.InvalidRequest, Message: fmt.Sprintf("the allowlist names %q, which is no API", name),
				Hint: "the APIs are " + strings.Join([]string{Fetch, ReadFile, Crypto}, ", "),
			}
		}
	}
	return nil
}
