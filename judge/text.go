package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// printable writes every character that does not show itself as \uXXXX, as JSON and JavaScript do: controls, odd spaces,
// marks of direction, and the invisible alphabets that models read and people do not see.
func printable(text string) string {
	var out strings.Builder
	for _, r := range text {
		if tool.Shows(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}

// words is what a model or a person said, fit for records and terminals: lines and tabs stay, at most so many characters.
func words(text string, most int) string {
	text = clip(strings.TrimSpace(text), most)
	var out strings.Builder
	for piece := range strings.SplitAfterSeq(text, "\n") {
		line, end := strings.CutSuffix(piece, "\n")
		out.WriteString(printable(strings.ReplaceAll(line, "\t", "    ")))
		if end {
			out.WriteByte('\n')
		}
	}
	return clip(out.String(), most)
}

// line is the same on one line.
func line(text string, most int) string {
	return words(strings.Join(strings.Fields(clip(text, 4*most)), " "), most)
}

// clip cuts a text to so many characters; an ellipsis, which is one of them, says so.
func clip(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	for i := range text {
		if most--; most == 0 {
			return text[:i] + "…"
		}
	}
	return text
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// lines splits code where JavaScript ends a line, so that what follows a comment is never shown as part of it.
func lines(code string) []string { return strings.Split(lineEnds.Replace(code), "\n") }

// quoted is a text as a JSON string that prints.
func quoted(text string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil { // no string fails
		return `""`
	}
	return printable(strings.TrimSuffix(out.String(), "\n"))
}

// compact is JSON on one line that prints; what is no JSON is quoted.
func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return quoted(string(raw))
	}
	return printable(out.String())
}
