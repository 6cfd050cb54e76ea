package cases

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// file is the text of a case file. Its methods make errors with their place.
type file struct{ text []byte }

// members reads the members or elements of m's value, with their places in the file.
func (f file) members(m member) []member {
	all := newReader(m.value).members()
	for i := range all {
		all[i].nameAt += m.valueAt
		all[i].valueAt += m.valueAt
	}
	return all
}

// fill puts every given member into c, in order.
func (f file) fill(c *Case, known map[string]setter, given []member) error {
	seen := map[string]bool{}
	for _, m := range given {
		set, ok := known[m.name]
		switch {
		case !ok:
			names := slices.Sorted(maps.Keys(known))
			return f.hint(m.nameAt, "the members are "+strings.Join(names, ", "), "unknown member %q", m.name)
		case seen[m.name]:
			return f.errorf(m.nameAt, "the member %q is given twice", m.name)
		}
		seen[m.name] = true
		if err := set(f, c, m); err != nil {
			return err
		}
	}
	return nil
}

func (f file) line(at int) int { return 1 + bytes.Count(f.text[:at], []byte{'\n'}) }

func (f file) errorf(at int, format string, args ...any) *tool.Error {
	return f.hint(at, "", format, args...)
}

// hint is errorf with a word on how to mend it.
func (f file) hint(at int, hint, format string, args ...any) *tool.Error {
	at = max(0, min(at, len(f.text)))
	begin := 1 + bytes.LastIndexByte(f.text[:at], '\n')
	rest, _, _ := bytes.Cut(f.text[begin:], []byte{'\n'})
	return &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf(format, args...), Hint: hint,
		Line: f.line(at), Column: 1 + utf8.RuneCount(f.text[begin:at]), Snippet: snippet(rest),
	}
}

// snippet cuts a line to a readable length.
func snippet(line []byte) string {
	const most = 120
	text := strings.TrimRight(strings.ToValidUTF8(string(line[:min(len(line), 4*most)]), "\uFFFD"), "\r")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
