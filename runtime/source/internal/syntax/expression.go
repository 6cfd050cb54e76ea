package syntax

import "github.com/tdewolff/parse/v2/js"

// Every level of the grammar comes in two forms: one that begins at the token, and one named From that goes on after
// its first operand was read. That way nothing needs to be read twice.

func (p *parser) expression() *Node { return p.sequenceFrom(p.assignment()) }

// expressionFrom goes on after a primary expression.
func (p *parser) expressionFrom(primary *Node) *Node {
	return p.sequenceFrom(p.assignmentFrom(primary))
}

// expressionAfter goes on after what asyncFrom has read.
func (p *parser) expressionAfter(x *Node) *Node {
	if isArrow(x) {
		return p.sequenceFrom(x)
	}
	return p.expressionFrom(x)
}

func (p *parser) sequenceFrom(first *Node) *Node {
	if !p.at(",") {
		return first
	}
	mark := len(p.scratch)
	p.push(first)
	for p.eat(",") {
		p.push(p.assignment())
	}
	return p.take(mark, Sequence, first.Pos, "")
}

func (p *parser) assignment() *Node {
	p.deeper()
	defer func() { p.depth-- }()
	switch {
	case p.at("yield") && p.generator:
		return p.yield()
	case p.at("async"):
		x := p.asyncFrom(p.identifier())
		if isArrow(x) {
			return x
		}
		return p.assignmentFrom(x)
	case p.at("("):
		x := p.parentheses()
		if isArrow(x) {
			return x
		}
		return p.assignmentFrom(x)
	case p.name():
		return p.assignmentFrom(p.identifier())
	}
	return p.assignmentAfter(p.unary())
}

// isArrow reports whether n is an arrow function without parentheses around it: no operator can follow one.
func isArrow(n *Node) bool { return n.Kind == Function && n.Is(Arrow) && !n.Is(Closed) }

// assignmentFrom goes on after a primary expression.
func (p *parser) assignmentFrom(primary *Node) *Node {
	if primary.Kind == Identifier && p.at("=>") && !p.tok.newline {
		return p.arrow(primary.Pos, false, []*Node{primary})
	}
	return p.assignmentAfter(p.unaryFrom(primary))
}

// assignmentAfter goes on after an operand of any kind.
func (p *parser) assignmentAfter(operand *Node) *Node {
	left := p.conditionalFrom(operand)
	if !assigns[p.tok.text] || !js.IsOperator(p.tok.kind) {
		return left
	}
	op := p.tok.text
	if !p.assignable(left, op == "=") {
		p.fail(left.Pos, "the left side of "+op+" cannot be assigned to")
	}
	p.next()
	return p.node(Assign, left.Pos, op, left, p.assignment())
}

// assignable is about what stands before the operator; what a pattern holds is left to the engine.
func (p *parser) assignable(n *Node, patterns bool) bool {
	if n.Kind == Array || n.Kind == Object {
		return patterns
	}
	return n.Kind == Identifier || n.Kind == Member || n.Kind == Call // a call is an error at run time only
}

var assigns = words("= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=")

func (p *parser) yield() *Node {
	pos := p.tok.pos
	p.next()
	if p.tok.newline || p.eof() || p.at(")") || p.at("]") || p.at("}") || p.at(",") || p.at(";") || p.at(":") ||
		p.at("in") || p.at("of") {
		return p.node(Yield, pos, "")
	}
	p.eat("*")
	return p.node(Yield, pos, "", p.assignment())
}

// conditionalFrom reads a whole chain of a ? b : c ? d : e without recursion.
func (p *parser) conditionalFrom(operand *Node) *Node {
	test := p.binaryFrom(operand, 0)
	if !p.at("?") {
		return test
	}
	mark := len(p.scratch)
	p.push(test)
	for p.eat("?") {
		noIn := p.noIn
		p.noIn = false
		p.push(p.assignment())
		p.noIn = noIn
		p.expect(":")
		p.push(p.alternative())
	}
	return p.take(mark, Conditional, test.Pos, "")
}

// alternative reads what stands behind a colon: a whole assignment, but the test only of a further conditional.
func (p *parser) alternative() *Node {
	if p.at("yield") && p.generator || p.at("(") || p.name() {
		return p.alternativeFrom()
	}
	return p.assignAlternative(p.binaryFrom(p.unary(), 0))
}

func (p *parser) alternativeFrom() *Node {
	var first *Node
	switch {
	case p.at("yield") && p.generator:
		return p.yield()
	case p.at("async"):
		first = p.asyncFrom(p.identifier())
	case p.at("("):
		first = p.parentheses()
	default:
		first = p.identifier()
		if p.at("=>") && !p.tok.newline {
			return p.arrow(first.Pos, false, []*Node{first})
		}
	}
	if isArrow(first) {
		return first
	}
	return p.assignAlternative(p.binaryFrom(p.unaryFrom(first), 0))
}

func (p *parser) assignAlternative(left *Node) *Node {
	if p.at("?") {
		return left
	}
	return p.assignmentAfter(left)
}

// precedence of the binary operators, loosest first; 0 is none.
var precedence = map[string]int{
	"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7,
	"<": 8, ">": 8, "<=": 8, ">=": 8, "instanceof": 8, "in": 8, "<<": 9, ">>": 9, ">>>": 9,
	"+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
	"== !=": 7, "< >": 8, "<< >>": 9, "+ -": 10, "* /": 11, // see mixed
}

// mixed are the texts of chains with more than one operator; each is none of its level's own.
var mixed = map[int]string{7: "== !=", 8: "< >", 9: "<< >>", 10: "+ -", 11: "* /"}

func (p *parser) operator() int {
	if !js.IsOperator(p.tok.kind) && p.tok.kind != js.InToken && p.tok.kind != js.InstanceofToken || p.noIn && p.at("in") {
		return 0
	}
	return precedence[p.tok.text]
}

// binaryFrom reads binary operators that bind tighter than least.
func (p *parser) binaryFrom(left *Node, least int) *Node {
	p.deeper()
	defer func() { p.depth-- }()
	for {
		level := p.operator()
		if level <= least {
			return left
		}
		op := p.tok.text
		p.next()
		right := level
		if op == "**" {
			right-- // it binds to the right
		}
		left = p.chain(op, level, left, p.binaryFrom(p.unary(), right))
	}
}

// chain adds to a chain of operators that bind alike, so that long sums stay flat.
func (p *parser) chain(op string, level int, left, right *Node) *Node {
	if left.Kind != Binary || precedence[left.Text] != level || left.Is(Closed) {
		return p.node(Binary, left.Pos, op, left, right)
	}
	if left.Text != op {
		left.Text = mixed[level]
	}
	left.Kids = append(left.Kids, right)
	p.raise(left, right)
	return left
}

func (p *parser) unary() *Node {
	p.deeper()
	defer func() { p.depth-- }()
	pos, op := p.tok.pos, p.tok.text
	switch {
	case p.at("++") || p.at("--"):
		p.next()
		return p.node(Update, pos, op, p.unary())
	case unaries[op] && (js.IsOperator(p.tok.kind) || js.IsReservedWord(p.tok.kind)):
		p.next()
		return p.node(Unary, pos, op, p.unary())
	case p.at("await") && p.async:
		p.next()
		return p.node(Await, pos, "", p.unary())
	}
	return p.unaryFrom(p.primary())
}

var unaries = words("! ~ + - typeof void delete")

// unaryFrom goes on after a primary expression: members and calls, then a postfix operator.
func (p *parser) unaryFrom(primary *Node) *Node {
	x := p.callsFrom(primary)
	if (p.at("++") || p.at("--")) && !p.tok.newline {
		x = p.node(Update, x.Pos, p.tok.text, x)
		p.next()
	}
	return x
}

// callsFrom reads members, calls and templates behind a primary expression. An arrow function takes none.
func (p *parser) callsFrom(x *Node) *Node {
	for !isArrow(x) {
		switch {
		case p.at("("):
			x = p.call(Call, x)
		case p.eat("?."):
			x = p.optional(x)
		default:
			next := p.memberFrom(x)
			if next == nil {
				return x
			}
			x = next
		}
	}
	return x
}

// memberFrom reads one member access or template behind x; nil when there is none.
func (p *parser) memberFrom(x *Node) *Node {
	switch {
	case p.eat("."):
		return p.dot(x)
	case p.at("["):
		return p.index(x)
	case p.tok.kind == js.TemplateToken || p.tok.kind == js.TemplateStartToken:
		return p.node(Tagged, x.Pos, "", x, p.template())
	}
	return nil
}

func (p *parser) optional(x *Node) *Node {
	switch {
	case p.at("("):
		return p.call(Call, x)
	case p.at("["):
		return p.index(x)
	}
	return p.dot(x)
}

// dot reads the name of a member and makes the access.
func (p *parser) dot(x *Node) *Node {
	name := p.memberName()
	return p.node(Member, x.Pos, "", x, name)
}

func (p *parser) memberName() *Node {
	pos, text, kind := p.tok.pos, p.tok.text, p.tok.kind
	switch {
	case kind == js.PrivateIdentifierToken:
		p.next()
		return p.node(PrivateName, pos, text)
	case js.IsIdentifierName(kind):
		p.next()
		return p.node(Name, pos, text)
	}
	p.unexpected("a property name")
	return p.empty()
}

func (p *parser) index(x *Node) *Node {
	p.next()
	key := p.inside()
	p.expect("]")
	n := p.node(Member, x.Pos, "", x, key)
	n.Flags = Computed
	return n
}

// inside reads an expression between brackets, where in is an operator whatever surrounds it.
func (p *parser) inside() *Node {
	noIn := p.noIn
	p.noIn = false
	x := p.expression()
	p.noIn = noIn
	return x
}

// call reads the arguments of a call or of new.
func (p *parser) call(kind Kind, callee *Node) *Node {
	mark, noIn := len(p.scratch), p.noIn
	p.noIn = false
	p.next()
	p.push(callee)
	for !p.at(")") && !p.eof() {
		p.push(p.spread())
		if !p.at(")") && !p.eat(",") {
			p.unexpected("',' or ')' behind an argument")
		}
	}
	p.noIn = noIn
	p.expect(")")
	return p.take(mark, kind, callee.Pos, "")
}

// spread reads an assignment with three dots before it or not.
func (p *parser) spread() *Node {
	pos := p.tok.pos
	if p.eat("...") {
		return p.node(Spread, pos, "", p.assignment())
	}
	return p.assignment()
}

func (p *parser) newExpression() *Node {
	p.deeper()
	defer func() { p.depth-- }()
	pos := p.tok.pos
	p.next()
	if p.eat(".") {
		p.expect("target")
		return p.node(NewTarget, pos, "")
	}
	var callee *Node
	if p.at("new") {
		callee = p.newExpression()
	} else {
		callee = p.primary()
	}
	for next := callee; next != nil; next = p.memberFrom(callee) {
		callee = next
	}
	if p.at("(") {
		n := p.call(New, callee)
		n.Pos = pos
		return n
	}
	return p.node(New, pos, "", callee)
}
