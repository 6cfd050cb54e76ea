package compose

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Texts are UTF-8 in which a lone surrogate, which JSON may escape, has the three bytes it would have if it were a character.

// unquote returns the text of a JSON string whose quotes were taken off. It is false when an escape is none.
func unquote(raw string) (string, bool) {
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			text = append(text, raw[i])
			i++
			continue
		}
		r, n := unescape(raw[i:])
		if n == 0 {
			return "", false
		}
		text = appendRune(text, r)
		i += n
	}
	return string(text), true
}

// shortEscapes are those of JSON, and the one that a string in single quotes needs.
var shortEscapes = map[byte]rune{
	'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unescape reads the escape that raw begins with; its length is 0 when it is none.
func unescape(raw string) (rune, int) {
	if len(raw) < 2 {
		return 0, 0
	}
	if r, ok := shortEscapes[raw[1]]; ok {
		return r, 2
	}
	first, ok := codeUnit(raw)
	if !ok {
		return 0, 0
	}
	if second, ok := codeUnit(raw[6:]); ok && utf16.IsSurrogate(first) {
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12
		}
	}
	return first, 6
}

// codeUnit reads a \uXXXX that raw begins with.
func codeUnit(raw string) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(raw[2:6], 16, 16)
	return rune(unit), err == nil
}

func appendRune(text []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(text, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
	}
	return utf8.AppendRune(text, r)
}

const hexDigits = "0123456789abcdef"

// controls are the control characters that have a short escape.
var controls = map[byte]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendEscaped adds a text as it stands between the quotes of a JSON string.
func appendEscaped[T string | []byte](dst []byte, text T) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case controls[c] != 0:
			dst = append(dst, '\\', controls[c])
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		case c == 0xED && i+2 < len(text) && text[i+1] >= 0xA0: // a lone surrogate
			dst = append(dst, '\\', 'u', 'd', hexDigits[text[i+1]>>2&0xF], hexDigits[text[i+1]&3<<2|text[i+2]>>4&3], hexDigits[text[i+2]&0xF])
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// units counts the UTF-16 code units of a text, which is what length means to JavaScript.
func units(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0xF0: // beyond the basic plane: two
			n += 2
		case c < 0x80 || c >= 0xC0: // the first byte of a character
			n++
		}
	}
	return n
}

// clip cuts what a message repeats to a readable length.
func clip(text string) string {
	const most = 120
	if runes := []rune(text[:min(len(text), 4*(most+1))]); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
