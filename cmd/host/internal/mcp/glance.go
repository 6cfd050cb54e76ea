package mcp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// glance finds the id in a message that is refused, so that its sender learns of it: one that is not sound, or of which only parts
// are there at a time. It holds no more than one member of the message.
type glance struct {
	depth   int  // of lists and objects that are open
	text    bool // within a text
	escaped bool // behind a backslash
	key     string
	part    []byte // what was read of a key or a value of the message itself

	found           json.RawMessage
	ids             int
	method, outcome bool // it has such members
	odd             bool // more than one object
}

// idOf is the id in a message that is refused; nil when it cannot be told.
func idOf(message []byte) json.RawMessage {
	var g glance
	g.over(message)
	return g.id()
}

// id is that of the call which was read so far; nil of what is an answer, and when it cannot be told.
func (g *glance) id() json.RawMessage {
	if g.ids != 1 || g.odd || g.outcome && !g.method || !validID(g.found) || !json.Valid(g.found) || !utf8.Valid(g.found) {
		return nil
	}
	return g.found
}

// over reads on.
func (g *glance) over(part []byte) {
	for _, b := range part {
		g.read(b)
	}
}

func (g *glance) read(b byte) {
	switch {
	case g.text:
		g.keep(b)
		g.text = g.escaped || b != '"'
		g.escaped = !g.escaped && b == '\\'
	case b == '"':
		g.keep(b)
		g.text = true
	case b == '{' || b == '[':
		g.keep(b)
		g.odd = g.odd || g.depth == 0 && (b == '[' || g.key != "")
		g.depth++
	case b == '}' || b == ']':
		if g.depth == 1 {
			g.member()
			g.key = "}" // of no member: another object would be odd
		}
		g.depth--
	case g.depth == 1 && b == ':':
		g.key = ""
		_ = json.Unmarshal(g.part, &g.key) // what is no text is no key
		g.part = nil
	case g.depth == 1 && b == ',':
		g.member()
	default:
		g.keep(b)
	}
}

// keep takes note of a byte of a key or a value of the message itself, as far as an id may go. Of lists and objects the beginning
// says that they are no ids.
func (g *glance) keep(b byte) {
	if g.depth == 1 && len(g.part) <= maxID+2 {
		g.part = append(g.part, b)
	}
}

// member takes note of a member of the message.
func (g *glance) member() {
	switch g.key {
	case "id":
		g.ids++
		g.found = bytes.TrimSpace(g.part)
	case "method":
		g.method = true
	case "result", "error":
		g.outcome = true
	}
	g.key, g.part = "", nil
}
