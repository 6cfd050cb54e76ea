package match

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text of a valid JSON string in its quotes, in WTF-8: surrogate pairs become one character, a lone surrogate
// becomes its own three bytes, where encoding/json would put U+FFFD in its place.
func Text(literal []byte) string {
	in := literal[1 : len(literal)-1]
	out := make([]byte, 0, len(in))
	for len(in) > 0 {
		switch {
		case in[0] != '\\':
			out = append(out, in[0])
			in = in[1:]
		case in[1] != 'u':
			out = append(out, escapes[in[1]])
			in = in[2:]
		default:
			r, size := escapedRune(in)
			out = appendWTF8(out, r)
			in = in[size:]
		}
	}
	return string(out)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapedRune reads the \u escape that in begins with, and the second half of a pair behind it.
func escapedRune(in []byte) (r rune, size int) {
	r = hexRune(in)
	if len(in) >= 12 && in[6] == '\\' && in[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(in[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

func hexRune(in []byte) rune {
	n, _ := strconv.ParseUint(string(in[2:6]), 16, 16) // the literal is valid, so these are four hex digits
	return rune(n)
}

// appendWTF8 is utf8.AppendRune that keeps surrogates.
func appendWTF8(out []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r)
	}
	return append(out, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
}
