package builtin

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// query is a parsed path.
type query struct {
	segments []segment
	single   bool // it leads to one value at most
}

// segment is one step of a path.
type segment struct {
	deep      bool // from the value and from all below it
	selectors []selector
}

// selector yields the children of a value that it chooses.
type selector func(*node) iter.Seq[*node]

// one is the selector of a child that may not be there.
func one(child func(*node) *node) selector {
	return func(n *node) iter.Seq[*node] {
		return func(yield func(*node) bool) {
			if c := child(n); c != nil {
				yield(c)
			}
		}
	}
}

func named(key string) selector { return one(func(n *node) *node { return n.member(key) }) }

func numbered(i int) selector { return one(func(n *node) *node { return n.item(i) }) }

func every(n *node) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, c := range n.all() {
			if !yield(c) {
				return
			}
		}
	}
}

// sliced is the selector start:end:step. What is nil is the end that the step comes from or goes to.
func sliced(start, end *int, step int) selector {
	return func(n *node) iter.Seq[*node] {
		return func(yield func(*node) bool) {
			if n.kind() != '[' || step == 0 {
				return
			}
			size := n.len()
			from, to := bound(start, size, 0, size), bound(end, size, size, size)
			if step < 0 {
				from, to = bound(start, size, size-1, size-1), bound(end, size, -1, size-1)
			}
			for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
				if !yield(n.item(i)) {
					return
				}
			}
		}
	}
}

// bound is where a slice of an array begins or ends: within 0 and most, or -1 and most when most is a last position.
func bound(given *int, size, fallback, most int) int {
	if given == nil {
		return fallback
	}
	i := *given
	if i < 0 {
		i += size
	}
	return min(max(i, most-size), most)
}

// parseQuery reads a path. The error is a *tool.Error of code InvalidInput that says at which character.
func parseQuery(text string) (*query, error) {
	if len(text) > maxQuery {
		return nil, invalid("/query", fmt.Sprintf("the query has %d bytes, at most %d are read", len(text), maxQuery), "shorten it")
	}
	p := pathParser{text: text}
	if !p.take("$") {
		return nil, p.wrong("a query begins with $, which is the whole of data", "write $.name, or $ alone")
	}
	q := &query{single: true}
	for {
		p.space()
		if p.at == len(text) {
			return q, nil
		}
		s, single, err := p.segment()
		if err != nil {
			return nil, err
		}
		q.segments = append(q.segments, s)
		q.single = q.single && single
	}
}

type pathParser struct {
	text string
	at   int
}

// segment reads what follows a value; it is single when it leads to one child at most.
func (p *pathParser) segment() (s segment, single bool, err error) {
	s.deep = p.take("..")
	switch {
	case p.take("["):
		s.selectors, single, err = p.brackets()
	case s.deep || p.take("."):
		var choose selector
		choose, single, err = p.shorthand()
		s.selectors = []selector{choose}
	default:
		err = p.wrong("here a path goes on with . or [ or ends", `a name with other characters is written in brackets and quotes, as in $["first name"]`)
	}
	return s, single && !s.deep, err
}

// shorthand reads a name behind a dot, or a star.
func (p *pathParser) shorthand() (choose selector, single bool, err error) {
	if p.take("*") {
		return every, false, nil
	}
	start := p.at
	for p.at < len(p.text) && nameByte(p.text[p.at], p.at > start) {
		p.at++
	}
	if p.at == start {
		return nil, false, p.wrong("a name or * is missing", `write .name, .* or ["name"]; a position is written [0]`)
	}
	return named(p.text[start:p.at]), true, nil
}

// nameByte reports whether a name without quotes may hold a byte.
func nameByte(c byte, later bool) bool {
	return c == '_' || c >= utf8.RuneSelf || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || later && '0' <= c && c <= '9'
}

// brackets reads selectors up to the closing bracket.
func (p *pathParser) brackets() (list []selector, single bool, err error) {
	for single = true; ; single = false {
		p.space()
		choose, alone, err := p.selector()
		if err != nil {
			return nil, false, err
		}
		list, single = append(list, choose), single && alone
		p.space()
		switch {
		case p.take("]"):
			return list, single, nil
		case !p.take(","):
			return nil, false, p.wrong("a ] or a comma is missing", "a bracket holds positions, slices, names in quotes or *, with commas between them")
		}
	}
}

// selector reads one of what brackets hold.
func (p *pathParser) selector() (choose selector, single bool, err error) {
	switch c := p.peek(); {
	case p.take("*"):
		return every, false, nil
	case c == '"' || c == '\'':
		name, err := p.quoted(c)
		return named(name), true, err
	case c == '?':
		return nil, false, p.wrong("filters are not part of this language", "take all with [*] and filter with another tool")
	case c == ':' || c == '-' || '0' <= c && c <= '9':
		return p.position()
	}
	return nil, false, p.wrong("a position, a slice, a name in quotes or * is missing", `write [0], [1:3], ["name"] or [*]`)
}

// position reads a number, or a slice.
func (p *pathParser) position() (choose selector, single bool, err error) {
	var given [3]*int
	for i := range given {
		p.space()
		if c := p.peek(); c == '-' || '0' <= c && c <= '9' {
			if given[i], err = p.number(); err != nil {
				return nil, false, err
			}
		}
		p.space()
		if i < 2 && p.take(":") {
			continue
		}
		if i == 0 {
			return numbered(*given[0]), true, nil
		}
		break
	}
	step := 1
	if given[2] != nil {
		step = *given[2]
	}
	return sliced(given[0], given[1], step), false, nil
}

// number reads a whole number.
func (p *pathParser) number() (*int, error) {
	start := p.at
	p.take("-")
	for '0' <= p.peek() && p.peek() <= '9' {
		p.at++
	}
	const most = 9 // digits, so that sums fit an int everywhere
	text := p.text[start:p.at]
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || len(strings.TrimPrefix(text, "-")) > most {
		p.at = start
		return nil, p.wrong("this is not a position", "write a whole number of at most 9 digits, without zeros before it")
	}
	return &n, nil
}

// quoted reads a name in quotes, with the escapes of JSON.
func (p *pathParser) quoted(mark byte) (string, error) {
	start, content := p.at, []byte{'"'}
	for p.at++; p.at < len(p.text) && p.text[p.at] != mark; p.at++ {
		switch c := p.text[p.at]; {
		case c == '"': // within single quotes
			content = append(content, '\\', '"')
		case c == '\\' && strings.HasPrefix(p.text[p.at+1:], `'`) && mark == '\'':
			content = append(content, '\'')
			p.at++
		case c == '\\' && p.at+1 < len(p.text):
			content = append(content, c, p.text[p.at+1])
			p.at++
		default:
			content = append(content, c)
		}
	}
	var name string
	if p.at >= len(p.text) || json.Unmarshal(append(content, '"'), &name) != nil {
		p.at = start
		return "", p.wrong("the name that begins here does not end, or has an escape that JSON has not", `write it as JSON has it, as in ["a \"b\""]`)
	}
	p.at++
	return name, nil
}

func (p *pathParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek is the next byte, 0 at the end.
func (p *pathParser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take goes past a text if it comes next.
func (p *pathParser) take(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

// wrong is a mistake in the query at this place.
func (p *pathParser) wrong(message, hint string) *tool.Error {
	at := 1 + utf8.RuneCountInString(p.text[:p.at])
	return invalid("/query", fmt.Sprintf("%s, at character %d of the query", message, at), hint)
}
