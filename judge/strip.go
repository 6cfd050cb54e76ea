package judge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strip returns code without its comments and without the text of its strings and templates, line by line where it was, so
// that it can be read apart from all it says. It never hides code: regular expressions stay, and from the first place
// on where it cannot tell for sure what is text, everything stays. That place is an offset, or -1. The code need not be valid;
// the work is linear.
func strip(code string, typescript bool) (text string, from int) {
	s := stripper{code: code, typescript: typescript, looks: 4*len(code) + 64}
	for s.at < len(code) {
		if !s.token() {
			s.out.WriteString(code[s.at:])
			return s.out.String(), s.at
		}
	}
	return s.out.String(), -1
}

// before says what a slash after a token is.
type before int

const (
	operator before = iota // a regular expression begins: after + ( , return
	operand                // it divides: after a name, a number, a string
	either                 // it depends on more than is looked at: after ) and }
)

type stripper struct {
	code       string
	typescript bool
	at         int
	out        strings.Builder
	before     before
	dot        bool  // the last token was a dot: a keyword after it is a name
	braces     []int // for each template that surrounds the place, the braces open in its ${
	looks      int   // how many more bytes may be looked at ahead
}

// token takes one token, and is false when it cannot tell what that is.
func (s *stripper) token() bool {
	rest := s.code[s.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '\'':
		return s.text(s.endOfString(), rest[:1])
	case r == '`':
		s.keep(1, operator)
		return s.template()
	case strings.HasPrefix(rest, "//"):
		s.drop(lineLength(rest), " ") // keeps \r and \n around it apart
	case strings.HasPrefix(rest, "/*"):
		return s.comment()
	case r == '/':
		return s.slash()
	case strings.HasPrefix(rest, "<!--"), strings.HasPrefix(rest, "-->"), strings.HasPrefix(rest, "#!"):
		return false // comments in some places and operators in others
	case r == '{' || r == '}':
		return s.brace(r)
	case inName(r):
		s.word()
	case unicode.IsSpace(r) || r == '\ufeff':
		s.out.WriteString(rest[:size])
		s.at += size
	case r >= utf8.RuneSelf:
		return false
	default:
		s.punctuation(rest)
	}
	return true
}

// keep writes the next bytes as they are.
func (s *stripper) keep(size int, b before) {
	s.out.WriteString(s.code[s.at : s.at+size])
	s.at += size
	s.before, s.dot = b, false
}

// drop leaves the next bytes out, and keeps their line ends.
func (s *stripper) drop(size int, instead string) {
	if breaks := len(lines(s.code[s.at:s.at+size])) - 1; breaks > 0 {
		instead = strings.Repeat("\n", breaks)
	}
	s.out.WriteString(instead)
	s.at += size
}

// text empties a string that ends at an offset; below zero there is no end.
func (s *stripper) text(end int, quote string) bool {
	if end < 0 {
		return false
	}
	s.out.WriteString(quote)
	s.drop(end-s.at, "")
	s.out.WriteString(quote)
	s.before, s.dot = operand, false
	return true
}

func (s *stripper) endOfString() int {
	quote := s.code[s.at]
	for i := s.at + 1; i < len(s.code); i++ {
		switch s.code[i] {
		case quote:
			return i + 1
		case '\\':
			i++
			if strings.HasPrefix(s.code[i:], "\r\n") {
				i++
			}
		case '\n', '\r':
			return -1
		}
	}
	return -1
}

func (s *stripper) comment() bool {
	end := strings.Index(s.code[s.at+2:], "*/")
	if end < 0 {
		return false
	}
	s.drop(end+4, " ")
	return true
}

// template empties the text of a template up to its end or its next ${.
func (s *stripper) template() bool {
	for i := s.at; i < len(s.code); i++ {
		switch {
		case s.code[i] == '\\':
			i++
		case s.code[i] == '`':
			s.drop(i-s.at, "")
			s.keep(1, operand)
			return true
		case strings.HasPrefix(s.code[i:], "${"):
			s.drop(i-s.at, "")
			s.keep(2, operator)
			s.braces = append(s.braces, 0)
			return true
		}
	}
	return false
}

// brace counts those within a ${; the one that closes it leads back into the template.
func (s *stripper) brace(r rune) bool {
	inner := len(s.braces) - 1
	switch {
	case r == '{':
		if inner >= 0 {
			s.braces[inner]++
		}
		s.keep(1, operator)
	case inner >= 0 && s.braces[inner] == 0:
		s.braces = s.braces[:inner]
		s.keep(1, operator)
		return s.template()
	default:
		if inner >= 0 {
			s.braces[inner]--
		}
		s.keep(1, either)
	}
	return true
}

// slash keeps a division or a regular expression. Where it may be either, both must leave the same behind.
func (s *stripper) slash() bool {
	if s.before == operand {
		s.keep(1, operator)
		return true
	}
	end := s.endOfRegExp()
	switch {
	case s.looks < 0, s.before == operator && end < 0:
		return false
	case end < 0:
		s.keep(1, operator)
	case s.before == operator:
		s.keep(end-s.at, operand)
	case strings.ContainsAny(s.code[s.at+1:end-1], "\"'`/\\{}<>#"):
		return false
	default:
		s.keep(end-s.at, either)
	}
	return true
}

// endOfRegExp is where a regular expression that begins here ends; -1 when it does not on this line.
func (s *stripper) endOfRegExp() int {
	class := false
	for i := s.at + 1; i < len(s.code) && s.looks >= 0; i++ {
		s.looks--
		switch c := s.code[i]; {
		case endsLine(s.code[i:]):
			return -1
		case c == '\\' && i+1 < len(s.code) && !endsLine(s.code[i+1:]):
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	return -1
}

func endsLine(text string) bool {
	return text[0] == '\n' || text[0] == '\r' || strings.HasPrefix(text, "\u2028") || strings.HasPrefix(text, "\u2029")
}

// lineLength is how many bytes are left of the first line.
func lineLength(text string) int {
	if n := strings.IndexAny(text, "\n\r\u2028\u2029"); n >= 0 {
		return n
	}
	return len(text)
}

// Words that an expression follows, and those that are sometimes names.
var (
	keywords = strings.Fields("return typeof instanceof in new delete void throw case do else")
	unsure   = strings.Fields("of yield await")
)

func (s *stripper) word() {
	rest := s.code[s.at:]
	number := unicode.IsDigit(rune(rest[0]))
	size := strings.IndexFunc(rest, func(r rune) bool { return !inName(r) && (r != '.' || !number) })
	if size < 0 {
		size = len(rest)
	}
	b := operand
	switch name := rest[:size]; {
	case strings.Contains(name, `\`), slices.Contains(unsure, name):
		b = either
	case slices.Contains(keywords, name) && !s.dot:
		b = operator
	}
	s.keep(size, b)
}

func inName(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r == '$' || r == '#' || r == '\\' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return r == '\u200c' || r == '\u200d' ||
		unicode.In(r, unicode.L, unicode.Nl, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Start)
}

func (s *stripper) punctuation(rest string) {
	switch {
	case strings.HasPrefix(rest, "++"), strings.HasPrefix(rest, "--"):
		s.keep(2, either)
	case rest[0] == ')':
		s.keep(1, either)
	case rest[0] == ']':
		s.keep(1, operand)
	case s.typescript && (rest[0] == '>' || rest[0] == '!'):
		s.keep(1, either) // the end of a type, or what says that there is a value
	default:
		s.keep(1, operator)
		s.dot = rest[0] == '.'
	}
}
