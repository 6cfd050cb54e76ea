package wasmjs

import (
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// position finds the line and column of the first frame of a stack that lies in the named file.
func position(stack, file string) (line, column int) {
	for frame := range strings.Lines(stack) {
		_, place, ok := strings.Cut(strings.TrimRight(frame, "\n"), file+":")
		if !ok {
			continue
		}
		l, c, _ := strings.Cut(strings.TrimSuffix(place, ")"), ":")
		line, err := strconv.Atoi(l)
		column, err2 := strconv.Atoi(c)
		if err == nil && err2 == nil {
			return line, column
		}
	}
	return 0, 0
}

// snippetLength is how much of a source line an error shows.
const snippetLength = 120

// locate adds the offending source line to an error that names a place.
func locate(err error, src Source) error {
	e := tool.AsError(err)
	if e.Line < 1 {
		return e
	}
	lines := strings.Split(src.Code, "\n")
	if e.Line > len(lines) {
		return e
	}
	e.Snippet = strings.TrimRight(lines[e.Line-1], "\r")
	if len(e.Snippet) > snippetLength {
		e.Snippet = strings.ToValidUTF8(e.Snippet[:snippetLength], "") + "…"
	}
	return e
}
