package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// node is a value of a document, with its place.
type node struct {
	kind         kind
	text         string // of a scalar: the string's content, the number as written, "true" or "false"
	line, column int    // 1-based; columns count characters
	keys         []node // of an object: strings, each once
	items        []node // of an object or a list
}

type kind int

const (
	nullNode kind = iota
	boolNode
	numberNode
	textNode
	listNode
	objectNode
)

// names are what messages call the kinds.
var names = map[kind]string{
	nullNode: "nothing", boolNode: "true or false", numberNode: "a number", textNode: "a string", listNode: "a list", objectNode: "an object",
}

// want returns an error unless n is of a kind.
func (n *node) want(k kind) error {
	switch {
	case n.kind == k:
		return nil
	case n.kind == nullNode:
		return fmt.Errorf("there is no value: give %s, or leave the key out", names[k])
	case k == textNode && (n.kind == numberNode || n.kind == boolNode):
		return fmt.Errorf("%s is not a string: put it in quotes", clip(n.text))
	}
	return fmt.Errorf("this is %s where %s belongs", names[n.kind], names[k])
}

// find returns the node that a JSON pointer relative to n names, or the last one on the way that exists.
func (n *node) find(path string) *node {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		next := n.child(name)
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

func (n *node) child(name string) *node {
	if n.kind == listNode {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
			return &n.items[i]
		}
	}
	for i := range n.keys {
		if n.keys[i].text == name {
			return &n.items[i]
		}
	}
	return nil
}

// add appends a member to an object. A key that is there already is an error.
func (n *node) add(key, value node, seen map[string]bool) error {
	if seen[key.text] {
		return fmt.Errorf("the key %q is given twice", clip(key.text))
	}
	seen[key.text] = true
	n.keys = append(n.keys, key)
	n.items = append(n.items, value)
	return nil
}
