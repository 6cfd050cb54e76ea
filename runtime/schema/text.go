package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// appendKey appends a text that is the same for equal values and no others.
func (v *Value) appendKey(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, 'n')
	case boolean:
		return append(b, v.text[0])
	case number:
		return append(v.decimal().Append(append(b, '#')), ';')
	case text:
		return appendKeyText(b, v.text)
	case array:
		b = append(b, '[')
		for i := range v.items {
			b = v.items[i].appendKey(b)
		}
		return append(b, ']')
	default:
		return v.appendKeyMembers(b)
	}
}

func (v *Value) appendKeyMembers(b []byte) []byte {
	order := make([]int, len(v.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.keys[i], v.keys[j]) })
	b = append(b, '{')
	for _, i := range order {
		b = v.items[i].appendKey(appendKeyText(b, v.keys[i]))
	}
	return append(b, '}')
}

func appendKeyText(b []byte, s string) []byte {
	return append(append(strconv.AppendInt(append(b, 's'), int64(len(s)), 10), ':'), s...)
}

// appendJSON appends v as JSON text.
func (v *Value) appendJSON(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, v.text...)
	case text:
		return appendString(b, v.text)
	case array:
		b = append(b, '[')
		for i := range v.items {
			b = v.items[i].appendJSON(separate(b, i))
		}
		return append(b, ']')
	default:
		b = append(b, '{')
		for i, key := range v.keys {
			b = v.items[i].appendJSON(append(appendString(separate(b, i), key), ':'))
		}
		return append(b, '}')
	}
}

func separate(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func appendString(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string always can be written
	return append(b, quoted...)
}

// plain is v as encoding/json has it, with json.Number for numbers.
func (v *Value) plain() any {
	switch v.kind {
	case null:
		return nil
	case boolean:
		return v.text == "true"
	case number:
		return json.Number(v.text)
	case text:
		return v.text
	case array:
		list := make([]any, len(v.items))
		for i := range v.items {
			list[i] = v.items[i].plain()
		}
		return list
	default:
		members := make(map[string]any, len(v.keys))
		for i, key := range v.keys {
			members[key] = v.items[i].plain()
		}
		return members
	}
}

// maxPathBytes is how long the JSON pointer of an error may be; a longer one is cut.
const maxPathBytes = 2048

// shownBytes is how much of a value or a text a message repeats.
const shownBytes = 60

// show is v within a message, cut to a readable length.
func (v *Value) show() string {
	switch v.kind {
	case text:
		return quote(v.text)
	case array:
		return "an array of " + plural(len(v.items), "item")
	case object:
		return "an object of " + plural(len(v.items), "property")
	default:
		return clip(string(v.appendJSON(nil)), shownBytes)
	}
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	if stem, ok := strings.CutSuffix(unit, "y"); ok {
		return strconv.Itoa(n) + " " + stem + "ies"
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// quote is a text within a message, with < and > as they are.
func quote(s string) string {
	var quoted strings.Builder
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(clip(s, shownBytes)) // a string always can be written
	return strings.TrimSuffix(quoted.String(), "\n")
}

// clip cuts a text to at most some bytes, by whole characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~0", "~", "~1", "/")
)

// pointer extends a JSON pointer (RFC 6901).
func pointer(path, token string) string { return path + "/" + escape.Replace(token) }
