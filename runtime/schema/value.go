package schema

import (
	"encoding/json"
	"errors"
	"fmt"
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
	text  string   // of a string its content, of a number what was written, "true" or "false"
	keys  []string // of an object
	items []Value  // of an array, or the members of an object
	index map[string]int
	size  int // bytes of the text that the value was read from
}

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

func decode(value []byte, depth int) (*Value, *tool.Error) {
	if !json.Valid(value) {
		return nil, notJSON(value)
	}
	if !utf8.Valid(value) {
		return nil, tool.Errorf(tool.InvalidInput, "the text is not UTF-8")
	}
	r := reader{text: string(value), most: depth}
	v := Value{size: len(value)}
	if err := r.value(&v, 0); err != nil {
		return nil, err
	}
	return &v, nil
}

func notJSON(value []byte) *tool.Error {
	err := json.Unmarshal(value, new(json.RawMessage))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return tool.Errorf(tool.InvalidInput, "this is not JSON: %w, at byte %d", err, syntax.Offset)
	}
	return tool.Errorf(tool.InvalidInput, "this is not JSON: %w", err)
}

// at returns the part of v that a JSON pointer names, nil when there is none.
func (v *Value) at(path string) *Value {
	if path == "" {
		return v
	}
	for token := range strings.SplitSeq(path[1:], "/") {
		if v = v.child(unescape.Replace(token)); v == nil {
			return nil
		}
	}
	return v
}

func (v *Value) child(token string) *Value {
	if v.kind == object {
		return v.member(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.items) {
		return &v.items[i]
	}
	return nil
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

// add appends a member that was read, and reports whether its key is new.
func (v *Value) add(key string, item Value) bool {
	if v.member(key) != nil {
		return false
	}
	v.keys, v.items = append(v.keys, key), append(v.items, item)
	switch {
	case v.index != nil:
		v.index[key] = len(v.keys) - 1
	case len(v.keys) > manyKeys:
		v.index = make(map[string]int, 2*len(v.keys))
		for i, k := range v.keys {
			v.index[k] = i
		}
	}
	return true
}

// reader reads a text that is known to be JSON.
type reader struct {
	text string
	at   int
	most int // depth
}

func (r *reader) value(v *Value, depth int) *tool.Error {
	r.space()
	start := r.at
	switch r.text[r.at] {
	case '{', '[':
		if depth == r.most {
			return tool.Errorf(tool.InvalidInput, "arrays and objects nest deeper than %d levels", r.most)
		}
		return r.members(v, depth+1)
	case '"':
		v.kind, v.text = text, r.str()
	case 't', 'f':
		r.word()
		v.kind, v.text = boolean, r.text[start:r.at]
	case 'n':
		r.word()
		v.kind = null
	default:
		r.word()
		v.kind, v.text = number, r.text[start:r.at]
		return unfit(v.text)
	}
	return nil
}

// members reads an array or an object.
func (r *reader) members(v *Value, depth int) *tool.Error {
	v.kind = array
	if r.text[r.at] == '{' {
		v.kind = object
	}
	r.at++
	for i := 0; ; i++ {
		r.space()
		if c := r.text[r.at]; c == ']' || c == '}' {
			r.at++
			return nil
		} else if c == ',' {
			r.at++
			r.space()
		}
		token, err := r.item(v, depth)
		if err != nil {
			err.Path = pointer("", token) + err.Path
			return err
		}
	}
}

// item reads one member, and returns its token in a JSON pointer.
func (r *reader) item(v *Value, depth int) (string, *tool.Error) {
	var item Value
	if v.kind == array {
		err := r.value(&item, depth)
		v.items = append(v.items, item)
		if err != nil {
			return fmt.Sprint(len(v.items) - 1), err
		}
		return "", nil
	}
	key := r.str()
	r.space()
	r.at++ // the colon
	if err := r.value(&item, depth); err != nil {
		return key, err
	}
	if !v.add(key, item) {
		return key, tool.Errorf(tool.InvalidInput, "the key %s is given twice", quote(key))
	}
	return key, nil
}

func (r *reader) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// word skips a number, true, false or null.
func (r *reader) word() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n,]}", r.text[r.at]) < 0 {
		r.at++
	}
}

// str reads a string. The escape of a lone surrogate reads as U+FFFD.
func (r *reader) str() string {
	start := r.at
	escaped := false
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			escaped = true
			r.at++
		}
	}
	r.at++
	if !escaped {
		return r.text[start+1 : r.at-1]
	}
	var content string
	_ = json.Unmarshal([]byte(r.text[start:r.at]), &content) // it is valid JSON
	return content
}
