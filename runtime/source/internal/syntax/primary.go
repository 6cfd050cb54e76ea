package syntax

import "github.com/tdewolff/parse/v2/js"

// primary reads an operand without what may follow it.
func (p *parser) primary() *Node {
	pos, text, kind := p.tok.pos, p.tok.text, p.tok.kind
	if js.IsNumeric(kind) {
		p.next()
		return p.node(Number, pos, text)
	}
	switch kind {
	case js.StringToken:
		return p.stringLiteral()
	case js.TemplateToken, js.TemplateStartToken:
		return p.template()
	case js.OpenParenToken:
		return p.group()
	case js.OpenBracketToken:
		return p.array()
	case js.OpenBraceToken:
		return p.object()
	case js.DivToken, js.DivEqToken:
		p.regexp()
		n := p.node(Regexp, pos, p.tok.text)
		p.next()
		return n
	case js.PrivateIdentifierToken:
		p.next()
		if !p.at("in") {
			p.unexpected("'in' behind a private name")
		}
		return p.node(PrivateName, pos, text)
	default:
		if p.name() {
			return p.namedPrimary()
		}
		return p.keywordPrimary()
	}
}

func (p *parser) namedPrimary() *Node {
	if !p.at("async") {
		return p.identifier()
	}
	async := p.identifier()
	if p.at("function") && !p.tok.newline {
		return p.functionExpression(async.Pos, true)
	}
	return async
}

func (p *parser) keywordPrimary() *Node {
	pos, text := p.tok.pos, p.tok.text
	if p.tok.escaped {
		p.fail(pos, "the keyword "+text+" is written with escapes")
		return p.empty()
	}
	switch text {
	case "this", "super", "null", "true", "false":
		p.next()
		return p.node(Keyword, pos, text)
	case "function":
		return p.functionExpression(pos, false)
	case "class":
		return p.class(false)
	case "new":
		return p.newExpression()
	case "import":
		p.next()
		return p.importExpression(pos)
	}
	p.unexpected("an expression")
	return p.empty()
}

func (p *parser) stringLiteral() *Node {
	t := p.tok
	p.next()
	return p.node(String, t.pos, cooked(t.text[1:len(t.text)-1]))
}

// cooked decodes escapes. Malformed ones, which only a tagged template may hold, stay as far as they can be read.
func cooked(raw string) string {
	text, _ := Unescape(raw)
	return text
}

func (p *parser) template() *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	for p.tok.kind == js.TemplateStartToken || p.tok.kind == js.TemplateMiddleToken {
		p.push(p.node(String, p.tok.pos, cooked(p.tok.text[1:len(p.tok.text)-2])))
		p.next()
		p.push(p.inside())
	}
	if p.tok.kind != js.TemplateToken && p.tok.kind != js.TemplateEndToken {
		p.unexpected("'}' behind the expression in a template")
		return p.take(mark, Template, pos, "")
	}
	p.push(p.node(String, p.tok.pos, cooked(p.tok.text[1:len(p.tok.text)-1])))
	p.next()
	return p.take(mark, Template, pos, "")
}

// group reads an expression in parentheses where no arrow function can stand.
func (p *parser) group() *Node {
	p.next()
	x := p.inside()
	p.expect(")")
	return closed(x)
}

// closed marks an expression as standing in parentheses, as far as that matters.
func closed(x *Node) *Node {
	if x.Kind == Binary || isArrow(x) {
		x.Flags |= Closed
	}
	return x
}

// parentheses reads what begins with one: an arrow function or an expression.
func (p *parser) parentheses() *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	p.parameterList()
	params := append([]*Node(nil), p.scratch[mark:]...)
	p.scratch = p.scratch[:mark]
	if p.at("=>") && !p.tok.newline {
		return p.arrow(pos, false, params)
	}
	switch {
	case len(params) == 0 || params[len(params)-1].Kind == Spread:
		p.unexpected("'=>' behind a list of parameters")
		return p.empty()
	case len(params) == 1:
		return closed(params[0])
	}
	return p.node(Sequence, pos, "", params...)
}

// parameterList reads a list in parentheses that may turn out to be parameters.
func (p *parser) parameterList() {
	noIn := p.noIn
	p.noIn = false
	p.expect("(")
	for !p.at(")") && !p.eof() {
		p.push(p.spread())
		if !p.at(")") && !p.eat(",") {
			p.unexpected("',' or ')'")
		}
	}
	p.noIn = noIn
	p.expect(")")
}

// asyncFrom goes on after the word async: a function, an arrow function, a call of async or the mere name.
func (p *parser) asyncFrom(async *Node) *Node {
	switch {
	case p.tok.newline:
		return async
	case p.at("function"):
		return p.functionExpression(async.Pos, true)
	case p.name() || p.at("await"):
		param := p.identifier()
		if !p.at("=>") {
			p.unexpected("'=>'")
			return async
		}
		return p.arrow(async.Pos, true, []*Node{param})
	case p.at("("):
		call := p.call(Call, async)
		if p.at("=>") && !p.tok.newline {
			return p.arrow(async.Pos, true, call.Kids[1:])
		}
		return call
	}
	return async
}

// arrow reads an arrow function whose parameters were read as expressions.
func (p *parser) arrow(pos int, async bool, params []*Node) *Node {
	scope := &Scope{}
	for _, param := range params {
		p.declare(param, Param, scope)
	}
	p.next()
	var body *Node
	noIn := p.noIn
	inner := &Scope{}
	p.body(async, false, inner, func() {
		if p.at("{") {
			body = p.statements(Block)
			body.scope = inner
			return
		}
		p.noIn = noIn
		body = p.assignment()
	})
	return p.function(pos, "", scope, params, body, arrowFlags(async))
}

func arrowFlags(async bool) Flags {
	if async {
		return Arrow | Async
	}
	return Arrow
}

func (p *parser) array() *Node {
	pos, mark, noIn := p.tok.pos, len(p.scratch), p.noIn
	p.noIn = false
	p.next()
	for !p.at("]") && !p.eof() {
		if p.at(",") {
			p.push(p.node(Hole, p.tok.pos, ""))
		} else {
			p.push(p.spread())
		}
		if !p.at("]") && !p.eat(",") {
			p.unexpected("',' or ']'")
		}
	}
	p.noIn = noIn
	p.expect("]")
	return p.take(mark, Array, pos, "")
}

func (p *parser) object() *Node {
	pos, mark, noIn := p.tok.pos, len(p.scratch), p.noIn
	p.noIn = false
	p.next()
	for !p.at("}") && !p.eof() {
		if p.at("...") {
			p.push(p.spread())
		} else {
			p.push(p.property())
		}
		if !p.at("}") && !p.eat(",") {
			p.unexpected("',' or '}' behind a property")
		}
	}
	p.noIn = noIn
	p.expect("}")
	return p.take(mark, Object, pos, "")
}

// property reads one property of an object literal or pattern.
func (p *parser) property() *Node {
	m := p.modifiers(false)
	switch {
	case p.at("("):
		return p.method(m)
	case m.modified():
		p.unexpected("'('")
	case p.eat(":"):
		return p.keyed(m, p.assignment())
	case m.name == nil:
		p.unexpected("':'")
	}
	return p.shorthand(m)
}

// shorthand reads the rest of {a} and of {a = 1}.
func (p *parser) shorthand(m member) *Node {
	value := m.name
	if value == nil {
		value = p.empty()
	}
	if p.eat("=") {
		value = p.node(Assign, value.Pos, "=", value, p.assignment())
	}
	return p.keyed(m, value)
}

func (p *parser) keyed(m member, value *Node) *Node {
	n := p.node(Property, m.pos, "", m.key, value)
	n.Flags = m.flags & Computed
	return n
}
