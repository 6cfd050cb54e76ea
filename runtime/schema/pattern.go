package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds of a pattern: what it may be written in, and the instructions that it is compiled to, alone and with all the
// others of a schema.
const (
	maxPatternBytes = 256
	maxProgram      = 4096
	maxPrograms     = 1 << 15
)

// pattern is a regular expression that RE2 and JavaScript with the flag u both take, with JavaScript's meaning.
type pattern struct {
	source  string
	regexp  *regexp.Regexp
	program int // instructions: with the length of a text, the most that a match can cost
}

// compilePattern reads a pattern. What both engines take is: literals, the dot, classes, \d \w \s \b and their
// opposites, \p of a general category, groups, alternatives, ^ and $, and quantifiers up to 1000.
func compilePattern(source string) (*pattern, error) {
	if len(source) > maxPatternBytes {
		return nil, fmt.Errorf("a pattern of %d bytes is too long: %d are read", len(source), maxPatternBytes)
	}
	t := translator{rest: source}
	if err := t.all(); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, plainly(err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, plainly(err)
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("the pattern unfolds to %d steps, %d are allowed: use smaller repeat counts, or minLength and maxLength", len(program.Inst), maxProgram)
	}
	compiled, err := regexp.Compile(t.out.String())
	if err != nil {
		return nil, plainly(err)
	}
	return &pattern{source, compiled, len(program.Inst)}, nil
}

func plainly(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("%s: %s", e.Code, quote(e.Expr))
	}
	return err
}

// translator walks a pattern, refuses what one of the two engines would, and writes what RE2 needs to mean the same.
type translator struct {
	rest string
	out  strings.Builder
	open int  // groups
	atom bool // the last thing can be repeated
}

const (
	jsDot      = `[^\n\r\x{2028}\x{2029}]`
	jsSpace    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	jsNotSpace = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
		`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

func (t *translator) all() error {
	for t.rest != "" {
		if err := t.next(); err != nil {
			return err
		}
	}
	if t.open > 0 {
		return errors.New("a group is not closed")
	}
	return nil
}

// take removes the first n bytes of what is left.
func (t *translator) take(n int) string {
	s := t.rest[:n]
	t.rest = t.rest[n:]
	return s
}

// put writes a part, which can be repeated or not.
func (t *translator) put(s string, atom bool) error {
	t.out.WriteString(s)
	t.atom = atom
	return nil
}

func (t *translator) next() error {
	switch c := t.rest[0]; c {
	case '(':
		return t.group()
	case ')':
		if t.open--; t.open < 0 {
			return errors.New("a ) closes no group: write \\) for the character")
		}
		return t.put(t.take(1), true)
	case '|', '^', '$':
		return t.put(t.take(1), false)
	case '*', '+', '?':
		return t.quantifier(t.take(1))
	case '{':
		return t.count()
	case '}', ']':
		return fmt.Errorf("a lone %c: write \\%c for the character", c, c)
	case '[':
		return t.class()
	case '.':
		t.take(1)
		return t.put(jsDot, true)
	case '\\':
		return t.escape()
	}
	_, n := utf8.DecodeRuneInString(t.rest)
	return t.put(t.take(n), true)
}

func (t *translator) group() error {
	t.open++
	switch {
	case strings.HasPrefix(t.rest, "(?:"):
		return t.put(t.take(3), false)
	case strings.HasPrefix(t.rest, "(?"):
		return fmt.Errorf("%s is not allowed: of the groups that begin with (? only (?: is; lookaround, flags and names are not", quote(clip(t.rest, 4)))
	}
	return t.put(t.take(1), false)
}

func (t *translator) quantifier(s string) error {
	if !t.atom {
		return fmt.Errorf("nothing to repeat before %s", quote(s))
	}
	if strings.HasPrefix(t.rest, "?") {
		s += t.take(1)
	}
	return t.put(s, false)
}

var counts = regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`)

func (t *translator) count() error {
	s := counts.FindString(t.rest)
	if s == "" {
		return errors.New("a lone {: write \\{ for the character")
	}
	return t.quantifier(t.take(len(s)))
}

// escape translates what begins with a backslash, outside of a class.
func (t *translator) escape() error {
	s, set, err := t.escaped()
	switch {
	case err != nil:
		return err
	case s == `\b` || s == `\B`:
		return t.put(s, false)
	case s == `\-`:
		return errors.New(`\- is for classes only: write - for the character`)
	case set:
		return t.put("["+s+"]", true)
	}
	return t.put(s, true)
}

var categories = regexp.MustCompile(`^\\[pP]\{(L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)\}`)

// escaped takes an escape off, and says whether it stands for a set of characters, as it is written within a class.
func (t *translator) escaped() (s string, set bool, err error) {
	if len(t.rest) < 2 {
		return "", false, errors.New("a backslash at the end")
	}
	switch c := t.rest[1]; {
	case strings.IndexByte("dDwW", c) >= 0:
		return t.take(2), true, nil
	case c == 's':
		t.take(2)
		return jsSpace, true, nil
	case c == 'S':
		t.take(2)
		return jsNotSpace, true, nil
	case strings.IndexByte(`bBtnvfr^$\.*+?()[]{}|/-`, c) >= 0:
		return t.take(2), false, nil
	case c == 'x' && hexByte.MatchString(t.rest):
		return t.take(4), false, nil
	case c == 'p' || c == 'P':
		if s := categories.FindString(t.rest); s != "" {
			return t.take(len(s)), true, nil
		}
		return "", false, errors.New(`after \p stands a general category, as in \p{L} or \p{Lu}`)
	case c == 'u':
		return "", false, errors.New(`\u is not allowed: write the character itself, or \x and two hexadecimal digits`)
	}
	return "", false, fmt.Errorf("the escape %s is not allowed: RE2 and JavaScript do not both know it", quote(clip(t.rest, 2)))
}

var hexByte = regexp.MustCompile(`^\\x[0-9a-fA-F]{2}`)

// class translates what stands in brackets.
func (t *translator) class() error {
	t.out.WriteString(t.take(1))
	if strings.HasPrefix(t.rest, "^") {
		t.out.WriteString(t.take(1))
	}
	if strings.HasPrefix(t.rest, "]") {
		return errors.New("an empty class")
	}
	for {
		if t.rest == "" {
			return errors.New("a class is not closed")
		}
		if t.rest[0] == ']' {
			return t.put(t.take(1), true)
		}
		if err := t.span(); err != nil {
			return err
		}
	}
}

// span translates one member of a class: a character, a range or a set.
func (t *translator) span() error {
	set, err := t.member()
	if err != nil || !strings.HasPrefix(t.rest, "-") || strings.HasPrefix(t.rest, "-]") || len(t.rest) < 2 {
		return err
	}
	t.out.WriteString(t.take(1))
	upper, err := t.member()
	if err == nil && (set || upper) {
		err = errors.New("a range needs a character on either side of its -")
	}
	return err
}

func (t *translator) member() (set bool, err error) {
	if t.rest[0] != '\\' {
		_, n := utf8.DecodeRuneInString(t.rest)
		t.out.WriteString(regexp.QuoteMeta(t.take(n)))
		return false, nil
	}
	s, set, err := t.escaped()
	if s == `\b` || s == `\B` {
		return false, fmt.Errorf("%s has no place in a class", s)
	}
	t.out.WriteString(s)
	return set, err
}
