package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// MaxValueDepth is how deep arrays and objects of a value may nest.
const MaxValueDepth = 1000

// Value is a JSON value with its numbers as they were written and its members in their order. It does not change.
type Value struct {
	kind  kind
	text  string         // of a string its content, of a number what was written, "true" or "false"
	keys  []string       // of an object
	items []Value        // of an array, or the members of an object
	index map[string]int // of the keys, when there are many
}

// Shape is a number that values of one shape have in common, and others hardly ever: of one kind and, for objects, with
// members of the same names and kinds in the same order. It is the same within a process.
func (v *Value) Shape() uint64 {
	var h maphash.Hash
	h.SetSeed(shapeSeed)
	_ = h.WriteByte(byte(v.kind))
	for i, name := range v.keys {
		_, _ = h.WriteString(name)
		_ = h.WriteByte(byte(v.items[i].kind))
	}
	return h.Sum64()
}

var shapeSeed = maphash.MakeSeed()

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
	kinds = iota
)

var kindNames = [kinds]string{"null", "boolean", "number", "string", "array", "object"}

// manyKeys is from how many members on an object is worth an index.
const manyKeys = 8

// Decode reads one JSON value. It refuses what readers disagree about: keys given twice, text that is not UTF-8, numbers
// that fit no float64. The error is a *tool.Error of code InvalidInput with a JSON pointer.
func Decode(value []byte) (*Value, error) {
	v, err := decode(value, MaxValueDepth)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// maxRoom is for how many members room is made before they are read.
const maxRoom = 32

func decode(value []byte, depth int) (*Value, *tool.Error) {
	if !json.Valid(value) {
		return nil, notJSON(value)
	}
	if !utf8.Valid(value) {
		return nil, unreadable("encode it as UTF-8", "the text is not UTF-8")
	}
	room := min(maxRoom, 1+bytes.Count(value, []byte{','}))
	r := reader{text: string(value), most: depth, items: make([]Value, 0, room), keys: make([]string, 0, room)}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

func notJSON(value []byte) *tool.Error {
	err := json.Unmarshal(value, new(json.RawMessage))
	at := int64(len(value))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset
	}
	return unreadable("give one value of JSON, whole", "this is not JSON: %w, at byte %d", err, at)
}

// unreadable is the error of a text that is no value, whatever its schema says.
func unreadable(hint, format string, args ...any) *tool.Error {
	e := tool.Errorf(tool.InvalidInput, format, args...)
	e.Hint = hint
	return e
}

// at returns the part of v that a JSON pointer names, which is there.
func (v *Value) at(path string) *Value {
	if path == "" {
		return v
	}
	for token := range strings.SplitSeq(path[1:], "/") {
		if v.kind == array {
			i, _ := strconv.Atoi(token)
			v = &v.items[i]
		} else {
			v = v.member(unescape.Replace(token))
		}
	}
	return v
}

// without returns v without some of its members.
func (v Value) without(keys map[string]bool) Value {
	to := Value{kind: v.kind, text: v.text}
	for i, key := range v.keys {
		if !keys[key] {
			to.add(key, v.items[i])
		}
	}
	return to
}

// weight is about how many bytes v takes as JSON text.
func (v *Value) weight() int {
	n := 4 + len(v.text)
	for i := range v.items {
		n += v.items[i].weight()
	}
	for _, key := range v.keys {
		n += 4 + len(key)
	}
	return n
}

// member returns the member of an object with a key, nil when there is none.
func (v *Value) member(key string) *Value {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return &v.items[i]
		}
		return nil
	}
	for i := range v.keys {
		if v.keys[i] == key {
			return &v.items[i]
		}
	}
	return nil
}

// add appends a member, and reports whether its key is new; when it is not, nothing changes.
func (v *Value) add(key string, item Value) bool {
	if v.member(key) != nil {
		return false
	}
	v.keys, v.items = append(v.keys, key), append(v.items, item)
	if v.index != nil {
		v.index[key] = len(v.keys) - 1
	} else if len(v.keys) > manyKeys {
		v.twice()
	}
	return true
}

// twice returns the first key that is given twice. It makes the index of an object with many members.
func (v *Value) twice() (key string, found bool) {
	if len(v.keys) <= manyKeys {
		for i, key := range v.keys {
			if slices.Contains(v.keys[:i], key) {
				return key, true
			}
		}
		return "", false
	}
	v.index = make(map[string]int, len(v.keys))
	for i, key := range v.keys {
		if _, found := v.index[key]; found {
			return key, true
		}
		v.index[key] = i
	}
	return "", false
}

// reader reads a text that is known to be JSON.
type reader struct {
	text  string
	at    int
	most  int      // depth
	items []Value  // of the arrays and objects that are being read, the innermost last
	keys  []string // the same
}

func (r *reader) value(depth int) (Value, *tool.Error) {
	r.space()
	switch r.text[r.at] {
	case '{', '[':
		if depth == r.most {
			return Value{}, unreadable("nest less deep", "arrays and objects nest deeper than %d levels", r.most)
		}
		return r.members(depth + 1)
	case '"':
		return Value{kind: text, text: r.str()}, nil
	case 't', 'f':
		return Value{kind: boolean, text: r.word()}, nil
	case 'n':
		r.word()
		return Value{}, nil
	}
	v := Value{kind: number, text: r.word()}
	return v, unfit(v.text)
}

// members reads an array or an object.
func (r *reader) members(depth int) (Value, *tool.Error) {
	v := Value{kind: array}
	if r.text[r.at] == '{' {
		v.kind = object
	}
	items, keys := len(r.items), len(r.keys)
	for r.at++; r.another(); {
		token := ""
		if v.kind == object {
			token = r.str()
			r.keys = append(r.keys, token)
			r.space()
			r.at++ // the colon
		}
		item, err := r.value(depth)
		if err != nil {
			if v.kind == array {
				token = strconv.Itoa(len(r.items) - items)
			}
			err.Path = clip(pointer("", token)+err.Path, maxPathBytes)
			r.items = r.items[:items]
			return v, err
		}
		r.items = append(r.items, item)
	}
	if depth == 1 && cap(r.items) <= maxRoom { // nobody needs them any more, and they are not many
		v.items, v.keys = r.items, r.keys
	} else {
		v.items, r.items = slices.Clone(r.items[items:]), r.items[:items]
		v.keys, r.keys = slices.Clone(r.keys[keys:]), r.keys[:keys]
	}
	if key, found := v.twice(); found {
		return v, &tool.Error{
			Code: tool.InvalidInput, Message: fmt.Sprintf("the key %s is given twice", quote(key)),
			Path: clip(pointer("", key), maxPathBytes), Hint: "keep one of them",
		}
	}
	return v, nil
}

// another goes to the next member, or past the end, which it reports by false.
func (r *reader) another() bool {
	r.space()
	switch r.text[r.at] {
	case ']', '}':
		r.at++
		return false
	case ',':
		r.at++
		r.space()
	}
	return true
}

func (r *reader) space() {
	for r.at < len(r.text) && r.text[r.at] <= ' ' {
		r.at++
	}
}

// word reads a number, true, false or null.
func (r *reader) word() string {
	start := r.at
	for r.at < len(r.text) && r.text[r.at] > ' ' && r.text[r.at] != ',' && r.text[r.at] != ']' && r.text[r.at] != '}' {
		r.at++
	}
	return r.text[start:r.at]
}

// str reads a string. The escape of a lone surrogate reads as U+FFFD.
func (r *reader) str() string {
	start := r.at + 1
	end := start + strings.IndexByte(r.text[start:], '"')
	if strings.IndexByte(r.text[start:end], '\\') < 0 {
		r.at = end + 1
		return r.text[start:end]
	}
	for r.at = start; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	var content string
	_ = json.Unmarshal([]byte(r.text[start-1:r.at]), &content) // it is valid JSON
	return content
}
