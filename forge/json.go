package forge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// compact is a JSON text without spaces, in bytes of its own. It refuses what is too large, what is no JSON, and what
// readers disagree about.
func compact(text []byte) (json.RawMessage, error) {
	if len(text) > wire.MaxJSONBytes {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: fmt.Sprintf("the request has %d bytes: at most %d are read", len(text), wire.MaxJSONBytes),
			Hint: "a tool does one thing: leave out data, and give smaller test cases",
		}
	}
	if _, err := schema.Decode(text); err != nil {
		e := *tool.AsError(err)
		e.Code = tool.InvalidRequest
		return nil, &e
	}
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		return nil, tool.Errorf(tool.Internal, "writing JSON: %w", err)
	}
	return out.Bytes(), nil
}

// member is one of an object.
type member struct {
	key   string
	value json.RawMessage
}

// membersOf are the members of an object, in their order. The text is known to be one.
func membersOf(object json.RawMessage) []member {
	var list []member
	dec := json.NewDecoder(bytes.NewReader(object))
	_, _ = dec.Token()
	for dec.More() {
		var m member
		token, _ := dec.Token()
		m.key, _ = token.(string)
		_ = dec.Decode(&m.value)
		list = append(list, m)
	}
	return list
}

// itemsOf are the items of a list. The text is known to be one.
func itemsOf(list json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	_ = json.Unmarshal(list, &items)
	return items
}

// textOf is the text of a string. The value is known to be one.
func textOf(value json.RawMessage) string {
	var text string
	_ = json.Unmarshal(value, &text)
	return text
}

func isText(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// describe is what messages call a value.
func describe(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// pointer extends a JSON pointer (RFC 6901).
func pointer(path, name string) string {
	return path + "/" + pointerEscapes.Replace(shorten(name, shown))
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// shown is how much of what somebody wrote a message repeats, in bytes.
const shown = 80

// shorten cuts a text to at most some bytes, by whole characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// unfence takes the Markdown fence off a text that is nothing but a fenced block. It returns the word behind the opening
// fence, too.
func unfence(text string) (inner, word string, fenced bool) {
	body, opened := strings.CutPrefix(strings.TrimSpace(text), "```")
	body, closed := strings.CutSuffix(body, "```")
	word, inner, lines := strings.Cut(body, "\n")
	if !opened || !closed || !lines {
		return text, "", false
	}
	return inner, strings.ToLower(strings.TrimSpace(word)), true
}
