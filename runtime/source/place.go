package source

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// places turns byte offsets of a source into lines and columns. Columns count characters.
type places struct {
	code   string
	starts []int // of the lines, ascending
}

func newPlaces(code string) *places {
	p := &places{code: code, starts: []int{0}}
	for i := 0; i < len(code); i++ {
		if n := lineBreak(code[i:]); n > 0 {
			i += n - 1
			p.starts = append(p.starts, i+1)
		}
	}
	return p
}

// lineBreak is the length of the line break at the start of s; 0 when there is none.
func lineBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s[0] == '\n' || s[0] == '\r':
		return 1
	case strings.HasPrefix(s, "\u2028") || strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}

// at returns the line and the column, both from 1.
func (p *places) at(offset int) (line, column int) {
	line = sort.SearchInts(p.starts, offset+1)
	return line, 1 + utf8.RuneCountInString(p.code[p.starts[line-1]:offset])
}

// line returns the text of a line, which counts from 1.
func (p *places) line(line int) string {
	end := len(p.code)
	if line < len(p.starts) {
		end = p.starts[line]
	}
	return strings.TrimRight(p.code[p.starts[line-1]:end], "\r\n\u2028\u2029")
}

// snippetRunes bounds a snippet.
const snippetRunes = 120

// Snippet returns line (from 1) of the code without the space around it, cut to a readable length around column (from
// 1, in characters). It is "" when there is no such line.
func Snippet(code string, line, column int) string {
	p := newPlaces(code)
	if line < 1 || line > len(p.starts) {
		return ""
	}
	return window(p.line(line), column)
}

func window(line string, column int) string {
	if utf8.RuneCountInString(strings.TrimSpace(line)) <= snippetRunes {
		return strings.TrimSpace(line)
	}
	runes := []rune(line)
	from := max(0, min(column-1-snippetRunes/2, len(runes)-snippetRunes))
	to := min(len(runes), from+snippetRunes)
	text := string(runes[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(runes) {
		text += "…"
	}
	return strings.TrimSpace(text)
}
