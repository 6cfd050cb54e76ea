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

// glimpse is what can be told of a message that is refused: its id, or that of what it was to answer.
func glimpse(message []byte) frame {
	var g glance
	g.over(message)
	return g.frame()
}

// frame is what can be told of the message which was read so far.
func (g *glance) frame() frame {
	switch {
	case g.ids != 1 || g.odd || !validID(g.found) || !json.Valid(g.found) || !utf8.Valid(g.found):
		return frame{}
	case g.outcome && !g.method:
		return frame{asked: g.found}
	}
	return frame{id: g.found}
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
		g.method = g.method || g.key == "method"
		g.outcome = g.outcome || g.key == "result" || g.key == "error"
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
	if g.key == "id" {
		g.ids++
		g.found = bytes.TrimSpace(g.part)
	}
	g.key, g.part = "", nil
}
