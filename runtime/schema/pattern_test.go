package schema_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
)

func patterned(source string) []byte {
	return marshal(map[string]any{"type": "string", "pattern": source})
}

// What only one of RE2 and JavaScript takes, or what they take differently and cannot be written for both.
func TestPatternRefuses(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`(?=a)`, `(?!a)`, `(?<=a)`, `(?<!a)`, `(?i)a`, `(?i:a)`, `(?<n>a)`, `(?P<n>a)`, `(?#a)`, `(?`, `(`, `)`, `a)(b`,
		`\A`, `\z`, `\Z`, `\Q.\E`, `\C`, `\a`, `\e`, `\g`, `\1`, `(a)\1`, `\k<n>`, `\0`, `\01`, `\cA`, `\u0041`, `\u{41}`, `\x{41}`, `\x4`, `\`, `\-`, `\ `, `\_`, `\é`,
		`\pL`, `\p{Greek}`, `\p{Script=Greek}`, `\p{Letter}`, `\p`, `\p{`, `\P{^L}`, `\p{^L}`, `\h`, `\R`, `\X`,
		`[`, `[a`, `[]`, `[^]`, `[]a]`, `]`, `a]`, `[[:alpha:]]`, `[^[:alpha:]]`, `[z-a]`, `[\d-z]`, `[a-\d]`, `[\b]`, `[\B]`, `[\`, `[a-`, `[\1]`, `[a-\`,
		`{`, `}`, `a{`, `a}`, `a{}`, `a{,2}`, `a{1`, `a{a}`, `{1}`, `a{2,1}`, `a{1001}`, `(a{100}){100}`, `a{1}{2}`, `a**`, `a+*`, `a???`, `a++`, `*`, `+a`, `?`, `|*`, `(*)`, `(?:*)`, `^*`, `$+`, `\b*`, `\B{2}`,
		strings.Repeat("a", 257), strings.Repeat("(a{900})", 30), strings.Repeat("(", 100) + strings.Repeat(")", 99),
	} {
		if _, err := schema.Compile(patterned(source)); err == nil {
			t.Errorf("%q is admitted", source)
		}
	}
}

func TestPatternIsShownAsItWasWritten(t *testing.T) {
	t.Parallel()
	if _, err := schema.Compile(patterned(`(?<!x)`)); err == nil || !strings.Contains(err.Error(), `"(?<!`) {
		t.Error(err)
	}
}

// Patterns mean what they mean in JavaScript.
func TestPatternMatches(t *testing.T) {
	t.Parallel()
	for source, texts := range map[string]struct{ yes, no []string }{
		`^.$`:              {[]string{"a", "é", "😀"}, []string{"", "ab", "\n", "\r", "\u2028", "\u2029"}},
		`^\s$`:             {[]string{" ", "\t", "\n", "\v", "\f", "\r", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u205f", "\u3000", "\ufeff"}, []string{"a", "", "\u200b", "\u180e", "\u0085"}},
		`^\S$`:             {[]string{"a", "\u200b", "\u0085", "😀", "\x00"}, []string{" ", "\u00a0", "\ufeff", "\v"}},
		`^[\s\d]+$`:        {[]string{"1 2\u00a03"}, []string{"a", "٣"}},
		`^[^\s]$`:          {[]string{"a"}, []string{"\u3000"}},
		`^[\S]$`:           {[]string{"a"}, []string{"\u3000"}},
		`^[^\S]$`:          {[]string{"\u3000"}, []string{"a"}},
		`^\w+$`:            {[]string{"aZ_9"}, []string{"é", "a-b"}},
		`\bé`:              {[]string{"aé"}, []string{"é"}},
		`^\p{L}+$`:         {[]string{"aé"}, []string{"1"}},
		`^[\p{Lu}\P{L}]+$`: {[]string{"A1"}, []string{"a"}},
		`a$`:               {[]string{"ba"}, []string{"a\n", "ab"}},
		`^[[\]\-^.&~]$`:    {[]string{"[", "]", "-", "^", ".", "&", "~"}, []string{"a", "\\"}},
		`^[a-c-]$`:         {[]string{"b", "-"}, []string{"d"}},
		`^[-a]$`:           {[]string{"-", "a"}, []string{"b"}},
		`^[\s-]$`:          {[]string{"-", " "}, []string{"a"}},
		`^\/\.\{\}\|\(\)$`: {[]string{"/.{}|()"}, []string{"/"}},
		`^\x41\t$`:         {[]string{"A\t"}, []string{"A"}},
		`^(?:a|b){2,3}?$`:  {[]string{"ab", "bab"}, []string{"a", "abab"}},
		`^(|a)*$`:          {[]string{"", "aa"}, []string{"b"}},
		`^a{0}b$`:          {[]string{"b"}, []string{"ab"}},
		``:                 {[]string{"", "a"}, nil},
		`^(a+)+$`:          {[]string{"aaa"}, []string{strings.Repeat("a", 50000) + "!"}},
	} {
		s, err := schema.Compile(patterned(source))
		if err != nil {
			if texts.yes != nil {
				t.Errorf("%q: %v", source, err)
			}
			continue
		}
		for _, text := range texts.yes {
			if err := s.Validate(marshal(text)); err != nil {
				t.Errorf("%q: %v", source, err)
			}
		}
		for _, text := range texts.no {
			if s.Validate(marshal(text)) == nil {
				t.Errorf("%q admits %.20q", source, text)
			}
		}
	}
}
