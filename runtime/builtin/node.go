package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// maxNodes is how many values, those within others included, a tool reads.
const maxNodes = 1 << 20

// node is one JSON value as compact text, so that numbers keep their digits and members their order. It belongs to one call.
type node struct {
	text  string
	inner *members // nil unless it is an array or an object that is not empty
}

// members are what arrays and objects hold.
type members struct {
	keys  []string // of an object
	items []node
	index map[string]int // of keys, once a member of a large object was asked for
}

// readNode reads JSON. What is missing is null. path is where it stands in the input.
func readNode(text json.RawMessage, path string) (*node, error) {
	if len(text) == 0 {
		return &node{text: "null"}, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, invalid(path, "this is not JSON: "+err.Error(), "give one JSON value")
	}
	r := nodeReader{text: compact.String(), left: maxNodes}
	n, err := r.value(0)
	if err != nil {
		err.Path = path
		return nil, err
	}
	return &n, nil
}

// nodeReader reads a text that is known to be compact JSON.
type nodeReader struct {
	text string
	at   int
	left int // how many values may follow
}

func (r *nodeReader) value(depth int) (node, *tool.Error) {
	start := r.at
	if r.left--; r.left < 0 {
		return node{}, &tool.Error{
			Code: tool.Limit, Message: fmt.Sprintf("there are more than %d values in it", maxNodes), Hint: "work on a part of it",
		}
	}
	if depth > schema.MaxValueDepth {
		return node{}, invalid("", fmt.Sprintf("arrays and objects nest deeper than %d levels", schema.MaxValueDepth), "work on a part of it")
	}
	var inner *members
	var err *tool.Error
	switch r.text[r.at] {
	case '{', '[':
		inner, err = r.members(depth)
	case '"':
		r.str()
	default:
		for r.at < len(r.text) && !strings.ContainsRune(",]}", rune(r.text[r.at])) {
			r.at++
		}
	}
	return node{text: r.text[start:r.at], inner: inner}, err
}

func (r *nodeReader) members(depth int) (*members, *tool.Error) {
	object := r.text[r.at] == '{'
	if r.at++; r.text[r.at] == ']' || r.text[r.at] == '}' {
		r.at++
		return nil, nil
	}
	m := &members{}
	for {
		if object {
			m.keys = append(m.keys, unquote(r.str()))
			r.at++ // the colon
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m.items = append(m.items, item)
		r.at++
		if r.text[r.at-1] != ',' {
			return m, nil
		}
	}
}

// str goes past a string and returns it in its quotes.
func (r *nodeReader) str() string {
	start := r.at
	for r.at++; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.text[start:r.at]
}

// unquote returns the content of a JSON string. The escape of a lone surrogate reads as U+FFFD.
func unquote(text string) string {
	if !strings.Contains(text, `\`) {
		return text[1 : len(text)-1]
	}
	var content string
	_ = json.Unmarshal([]byte(text), &content) // it is valid JSON
	return content
}

// quote is a JSON string.
func quote(content string) string {
	text, _ := json.Marshal(content) // a string always marshals
	return string(text)
}

// kind is what the first byte says: { [ " t f n, and 0 for numbers.
func (n *node) kind() byte {
	switch c := n.text[0]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	}
	return '0'
}

// kindName is the kind in words.
func (n *node) kindName() string {
	return map[byte]string{
		'{': "an object", '[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '0': "a number",
	}[n.kind()]
}

// len counts the items of an array or the members of an object.
func (n *node) len() int {
	if n.inner == nil {
		return 0
	}
	return len(n.inner.items)
}

// all yields the items of an array or the members of an object, with their positions.
func (n *node) all() iter.Seq2[int, *node] {
	return func(yield func(int, *node) bool) {
		for i := range n.len() {
			if !yield(i, &n.inner.items[i]) {
				return
			}
		}
	}
}

// key is that of a member of an object.
func (n *node) key(i int) string { return n.inner.keys[i] }

// fewKeys is up to how many members an object is searched from front to back.
const fewKeys = 8

// member returns the member of an object with a key, nil when there is none.
func (n *node) member(key string) *node {
	if n.kind() != '{' || n.inner == nil {
		return nil
	}
	m := n.inner
	if len(m.keys) <= fewKeys {
		for i := range m.keys {
			if m.keys[i] == key {
				return &m.items[i]
			}
		}
		return nil
	}
	if m.index == nil {
		m.index = make(map[string]int, len(m.keys))
		for i, key := range m.keys {
			m.index[key] = i
		}
	}
	if i, ok := m.index[key]; ok {
		return &m.items[i]
	}
	return nil
}

// item returns an item of an array, counted from its end when i is negative; nil when there is none.
func (n *node) item(i int) *node {
	if i < 0 {
		i += n.len()
	}
	if n.kind() != '[' || i < 0 || i >= n.len() {
		return nil
	}
	return &n.inner.items[i]
}

// child is a member of an object, or an item of an array by its position in digits.
func (n *node) child(key string) *node {
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && strconv.Itoa(i) == key && n.kind() == '[' {
		return n.item(i)
	}
	return n.member(key)
}

// pointer extends a JSON pointer (RFC 6901).
func pointer(path, token string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(token))
}
