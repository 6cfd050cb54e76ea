package builtin

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// renderer fills in one template.
type renderer struct {
	work
	out strings.Builder
}

// bytesPerStep is how much text is copied at the price of one step.
const bytesPerStep = 256

// scope is where names are looked up: the values, or within a loop the item.
type scope struct {
	this  *node
	loop  bool
	index int
	key   string // of a member of an object, in quotes
	outer *scope
}

func (r *renderer) parts(list []part, in *scope) error {
	for i := range list {
		if err := r.step(1); err != nil {
			return err
		}
		if err := r.part(&list[i], in); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) part(p *part, in *scope) error {
	if p.kind == textPart {
		return r.write(p.text)
	}
	n, missing := in.find(p.path)
	switch {
	case p.kind == ifPart:
		return r.choose(p, n, in)
	case n == nil:
		return p.place.wrong("there is no value "+strconv.Quote(clip(p.text)), missing)
	case p.kind == eachPart:
		return r.repeat(p, n, in)
	case n.kind() == '"':
		return r.write(unquote(n.text))
	case n.kind() == 'n':
		return nil
	}
	return r.write(n.text)
}

// choose renders one side of a condition.
func (r *renderer) choose(p *part, n *node, in *scope) error {
	if n != nil && n.truthy() {
		return r.parts(p.body, in)
	}
	return r.parts(p.otherwise, in)
}

// truthy is false for false, null, zero and what is empty.
func (n *node) truthy() bool {
	switch n.kind() {
	case '{', '[':
		return n.len() > 0
	case '0':
		digits, _, _ := strings.Cut(strings.ToLower(n.text), "e")
		return strings.ContainsAny(digits, "123456789")
	}
	return n.text != `""` && n.text != "false" && n.text != "null"
}

// repeat renders a loop.
func (r *renderer) repeat(p *part, n *node, in *scope) error {
	if n.kind() != '[' && n.kind() != '{' {
		return p.place.wrong(fmt.Sprintf("%s is %s, and #each takes an array or an object", strconv.Quote(clip(p.text)), n.kindName()), "give an array, or use {{#if}}")
	}
	if n.len() == 0 {
		return r.parts(p.otherwise, in)
	}
	for i, item := range n.all() {
		inner, cost := &scope{this: item, loop: true, index: i, outer: in}, 1
		if n.kind() == '{' {
			inner.key = quote(n.key(i))
			cost += len(inner.key) / bytesPerStep
		}
		if err := r.step(cost); err != nil {
			return err
		}
		if err := r.parts(p.body, inner); err != nil {
			return err
		}
	}
	return nil
}

// write adds to the text.
func (r *renderer) write(text string) error {
	if r.out.Len()+len(text) > maxTextBytes {
		return &tool.Error{
			Code: tool.OutputTooLarge, Path: "/template", Message: fmt.Sprintf("the text is longer than %d bytes", maxTextBytes),
			Hint: "fill in less: fewer items, or shorter values",
		}
	}
	r.out.WriteString(text)
	return nil
}

// find looks a name up: its first part in the innermost scope that has it, the rest from there. When there is no such value
// it says what to do.
func (s *scope) find(path []string) (n *node, missing string) {
	switch path[0] {
	case "@index", "@key":
		return s.loopValue(path[0])
	case "this":
		n = s.this
	default:
		for at := s; at != nil && n == nil; at = at.outer {
			n = at.this.child(path[0])
		}
		if n == nil {
			return nil, s.this.names() + "; for what is optional use {{#if}}"
		}
	}
	for i, key := range path[1:] {
		next := n.child(key)
		if next == nil {
			return nil, clip(strings.Join(path[:i+1], ".")) + " is " + n.kindName() + ": " + n.names() + "; for what is optional use {{#if}}"
		}
		n = next
	}
	return n, ""
}

// loopValue is the position or the key of the innermost loop.
func (s *scope) loopValue(name string) (n *node, missing string) {
	switch {
	case !s.loop:
		return nil, name + " is there within {{#each}} only"
	case name == "@index":
		return &node{text: strconv.Itoa(s.index)}, ""
	case s.key == "":
		return nil, "this loop goes over an array: use {{@index}}, or give an object"
	}
	return &node{text: s.key}, ""
}

// names tells which members an object has, a few of them.
func (n *node) names() string {
	const most = 10
	switch {
	case n.kind() == '[':
		return fmt.Sprintf("it has %d items", n.len())
	case n.kind() != '{' || n.len() == 0:
		return "it has no members"
	}
	keys := n.inner.keys
	text := make([]string, min(len(keys), most))
	for i := range text {
		text[i] = clip(keys[i])
	}
	more := ""
	if len(keys) > most {
		more = ", …"
	}
	return "the names here are " + strings.Join(text, ", ") + more
}
