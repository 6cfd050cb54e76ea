package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// token is one token of the source; its zero value, a js.ErrorToken, is the end.
type token struct {
	kind     js.TokenType
	pos, end int
	text     string // as written, but identifiers have their escapes decoded
	newline  bool   // a line break stands before it
	escaped  bool   // it was written with \u escapes, so it is no keyword
}

// scanner turns the source into tokens. After the first failure it is at the end for good.
type scanner struct {
	code  string
	input *parse.Input
	lexer *js.Lexer
	tok   token
	err   *Error
}

func newScanner(code string) *scanner {
	input := parse.NewInputString(code)
	s := &scanner{code: code, input: input, lexer: js.NewLexer(input)}
	if strings.HasPrefix(code, "#!") {
		input.Move(lineEnd(code))
		input.Skip()
	}
	return s
}

func lineEnd(code string) int {
	if i := strings.IndexAny(code, "\n\r\u2028\u2029"); i >= 0 {
		return i
	}
	return len(code)
}

// fail keeps the first failure and ends the input.
func (s *scanner) fail(pos int, message string) {
	if s.err == nil {
		s.err = &Error{Offset: pos, Message: message}
	}
	s.tok = token{pos: len(s.code), end: len(s.code)}
}

// next moves to the next token that is neither space nor a comment.
func (s *scanner) next() {
	if s.err != nil {
		return
	}
	newline := false
	for {
		pos := s.input.Offset()
		kind, data := s.lex()
		end := s.input.Offset()
		switch kind {
		case js.WhitespaceToken:
		case js.LineTerminatorToken, js.CommentLineTerminatorToken:
			newline = true
		case js.CommentToken:
			if data[0] != '/' {
				s.fail(pos, "an HTML-like comment is not allowed")
				return
			}
		case js.ErrorToken:
			s.endOrFail(pos, newline)
			return
		default:
			s.tok = token{kind: kind, pos: pos, end: end, text: s.code[pos:end], newline: newline}
			s.unescape()
			return
		}
	}
}

// lex asks the lexer, except for numbers of the old octal form, which it does not know.
func (s *scanner) lex() (js.TokenType, []byte) {
	if n := legacyNumber(s.code[s.input.Offset():]); n > 0 {
		s.input.Move(n)
		return js.DecimalToken, s.input.Shift()
	}
	return s.lexer.Next()
}

// legacyNumber is the length of a number such as 017, 08 or 09.5 at the start of code; 0 when there is none.
func legacyNumber(code string) int {
	if len(code) < 2 || code[0] != '0' || !digit(code[1]) {
		return 0
	}
	n := span(code, 0)
	if !strings.ContainsAny(code[:n], "89") || n == len(code) || code[n] != '.' {
		return n
	}
	return span(code, n+1)
}

func span(code string, from int) int {
	for from < len(code) && digit(code[from]) {
		from++
	}
	return from
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func (s *scanner) endOrFail(pos int, newline bool) {
	if pos >= len(s.code) {
		s.tok = token{pos: len(s.code), end: len(s.code), newline: newline}
		return
	}
	s.fail(pos, lexicalMessage(s.code[pos:]))
}

// lexicalMessage words what the lexer could not read at the start of code.
func lexicalMessage(code string) string {
	switch c := code[0]; {
	case c == '/':
		return "a comment is not closed"
	case c == '"' || c == '\'':
		return "a string is not closed"
	case c == '`' || c == '}':
		return "a template is not closed"
	case digit(c) || c == '.':
		return "a number is malformed"
	}
	r, _ := utf8.DecodeRuneInString(code)
	if unicode.IsLetter(r) {
		return "a number runs into a name"
	}
	return "unexpected character " + strconv.QuoteRune(r)
}

// regexp reads the token again, which began with a slash, as a regular expression.
func (s *scanner) regexp() {
	kind, data := s.lexer.RegExp()
	if kind != js.RegExpToken {
		s.fail(s.tok.pos, "a regular expression is not closed")
		return
	}
	s.tok.kind, s.tok.text, s.tok.end = kind, string(data), s.tok.pos+len(data)
}

// unescape decodes \u escapes in an identifier. What then reads like a keyword is none: it may only name a property.
func (s *scanner) unescape() {
	t := &s.tok
	if (t.kind != js.IdentifierToken && t.kind != js.PrivateIdentifierToken) || strings.IndexByte(t.text, '\\') < 0 {
		return
	}
	text, ok := Unescape(t.text)
	if !ok {
		s.fail(t.pos, "an escape in a name is malformed")
		return
	}
	t.text, t.escaped = text, true
}

// at reports whether the token is this punctuator or word, written without escapes.
func (s *scanner) at(text string) bool {
	return s.tok.text == text && !s.tok.escaped && s.tok.kind != js.StringToken
}

// eat moves on when the token is text.
func (s *scanner) eat(text string) bool {
	if !s.at(text) {
		return false
	}
	s.next()
	return true
}

// expect moves on when the token is text, and fails otherwise.
func (s *scanner) expect(text string) {
	if !s.eat(text) {
		s.unexpected("'" + text + "'")
	}
}

func (s *scanner) eof() bool { return s.tok.kind == js.ErrorToken }

// unexpected fails at the token; wanted says what could stand there, "" when that would not help.
func (s *scanner) unexpected(wanted string) {
	message := "unexpected " + s.describe()
	if wanted != "" {
		message += ", expected " + wanted
	}
	s.fail(s.tok.pos, message)
}

// describe names the token for a message.
func (s *scanner) describe() string {
	t := s.tok
	switch {
	case t.kind == js.ErrorToken:
		return "end of input"
	case t.kind == js.StringToken:
		return "string"
	case t.kind == js.RegExpToken:
		return "regular expression"
	case js.IsNumeric(t.kind):
		return "number"
	case t.kind == js.TemplateToken || t.kind == js.TemplateStartToken:
		return "template"
	case js.IsReservedWord(t.kind):
		return "keyword '" + t.text + "'"
	case js.IsIdentifierName(t.kind):
		return "identifier '" + cut(t.text, 40) + "'"
	}
	return "'" + cut(t.text, 40) + "'"
}

// cut shortens text to about n bytes without breaking a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
