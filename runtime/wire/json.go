package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// JSON reads one document into what into points to. The error is a *tool.Error of code InvalidRequest with the place of the
// first mistake. The escape of a lone surrogate reads as U+FFFD.
func JSON(text []byte, into any) error {
	root, err := readJSON(text)
	if err != nil {
		return err
	}
	return decoder{text: text}.decode(root, reflect.ValueOf(into).Elem(), "")
}

// readJSON reads the tree of a document within the bounds.
func readJSON(text []byte) (*node, error) {
	if err := bounded(text, MaxJSONBytes); err != nil {
		return nil, err
	}
	r := reader{text: text, line: 1, tokens: json.NewDecoder(bytes.NewReader(text))}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, r.syntaxError(err)
	}
	r.tokens.UseNumber()
	root := &node{}
	return root, r.value(root, 0)
}

// reader builds nodes from the tokens of a text that is JSON.
type reader struct {
	text   []byte
	tokens *json.Decoder

	line, lineAt, seen int // the line of the last place that was asked for, where it begins, and how far newlines were counted
}

// value reads the next value into n.
func (r *reader) value(n *node, depth int) error {
	start := r.next()
	*n = *r.place(start)
	token, err := r.tokens.Token()
	if err != nil {
		return tool.Errorf(tool.Internal, "reading JSON: %w", err)
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == MaxDepth {
			return mistake(r.text, n, "", tool.Errorf(tool.InvalidRequest, "%w", errDepth))
		}
		return r.members(n, token, depth+1)
	case string:
		n.kind, n.text = textNode, token
	case json.Number:
		n.kind, n.text = numberNode, token.String()
	case bool:
		n.kind, n.text = boolNode, string(r.text[start:r.tokens.InputOffset()])
	}
	return nil
}

// members reads what stands behind an opening bracket, and the closing one.
func (r *reader) members(n *node, bracket json.Delim, depth int) error {
	n.kind = listNode
	if bracket == '{' {
		n.kind = objectNode
	}
	seen := map[string]bool{}
	for r.tokens.More() {
		var key, item node
		if n.kind == objectNode {
			if err := r.value(&key, depth); err != nil {
				return err
			}
		}
		if err := r.value(&item, depth); err != nil {
			return err
		}
		if n.kind == listNode {
			n.items = append(n.items, item)
		} else if err := n.add(key, item, seen); err != nil {
			return mistake(r.text, &key, "", tool.Errorf(tool.InvalidRequest, "%w", err))
		}
	}
	_, err := r.tokens.Token()
	return err
}

func (r *reader) syntaxError(err error) error {
	at := len(r.text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = min(int(syntax.Offset), at)
	}
	return mistake(r.text, r.place(max(at-1, 0)), "", tool.Errorf(tool.InvalidRequest, "this is not JSON: %w", err))
}

// next is where the next token begins.
func (r *reader) next() int {
	at := int(r.tokens.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	return at
}

// place returns a node at a byte of the text. Places are asked for from front to back.
func (r *reader) place(at int) *node {
	for ; r.seen < at; r.seen++ {
		if r.text[r.seen] == '\n' {
			r.line, r.lineAt = r.line+1, r.seen+1
		}
	}
	return &node{line: r.line, column: 1 + utf8.RuneCount(r.text[r.lineAt:at])}
}
