package wasmjs

import (
	"regexp"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

var stackPlace = regexp.MustCompile(`:(\d+):(\d+)\)?$`)

// position finds the line and column of the first frame of a stack that has one.
func position(stack string) (line, column int) {
	for frame := range strings.Lines(stack) {
		if m := stackPlace.FindStringSubmatch(strings.TrimSpace(frame)); m != nil && !strings.Contains(frame, "toolsmith:") {
			line, _ = strconv.Atoi(m[1])
			column, _ = strconv.Atoi(m[2])
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
