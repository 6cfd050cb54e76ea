package syntax

import "github.com/tdewolff/parse/v2/js"

// functionDeclaration reads a function from behind the keyword and declares its name.
func (p *parser) functionDeclaration(pos int, async bool) *Node {
	flags := p.functionFlags(async) | Declared
	text := ""
	if !p.at("(") { // only export default may leave the name out
		text = p.identifier().Text
	}
	n := p.functionRest(pos, text, &Scope{}, flags)
	if text != "" {
		p.declareNode(n, Func, p.block)
	}
	return n
}

// functionExpression reads a function expression, the token being its keyword.
func (p *parser) functionExpression(pos int, async bool) *Node {
	p.next()
	flags := p.functionFlags(async)
	text, scope := "", &Scope{}
	if !p.at("(") {
		wasAsync, wasGenerator := p.async, p.generator
		p.async, p.generator = async, flags&Generator != 0
		name := p.identifier()
		p.async, p.generator = wasAsync, wasGenerator
		text = name.Text
		scope.add(&Binding{Name: text, Kind: Func, Pos: name.Pos})
	}
	return p.functionRest(pos, text, scope, flags)
}

func (p *parser) functionFlags(async bool) Flags {
	var flags Flags
	if async {
		flags |= Async
	}
	if p.eat("*") {
		flags |= Generator
	}
	return flags
}

// functionRest reads the parameters and the body. scope takes the parameters; it may hold the function's own name.
func (p *parser) functionRest(pos int, text string, scope *Scope, flags Flags) *Node {
	var params []*Node
	var body *Node
	p.body(flags&Async != 0, flags&Generator != 0, scope, func() {
		mark := len(p.scratch)
		p.parameterList()
		params = append(params, p.scratch[mark:]...)
		p.scratch = p.scratch[:mark]
		for _, param := range params {
			p.declare(param, Param, scope)
		}
		inner := &Scope{}
		p.vars, p.block = inner, inner
		body = p.statements(Block)
		body.scope = inner
	})
	return p.function(pos, text, scope, params, body, flags)
}

func (p *parser) function(pos int, text string, scope *Scope, params []*Node, body *Node, flags Flags) *Node {
	n := p.node(Function, pos, text, append(params, body)...)
	n.Flags = flags
	n.scope = scope
	return n
}

// member is the head of a property or class element.
type member struct {
	pos   int
	key   *Node
	name  *Node // the key as a variable, when it could be a shorthand
	flags Flags
	mods  int // how many of async, *, get and set stand before the key
}

func (m member) modified() bool { return m.mods > 0 }

// modifiers reads async, *, get and set, each of which may itself be the key, and the key.
func (p *parser) modifiers(class bool) member {
	m := member{pos: p.tok.pos}
	for p.at("async") || p.at("get") || p.at("set") {
		word := p.tok
		p.next()
		if p.keyless(class) || word.text == "async" && p.tok.newline || m.mods > 0 {
			m.key = p.node(Name, word.pos, word.text)
			m.name = p.node(Identifier, word.pos, word.text)
			return m
		}
		m.mods++
		if word.text == "async" {
			m.flags |= Async
		}
	}
	if p.eat("*") {
		m.mods++
		m.flags |= Generator
	}
	p.key(&m)
	return m
}

// keyless reports whether the token ends the head of a member, so that the word before it was the key.
func (p *parser) keyless(class bool) bool {
	switch {
	case p.at("(") || p.at("=") || p.at("}") || p.eof():
		return true
	case class:
		return p.at(";")
	}
	return p.at(":") || p.at(",")
}

func (p *parser) key(m *member) {
	t := p.tok
	switch {
	case t.kind == js.StringToken:
		m.key = p.stringLiteral()
	case js.IsNumeric(t.kind):
		p.next()
		m.key = p.node(Number, t.pos, t.text)
	case p.eat("["):
		m.flags |= Computed
		m.key = p.inside()
		p.expect("]")
	case js.IsIdentifierName(t.kind):
		if p.name() {
			m.name = p.node(Identifier, t.pos, t.text)
		}
		p.next()
		m.key = p.node(Name, t.pos, t.text)
	case t.kind == js.PrivateIdentifierToken:
		p.next()
		m.key = p.node(PrivateName, t.pos, t.text)
	default:
		p.unexpected("a property name")
		m.key = p.empty()
	}
}

func (p *parser) method(m member) *Node {
	f := p.functionRest(m.pos, "", &Scope{}, m.flags&(Async|Generator)|Method)
	return p.keyed(m, f)
}

// class reads a class; a declaration declares its name around it, and every class inside itself.
func (p *parser) class(declaration bool) *Node {
	pos, text, mark, scope, outer, noIn := p.tok.pos, "", len(p.scratch), &Scope{}, p.block, p.noIn
	p.noIn = false
	p.next()
	if p.name() {
		text = p.identifier().Text
	}
	p.within(scope, func() {
		if p.eat("extends") {
			p.push(p.callsFrom(p.heritage()))
		}
		p.expect("{")
		for !p.at("}") && !p.eof() {
			if !p.eat(";") {
				p.push(p.element())
			}
		}
		p.expect("}")
	})
	p.noIn = noIn
	n := p.take(mark, Class, pos, text)
	n.scope = scope
	if text != "" {
		p.declareNode(n, ClassOf, scope)
	}
	if declaration {
		n.Flags = Declared
		if text != "" {
			p.declareNode(n, ClassOf, outer)
		}
	}
	return n
}

// heritage reads the operand of extends.
func (p *parser) heritage() *Node {
	p.deeper()
	defer func() { p.depth-- }()
	return p.primary()
}

// element reads one member of a class.
func (p *parser) element() *Node {
	pos := p.tok.pos
	if p.at("static") {
		static := p.tok
		p.next()
		switch {
		case p.at("{"):
			return p.staticBlock(pos)
		case p.keyless(true):
			m := member{pos: pos, key: p.node(Name, static.pos, static.text)}
			return p.elementRest(m)
		}
	}
	return p.elementRest(p.modifiers(true))
}

func (p *parser) elementRest(m member) *Node {
	if p.at("(") {
		return p.method(m)
	}
	if m.modified() {
		p.unexpected("'('")
	}
	n := p.node(Property, m.pos, "", m.key)
	n.Flags = m.flags & Computed
	if p.eat("=") {
		scope := &Scope{} // an initialiser is a function of its own
		p.body(false, false, scope, func() {
			n = p.keyed(m, p.assignment())
		})
	}
	p.semicolon()
	return n
}

func (p *parser) staticBlock(pos int) *Node {
	p.deeper()
	defer func() { p.depth-- }()
	scope := &Scope{}
	var n *Node
	p.body(false, false, scope, func() { n = p.statements(StaticBlock) })
	n.Pos, n.scope = pos, scope
	return n
}
