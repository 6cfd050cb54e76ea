package compose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"unicode/utf8"
)

// value is one JSON value, as compact text. Its members are looked up when a path first asks for one, level by level; a path
// has at most maxPath levels, so that all the paths into a text of n bytes cost no more than maxPath*n together. A value
// belongs to one run.
type value struct {
	text     []byte
	object   map[string][]byte // the text of each member
	ends     []int             // of a list: where each item ends
	children map[string]*value // those that were asked for
	decoded  *string           // of a string, once it was asked for
}

var (
	null    = &value{text: []byte("null")}
	truth   = &value{text: []byte("true")}
	untruth = &value{text: []byte("false")}
)

// newValue reads JSON, which is not kept. No text at all is null.
func newValue(text []byte) (*value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return null, nil
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return &value{text: compact.Bytes()}, nil
}

// kind is what the first byte says: { [ " t f n, and 0 for numbers.
func (v *value) kind() byte {
	switch c := v.text[0]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	}
	return '0'
}

// string returns the text of a string.
func (v *value) string() string {
	if v.decoded == nil {
		text, _ := unquote(string(v.text[1 : len(v.text)-1]))
		v.decoded = &text
	}
	return *v.decoded
}

// child returns an own member of an object or an item of a list, nil when there is none.
func (v *value) child(key string) *value {
	if c, ok := v.children[key]; ok {
		return c
	}
	text := v.member(key)
	if text == nil {
		return nil
	}
	if v.children == nil {
		v.children = map[string]*value{}
	}
	c := &value{text: text}
	v.children[key] = c
	return c
}

func (v *value) member(key string) []byte {
	switch v.kind() {
	case '{':
		if v.object == nil {
			v.object = map[string][]byte{}
			for key, item := range v.all() {
				name, _ := unquote(string(key[1 : len(key)-1]))
				v.object[name] = item
			}
		}
		return v.object[key]
	case '[':
		if n, err := strconv.Atoi(key); err == nil && strconv.Itoa(n) == key && n >= 0 && n < v.len() {
			return v.item(n)
		}
	}
	return nil
}

// len counts the items of a list.
func (v *value) len() int {
	if v.ends == nil {
		v.ends = []int{}
		at := 1
		for _, item := range v.all() {
			at += len(item)
			v.ends = append(v.ends, at)
			at++ // the comma
		}
	}
	return len(v.ends)
}

func (v *value) item(n int) []byte {
	start := 1
	if n > 0 {
		start = v.ends[n-1] + 1
	}
	return v.text[start:v.ends[n]]
}

// all yields the members of an object, keys in their quotes, or the items of a list with no keys.
func (v *value) all() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, item []byte) bool) {
		for at := 1; at < len(v.text)-1; at++ { // past the comma
			var key []byte
			if v.text[0] == '{' {
				end := afterString(v.text, at)
				key, at = v.text[at:end], end+1
			}
			end := afterValue(v.text, at)
			if !yield(key, v.text[at:end]) {
				return
			}
			at = end
		}
	}
}

// afterValue is where the value ends that begins at a byte of compact JSON.
func afterValue(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '{', '[':
			depth++
			at++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
			at++
			if depth == 0 {
				return at
			}
		case '"':
			at = afterString(text, at)
			if depth == 0 {
				return at
			}
		case ',':
			if depth == 0 {
				return at
			}
			at++
		default:
			at++
		}
	}
	return at
}

// afterString is where the string ends that begins at a byte.
func afterString[T string | []byte](text T, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}
