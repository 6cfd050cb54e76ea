package wire

import (
	"bytes"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Mistakes are what is wrong with the members of a document, in their order, each with its place.
type Mistakes []*tool.Error //nolint:errname // a list of errors first, an error by the way

// MaxMistakes is how many are gathered of one document.
const MaxMistakes = 20

// Error is the first of them, and how many more there are.
func (m Mistakes) Error() string {
	if len(m) == 1 {
		return m[0].Error()
	}
	return fmt.Sprintf("%v, and %d more mistakes", m[0], len(m)-1)
}

// mistake is e at the place of n in text.
func mistake(text []byte, n *node, path string, e *tool.Error) *tool.Error {
	return &tool.Error{
		Code: e.Code, Message: e.Message, Hint: e.Hint, Cause: e.Cause,
		Path: path, Line: n.line, Column: n.column, Snippet: snippet(text, n.line),
	}
}

// snippet returns a line of text, cut to a readable length.
func snippet(text []byte, line int) string {
	const most = 120
	for range line - 1 {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	text, _, _ = bytes.Cut(text, []byte{'\n'})
	return cut(strings.TrimRight(strings.ToValidUTF8(string(text[:min(len(text), 4*most)]), "\uFFFD"), "\r"), most)
}

// clip cuts what a message repeats to a readable length.
func clip(text string) string { return cut(text, 80) }

func cut(text string, most int) string {
	if runes := []rune(text[:min(len(text), 4*(most+1))]); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
