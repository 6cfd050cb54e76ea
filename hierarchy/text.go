package hierarchy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// cutText cuts text to so many bytes and a note, without breaking a character.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… [cut: %d of %d bytes are shown]", text[:end], end, len(text))
}

// cutJSON is JSON as it stands, or the beginning of it as a text.
func cutJSON(value json.RawMessage, most int) json.RawMessage {
	if len(value) <= most && json.Valid(value) {
		return value
	}
	return encode(cutText(string(value), most))
}

// encode writes a value that has a JSON form, with nothing escaped that need not be.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // values of this package always have one
	return bytes.TrimRight(b.Bytes(), "\n")
}

// oneLine makes one line of text that somebody wrote, cut to a length: so it cannot pass for what stands around it.
func oneLine(text string, most int) string {
	return cutText(strings.Join(strings.Fields(text), " "), most)
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
