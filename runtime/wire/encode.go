package wire

import (
	"bytes"
	"encoding/json"
	"strconv"

	"example.com/toolsmith/runtime/tool"
)

// YAMLToJSON reads one document and writes it as JSON, for what has no struct of its own: members in their order, numbers
// as they were written. A number that JSON has no way to write, such as 0x10 or .inf, is a mistake. The errors are those of
// YAML. The caller owns the result, which has at most six times the bytes of the text.
func YAMLToJSON(text []byte) ([]byte, error) {
	root, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	e := encoder{text: text}
	if err := e.encode(root, ""); err != nil {
		return nil, err
	}
	return e.out.Bytes(), nil
}

// encoder writes nodes as JSON. It carries the text that mistakes quote.
type encoder struct {
	text []byte
	out  bytes.Buffer
}

func (e *encoder) encode(n *node, path string) error {
	switch n.kind {
	case nullNode:
		e.out.WriteString("null")
	case boolNode:
		e.out.WriteString(n.text)
	case numberNode:
		if !decimalPoint.MatchString(n.text) {
			return mistake(e.text, n, path, &tool.Error{
				Code: tool.InvalidRequest, Message: clip(n.text) + " is not a number in decimal digits", Hint: "write it in decimal digits, or in quotes if it is text",
			})
		}
		e.out.WriteString(n.text)
	case textNode:
		e.quote(n.text)
	case listNode:
		return e.list(n, path)
	case objectNode:
		return e.object(n, path)
	}
	return nil
}

func (e *encoder) list(n *node, path string) error {
	e.out.WriteByte('[')
	for i := range n.items {
		e.separate(i)
		if err := e.encode(&n.items[i], pointer(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	e.out.WriteByte(']')
	return nil
}

func (e *encoder) object(n *node, path string) error {
	e.out.WriteByte('{')
	for i, key := range n.keys {
		e.separate(i)
		e.quote(key.text)
		e.out.WriteByte(':')
		if err := e.encode(&n.items[i], pointer(path, key.text)); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

func (e *encoder) separate(i int) {
	if i > 0 {
		e.out.WriteByte(',')
	}
}

// quote writes a string with <, > and & as they are.
func (e *encoder) quote(s string) {
	enc := json.NewEncoder(&e.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)               // a string always can be written
	e.out.Truncate(e.out.Len() - 1) // the newline
}
