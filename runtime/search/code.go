package search

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// fingerprint is what code is compared by: two that differ in comments, layout and the names of their variables only have
// the same.
type fingerprint struct {
	sum      [sha256.Size]byte
	shingles []uint32 // hashes of the pieces of it, sorted; the smallest ones when there are many
}

const (
	shingle     = 5    // tokens of a piece
	maxShingles = 1024 // that are kept
)

// fingerprintOf returns nil for an implementation without code and steps. Names that schemas speak of are no variables.
func fingerprintOf(impl tool.Implementation, spoken map[string]bool) *fingerprint {
	var tokens []string
	switch {
	case impl.Mode == tool.ComposeMode && len(impl.Steps) > 0:
		tokens = stepTokens(impl.Steps)
	case impl.Mode == tool.SandboxMode && impl.Code != "":
		tokens = renamed(codeTokens(impl.Code), spoken)
	default:
		return nil
	}
	f := &fingerprint{sum: sha256.Sum256([]byte(strings.Join(tokens, "\x00")))}
	for i := range max(len(tokens)-shingle+1, 1) {
		piece := tokens[i:min(i+shingle, len(tokens))]
		f.shingles = append(f.shingles, hashOf(strings.Join(piece, "\x00")))
	}
	slices.Sort(f.shingles)
	f.shingles = slices.Compact(f.shingles)
	f.shingles = slices.Clip(f.shingles[:min(len(f.shingles), maxShingles)])
	return f
}

// like is the part of the pieces that both have, 0 to 1. Of long code it is estimated by the smallest hashes of both.
func (f *fingerprint) like(g *fingerprint) float64 {
	both, all, a, b := 0, 0, f.shingles, g.shingles
	for (len(a) > 0 || len(b) > 0) && all < maxShingles {
		all++
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

// stepTokens are what a pipeline does, without the names of its steps.
func stepTokens(steps []tool.Step) (tokens []string) {
	var names []string
	for i, s := range steps {
		names = append(names, "steps."+s.Name, "steps["+strconv.Itoa(i)+"]")
	}
	numbered := strings.NewReplacer(names...)
	for _, s := range steps {
		mapping, err := tool.Canonical(s.InputMapping)
		if err != nil {
			mapping = nil
		}
		tokens = append(tokens, s.Tool, numbered.Replace(string(mapping)), numbered.Replace(s.Condition))
	}
	return tokens
}

// kept are the names in JavaScript that mean the same everywhere.
var kept = setOf(
	"break case catch class const continue debugger default delete do else export extends finally for function if import in instanceof let " +
		"new return super switch this throw try typeof var void while with yield async await of static get set null true false undefined " +
		"NaN Infinity Math JSON Object Array String Number Boolean Date RegExp Map Set WeakMap WeakSet Promise Symbol BigInt Intl Proxy " +
		"Reflect Error TypeError RangeError SyntaxError parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI " +
		"decodeURI fetch fs crypto console URL URLSearchParams TextEncoder TextDecoder structuredClone atob btoa globalThis setTimeout " +
		"ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array arguments",
)

// declarations are one word: which of them it is says little.
var declarations = setOf("const let var")

// renamed numbers the names of variables in the order in which they come, and leaves out semicolons.
func renamed(tokens []string, spoken map[string]bool) []string {
	numbers := map[string]string{}
	out := make([]string, 0, len(tokens))
	for i, t := range tokens {
		before, after := "", ""
		if i > 0 {
			before = tokens[i-1]
		}
		if i+1 < len(tokens) {
			after = tokens[i+1]
		}
		switch {
		case t == ";":
			continue
		case declarations[t]:
			t = "let"
		case variable(t, before, after) && !spoken[t]:
			if numbers[t] == "" {
				numbers[t] = "$" + strconv.Itoa(len(numbers))
			}
			t = numbers[t]
		}
		out = append(out, t)
	}
	return out
}

// variable reports whether a token is the name of a variable, and not of a member or of something that every program has.
func variable(t, before, after string) bool {
	first, _ := utf8.DecodeRuneInString(t)
	member := before == "." || before == "?." || after == ":" && (before == "{" || before == ",")
	return nameBegins(first) && !kept[t] && !member
}

// codeTokens splits JavaScript or TypeScript, without comments and white space. It takes anything.
func codeTokens(code string) (tokens []string) {
	for {
		code = afterSpace(code)
		if code == "" {
			return tokens
		}
		n := tokenBytes(code, tokens)
		t := code[:n]
		if mark := t[:1]; mark == "'" || mark == `"` {
			t = `"` + strings.TrimSuffix(t[1:], mark) // either quotation mark
		}
		tokens = append(tokens, t)
		code = code[n:]
	}
}

// afterSpace drops white space and comments.
func afterSpace(code string) string {
	for {
		code = strings.TrimLeftFunc(code, unicode.IsSpace)
		switch {
		case strings.HasPrefix(code, "//"):
			_, code, _ = strings.Cut(code, "\n")
		case strings.HasPrefix(code, "/*"):
			_, code, _ = strings.Cut(code[2:], "*/")
		default:
			return code
		}
	}
}

// tokenBytes is how long the token is that code, which is not empty, begins with.
func tokenBytes(code string, before []string) int {
	first, size := utf8.DecodeRuneInString(code)
	switch {
	case nameBegins(first) || unicode.IsDigit(first):
		n := strings.IndexFunc(code, func(r rune) bool { return !nameBegins(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(code)
		}
		return n
	case first == '\'' || first == '"':
		return quoted(code, first, false)
	case first == '`':
		return quoted(code, first, true)
	case first == '/' && valueFollows(before):
		return quoted(code, first, false)
	case strings.HasPrefix(code, "?."), strings.HasPrefix(code, "=>"):
		return len("=>")
	}
	return size
}

func nameBegins(r rune) bool { return unicode.IsLetter(r) || r == '_' || r == '$' }

// quoted is how far text reaches that begins with a mark: to the next one that no backslash precedes and, for a regular
// expression, that stands in no class; without one to the end of the line.
func quoted(code string, mark rune, lines bool) int {
	class := false
	for i := 1; i < len(code); i++ {
		switch c := rune(code[i]); {
		case c == '\\':
			i++
		case c == '\n' && !lines:
			return i
		case mark == '/' && (c == '[' || c == ']'):
			class = c == '['
		case c == mark && !class:
			return i + 1
		}
	}
	return len(code)
}

// valueFollows reports whether a slash begins a regular expression, by what stands before it.
func valueFollows(before []string) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	switch last {
	case ")", "]", "}":
		return false
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do":
		return true
	}
	first, _ := utf8.DecodeRuneInString(last)
	return !nameBegins(first) && !unicode.IsDigit(first) && first != '"' && first != '`' && first != '/' || last == "/"
}
