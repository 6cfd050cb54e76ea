package syntax

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape decodes the backslash escapes of a JavaScript string, template or identifier (without its quotes). It
// reports false, with what it could decode, when an escape is malformed. Lone surrogates become U+FFFD.
func Unescape(raw string) (string, bool) {
	i := strings.IndexByte(raw, '\\')
	if i < 0 {
		return raw, true
	}
	out := append(make([]byte, 0, len(raw)), raw[:i]...)
	ok := true
	for rest := raw[i:]; rest != ""; {
		if rest[0] != '\\' {
			out = append(out, rest[0])
			rest = rest[1:]
			continue
		}
		r, n := escape(rest)
		if n == 0 {
			ok, n = false, 1
		} else if r >= 0 {
			out = utf8.AppendRune(out, r)
		}
		rest = rest[n:]
	}
	return string(out), ok
}

var simpleEscapes = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'v': '\v', 'f': '\f'}

// escape decodes the escape at the start of s. The rune is -1 when it stands for nothing (a line continuation); the
// length is 0 when it is malformed.
func escape(s string) (r rune, length int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch c := s[1]; {
	case c == 'x':
		return hex(s, 2, 2)
	case c == 'u':
		return unicodeEscape(s)
	case '0' <= c && c <= '7':
		return octal(s)
	case c == '\r' && strings.HasPrefix(s[2:], "\n"):
		return -1, 3
	case c == '\r' || c == '\n':
		return -1, 2
	default:
		if plain, ok := simpleEscapes[c]; ok {
			return plain, 2
		}
	}
	r, n := utf8.DecodeRuneInString(s[1:])
	if r == '\u2028' || r == '\u2029' {
		r = -1
	}
	return r, 1 + n
}

// hex decodes digits hexadecimal digits from position at.
func hex(s string, at, digits int) (r rune, length int) {
	if len(s) < at+digits {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[at:at+digits], 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(v), at + digits //nolint:gosec // at most four digits, or checked by the caller
}

func octal(s string) (r rune, length int) {
	n := 1
	for n < len(s) && n < 4 && '0' <= s[n] && s[n] <= '7' && r*8+rune(s[n]-'0') < 256 {
		r = r*8 + rune(s[n]-'0')
		n++
	}
	return r, n
}

// unicodeEscape decodes \u{…} and \uXXXX, a pair of surrogates as one character.
func unicodeEscape(s string) (r rune, length int) {
	if strings.HasPrefix(s, `\u{`) {
		return bracedEscape(s)
	}
	high, n := hex(s, 2, 4)
	if n == 0 || !utf16.IsSurrogate(high) || !strings.HasPrefix(s[n:], `\u`) {
		return high, n
	}
	low, m := hex(s[n:], 2, 4)
	if pair := utf16.DecodeRune(high, low); m > 0 && pair != utf8.RuneError {
		return pair, n + m
	}
	return high, n
}

// longestEscape bounds \u{…}; whoever writes more zeros than that has something to hide.
const longestEscape = 64

func bracedEscape(s string) (r rune, length int) {
	end := strings.IndexByte(s[:min(len(s), longestEscape)], '}')
	if end < 4 {
		return 0, 0
	}
	v, err := strconv.ParseUint(s[3:end], 16, 64)
	if err != nil || v > utf8.MaxRune {
		return 0, 0
	}
	return rune(v), end + 1
}

func decimal(i int) string { return strconv.Itoa(i) }
