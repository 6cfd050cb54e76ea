package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escape makes text from a guest or a file harmless on a terminal and in a log: one line, with control characters, direction
// marks and broken UTF-8 spelled as Go spells them.
func escape(text string) string { return spelled(text, shows) }

// shows reports whether a character is harmless on a terminal. Joiners are: they stand within words and emoji.
func shows(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c'
	return unicode.IsGraphic(r) || r == joiner || r == nonJoiner
}

// escapeControls is for text that is a result of its own and goes to no terminal: only control characters, but for line breaks
// and tabs, and broken UTF-8 are spelled.
func escapeControls(text string) string {
	return spelled(text, func(r rune) bool { return r == '\n' || r == '\t' || !unicode.IsControl(r) })
}

// spelled spells the characters of a text that are not harmless.
func spelled(text string, harmless func(rune) bool) string {
	var out strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if broken := r == utf8.RuneError && size == 1; broken || !harmless(r) {
			spelled := strconv.Quote(text[:size])
			out.WriteString(spelled[1 : len(spelled)-1])
		} else {
			out.WriteRune(r)
		}
		text = text[size:]
	}
	return out.String()
}

// escapeLines is escape that keeps line breaks and tabs.
func escapeLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, "\t"))
		out.WriteString(line[:indent] + escape(strings.TrimSuffix(line[indent:], "\n")))
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// escapeJSON spells every character of a JSON text that a terminal would act on as a \u escape. The value stays the same.
func escapeJSON(text []byte) []byte {
	out := make([]byte, 0, len(text)+1)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf && r != 0x7f, r >= utf8.RuneSelf && shows(r):
			out = append(out, text[:size]...)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				out = append(out, `\u`...)
				out = append(out, strconv.FormatUint(0x10000|uint64(unit), 16)[1:]...)
			}
		}
		text = text[size:]
	}
	return out
}
