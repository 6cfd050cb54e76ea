package syntax

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// The limits of nesting. Sources that people and models write stay far below them.
const (
	// MaxDepth bounds how deep statements, expressions and operands may nest while reading; a function takes three.
	MaxDepth = 500
	// MaxHeight bounds the height of the tree, and with it every recursion over it. It binds chains such as a.b().c().
	MaxHeight = 2000
)

// TooDeep is the message of an Error for a source that exceeds a limit of nesting.
const TooDeep = "the source is nested too deeply"

// Error is a place where the source cannot be read.
type Error struct {
	Offset  int // in bytes
	Message string
}

func (e *Error) Error() string { return e.Message }

// Parse reads a script. Its errors are *Error, for the first place it cannot read. The code must be valid UTF-8.
// Time and memory are linear in the code.
func Parse(code string) (*Node, error) {
	p := &parser{scanner: newScanner(code)}
	root := p.script()
	if p.err != nil {
		return nil, p.err
	}
	r := resolver{current: map[string]*Binding{}}
	r.node(root)
	return root, nil
}

// parser builds the tree. A failure ends the input, so that every loop and recursion runs out; see scanner.
type parser struct {
	*scanner
	depth     int
	generator bool // yield is an operator here
	async     bool // await is an operator here
	noIn      bool // in is no operator here: the head of a for statement
	block     *Scope
	vars      *Scope // where var declares: a function's body or the script
	global    *Scope
	scratch   []*Node // lists being built
	nodes     []Node  // space for the next nodes
	lists     []*Node // space for the next lists
}

// node makes a node. It copies kids.
func (p *parser) node(kind Kind, pos int, text string, kids ...*Node) *Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]Node, 64)
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	*n = Node{Kind: kind, Pos: pos, Text: text, Kids: p.list(kids)}
	for _, kid := range kids {
		p.raise(n, kid)
	}
	return n
}

// raise accounts for kid in the height of n.
func (p *parser) raise(n, kid *Node) {
	if n.height <= kid.height {
		n.height = kid.height + 1
	}
	if n.height > MaxHeight {
		p.fail(kid.Pos, TooDeep)
	}
}

func (p *parser) list(kids []*Node) []*Node {
	n := len(kids)
	if n == 0 {
		return nil
	}
	if len(p.lists) < n {
		p.lists = make([]*Node, max(128, n))
	}
	list := p.lists[:n:n]
	p.lists = p.lists[n:]
	copy(list, kids)
	return list
}

// push adds to the list being built; take ends the list that began at mark.
func (p *parser) push(n *Node) { p.scratch = append(p.scratch, n) }

func (p *parser) take(mark int, kind Kind, pos int, text string) *Node {
	n := p.node(kind, pos, text, p.scratch[mark:]...)
	p.scratch = p.scratch[:mark]
	return n
}

// empty stands for what could not be read.
func (p *parser) empty() *Node { return p.node(Empty, p.tok.pos, "") }

// deeper counts a level of nesting; the caller must leave it by p.depth--.
func (p *parser) deeper() {
	if p.depth++; p.depth > MaxDepth {
		p.fail(p.tok.pos, TooDeep)
	}
}

func (p *parser) script() *Node {
	scope := &Scope{}
	p.block, p.vars, p.global = scope, scope, scope
	p.next()
	for !p.eof() {
		p.push(p.statement(true))
	}
	root := p.take(0, Script, 0, "")
	root.scope = scope
	return root
}

// within parses a block scope.
func (p *parser) within(scope *Scope, parse func()) {
	outer := p.block
	p.block = scope
	parse()
	p.block = outer
}

// body parses what has variables of its own: a function's body or a static block.
func (p *parser) body(async, generator bool, scope *Scope, parse func()) {
	vars, wasAsync, wasGenerator, noIn := p.vars, p.async, p.generator, p.noIn
	p.vars, p.async, p.generator, p.noIn = scope, async, generator, false
	p.within(scope, parse)
	p.vars, p.async, p.generator, p.noIn = vars, wasAsync, wasGenerator, noIn
}

// declare adds the names of a pattern to where kind belongs. Whatever is no pattern is an error.
func (p *parser) declare(pattern *Node, kind BindingKind, scope *Scope) {
	switch pattern.Kind {
	case Identifier:
		scope.add(&Binding{Name: pattern.Text, Kind: kind, Pos: pattern.Pos, Global: scope == p.global})
	case Assign:
		if pattern.Text != "=" {
			p.fail(pattern.Pos, "a pattern cannot hold the operator "+pattern.Text)
		}
		p.declare(pattern.Kids[0], kind, scope)
	case Array, Object:
		for _, kid := range pattern.Kids {
			p.declare(kid, kind, scope)
		}
	case Property:
		p.declare(pattern.Last(), kind, scope)
	case Spread:
		p.declare(pattern.Kids[0], kind, scope)
	case Hole:
	default:
		p.fail(pattern.Pos, "unexpected expression where a name is declared")
	}
}

// declareNode declares the name of a function or class.
func (p *parser) declareNode(n *Node, kind BindingKind, scope *Scope) {
	scope.add(&Binding{Name: n.Text, Kind: kind, Pos: n.Pos, Global: scope == p.global, Init: n, writes: 1})
}

// name reports whether the token may name a variable here.
func (p *parser) name() bool {
	t := p.tok
	if js.IsIdentifier(t.kind) {
		return !t.escaped || !reserved[t.text]
	}
	return t.kind == js.YieldToken && !p.generator || t.kind == js.AwaitToken && !p.async
}

// identifier reads the name of a variable.
func (p *parser) identifier() *Node {
	if !p.name() {
		p.unexpected("a name")
		return p.empty()
	}
	n := p.node(Identifier, p.tok.pos, p.tok.text)
	p.next()
	return n
}

// semicolon ends a statement, also where a line break or a brace does it.
func (p *parser) semicolon() {
	if p.eat(";") || p.at("}") || p.eof() || p.tok.newline {
		return
	}
	p.unexpected("';' or a line break")
}

// reserved are the words that no escape turns into a name.
var reserved = words("await break case catch class const continue debugger default delete do else enum export extends " +
	"false finally for function if import in instanceof new null return super switch this throw true try typeof var void " +
	"while with yield")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
