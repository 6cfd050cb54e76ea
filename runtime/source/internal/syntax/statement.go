package syntax

import "github.com/tdewolff/parse/v2/js"

// statement reads a statement; declarations are allowed where the grammar has a list of them.
func (p *parser) statement(declarations bool) *Node {
	p.deeper()
	defer func() { p.depth-- }()
	if p.eof() {
		p.unexpected("a statement")
		return p.empty()
	}
	if js.IsReservedWord(p.tok.kind) {
		return p.keywordStatement(declarations)
	}
	pos := p.tok.pos
	switch {
	case p.at("{"):
		return p.blockStatement()
	case p.eat(";"):
		return p.node(Empty, pos, "")
	case p.at("let"):
		return p.letStatement(declarations)
	case p.at("using"):
		return p.usingStatement(p.identifier(), declarations)
	case p.at("async"):
		return p.asyncStatement(declarations)
	case p.name():
		return p.named(p.identifier())
	}
	return p.expressionStatement(p.expression())
}

func (p *parser) keywordStatement(declarations bool) *Node {
	pos := p.tok.pos
	switch p.tok.text {
	case "var":
		return p.declaration(Var)
	case "const":
		p.single(declarations, "a lexical declaration (const)")
		return p.declaration(Lexical)
	case "function":
		return p.functionStatement(pos, false, declarations)
	case "class":
		p.single(declarations, "a class declaration")
		return p.class(true)
	case "if":
		return p.ifStatement()
	case "for":
		return p.forStatement()
	case "while":
		p.next()
		return p.endless(While, pos, p.parenthesized(), p.statement(false))
	case "do":
		return p.doStatement()
	case "switch":
		return p.switchStatement()
	case "return":
		return p.returnStatement()
	case "throw":
		return p.throwStatement()
	case "break":
		return p.jump(Break)
	case "continue":
		return p.jump(Continue)
	case "try":
		return p.tryStatement()
	case "with":
		p.next()
		return p.node(With, pos, "", p.parenthesized(), p.statement(false))
	case "debugger":
		p.next()
		p.semicolon()
		return p.node(Empty, pos, "")
	case "import":
		return p.importStatement()
	case "export":
		return p.exportStatement()
	}
	if p.at("await") && p.async {
		x := p.awaiting(func() *Node { return p.declarators(pos, "using", Lexical) })
		if x.Kind == Declaration {
			return x
		}
		return p.expressionStatement(x)
	}
	if p.name() { // yield and await, where they are names
		return p.named(p.identifier())
	}
	return p.expressionStatement(p.expression())
}

// single fails for a declaration in a place that holds a single statement.
func (p *parser) single(declarations bool, what string) {
	if !declarations {
		p.fail(p.tok.pos, what+" cannot stand in a single-statement context")
	}
}

func (p *parser) expressionStatement(x *Node) *Node {
	p.semicolon()
	return p.node(Expression, x.Pos, "", x)
}

// named reads what begins with a name: a label or an expression.
func (p *parser) named(name *Node) *Node {
	if p.eat(":") {
		return p.node(Labelled, name.Pos, name.Text, p.statement(false))
	}
	return p.expressionStatement(p.expressionFrom(name))
}

// letStatement tells a declaration from let used as a name.
func (p *parser) letStatement(declarations bool) *Node {
	let := p.identifier()
	if p.at("[") || (p.name() || p.at("{")) && (declarations || !p.tok.newline) {
		p.single(declarations, "a lexical declaration (let)")
		return p.declarators(let.Pos, "let", Lexical)
	}
	return p.named(let)
}

func (p *parser) usingStatement(using *Node, declarations bool) *Node {
	if !p.name() || p.tok.newline {
		return p.named(using)
	}
	p.single(declarations, "a lexical declaration (using)")
	return p.declarators(using.Pos, "using", Lexical)
}

func (p *parser) asyncStatement(declarations bool) *Node {
	async := p.identifier()
	if p.at("function") && !p.tok.newline {
		return p.functionStatement(async.Pos, true, declarations)
	}
	if p.eat(":") {
		return p.node(Labelled, async.Pos, async.Text, p.statement(false))
	}
	return p.expressionStatement(p.expressionAfter(p.asyncFrom(async)))
}

// functionStatement reads a function declaration. As a lone statement, such as the branch of an if, it is seen there only.
func (p *parser) functionStatement(pos int, async, declarations bool) *Node {
	p.next()
	if declarations {
		return p.functionDeclaration(pos, async)
	}
	scope := &Scope{}
	var f *Node
	p.within(scope, func() { f = p.functionDeclaration(pos, async) })
	n := p.node(Block, pos, "", f)
	n.scope = scope
	return n
}

// awaiting reads what begins with the operator await: an expression, or what declare makes of await using.
func (p *parser) awaiting(declare func() *Node) *Node {
	pos := p.tok.pos
	p.next()
	var operand *Node
	if p.at("using") {
		using := p.identifier()
		if p.name() && !p.tok.newline {
			return declare()
		}
		operand = p.unaryFrom(using)
	} else {
		operand = p.unary()
	}
	return p.sequenceFrom(p.assignmentAfter(p.node(Await, pos, "", operand)))
}

func (p *parser) declaration(kind BindingKind) *Node {
	pos, text := p.tok.pos, p.tok.text
	p.next()
	return p.declarators(pos, text, kind)
}

// declarators reads a whole declaration, its keyword being read already.
func (p *parser) declarators(pos int, text string, kind BindingKind) *Node {
	n := p.declaratorList(pos, text, kind)
	p.semicolon()
	return n
}

func (p *parser) declaratorList(pos int, text string, kind BindingKind) *Node {
	mark := len(p.scratch)
	for {
		pattern := p.pattern()
		p.declare(pattern, kind, p.home(kind))
		if p.eat("=") {
			p.push(p.node(Declarator, pattern.Pos, "", pattern, p.assignment()))
		} else {
			p.push(p.node(Declarator, pattern.Pos, "", pattern))
		}
		if !p.eat(",") {
			return p.take(mark, Declaration, pos, text)
		}
	}
}

// home is the scope where a declaration of this kind puts its names.
func (p *parser) home(kind BindingKind) *Scope {
	if kind == Var {
		return p.vars
	}
	return p.block
}

// pattern reads a name or a destructuring pattern, which looks like a literal.
func (p *parser) pattern() *Node {
	switch {
	case p.at("["):
		return p.array()
	case p.at("{"):
		return p.object()
	}
	return p.identifier()
}

func (p *parser) blockStatement() *Node {
	scope := &Scope{}
	var n *Node
	p.within(scope, func() { n = p.statements(Block) })
	n.scope = scope
	return n
}

// statements reads a list of statements in braces.
func (p *parser) statements(kind Kind) *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	p.expect("{")
	for !p.at("}") && !p.eof() {
		p.push(p.statement(true))
	}
	p.expect("}")
	return p.take(mark, kind, pos, "")
}

func (p *parser) parenthesized() *Node {
	p.expect("(")
	x := p.expression()
	p.expect(")")
	return x
}

// ifStatement reads a whole chain of else-if without recursion: such chains are long in honest code.
func (p *parser) ifStatement() *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	for p.eat("if") {
		p.push(p.parenthesized())
		p.push(p.statement(false))
		if !p.eat("else") {
			break
		}
		if !p.at("if") {
			p.push(p.statement(false))
		}
	}
	return p.take(mark, If, pos, "")
}

func (p *parser) doStatement() *Node {
	pos := p.tok.pos
	p.next()
	body := p.statement(false)
	p.expect("while")
	test := p.parenthesized()
	p.eat(";")
	return p.endless(While, pos, test, body)
}

// endless makes a loop and marks it when its test is always true.
func (p *parser) endless(kind Kind, pos int, test, body *Node) *Node {
	n := p.node(kind, pos, "", test, body)
	if always(test) {
		n.Flags |= Endless
	}
	return n
}

// always reports whether a test is plainly true.
func always(test *Node) bool {
	return test.Kind == Number && test.Text != "0" || test.Kind == Keyword && test.Text == "true" ||
		test.Kind == Unary && test.Text == "!" && never(test.Kids[0])
}

func never(test *Node) bool {
	return test.Kind == Number && test.Text == "0" || test.Kind == Keyword && test.Text == "false"
}

func (p *parser) forStatement() *Node {
	pos := p.tok.pos
	p.next()
	var flags Flags
	if p.eat("await") {
		flags = Async
	}
	p.expect("(")
	scope := &Scope{}
	var n *Node
	p.within(scope, func() { n = p.forRest(pos) })
	n.Flags |= flags
	n.scope = scope
	return n
}

// forRest reads a for statement from behind its opening parenthesis.
func (p *parser) forRest(pos int) *Node {
	mark := len(p.scratch)
	if !p.at(";") {
		head := p.forHead()
		if p.at("of") || p.at("in") {
			return p.forIn(pos, head)
		}
		p.push(head)
	}
	p.expect(";")
	endless := p.at(";")
	if !endless {
		test := p.expression()
		endless = always(test)
		p.push(test)
	}
	p.expect(";")
	if !p.at(")") {
		p.push(p.expression())
	}
	p.expect(")")
	p.push(p.statement(false))
	n := p.take(mark, For, pos, "")
	if endless {
		n.Flags |= Endless
	}
	return n
}

// forHead reads the first part of a for statement's head, in which the in operator is none.
func (p *parser) forHead() *Node {
	p.noIn = true
	defer func() { p.noIn = false }()
	pos := p.tok.pos
	switch {
	case p.eat("var"):
		return p.declaratorList(pos, "var", Var)
	case p.eat("const"):
		return p.declaratorList(pos, "const", Lexical)
	case p.at("let"):
		let := p.identifier()
		if p.name() || p.at("[") || p.at("{") {
			return p.declaratorList(pos, "let", Lexical)
		}
		return p.expressionFrom(let)
	case p.at("using"):
		using := p.identifier()
		if p.name() && !p.at("of") && !p.tok.newline {
			return p.declaratorList(pos, "using", Lexical)
		}
		return p.expressionFrom(using)
	case p.at("await") && p.async:
		return p.awaiting(func() *Node { return p.declaratorList(pos, "using", Lexical) })
	}
	return p.expression()
}

func (p *parser) forIn(pos int, head *Node) *Node {
	list := p.at("in")
	p.next()
	p.noIn = false
	var object *Node
	if list {
		object = p.expression()
	} else {
		object = p.assignment()
	}
	p.expect(")")
	return p.node(ForIn, pos, "", head, object, p.statement(false))
}

func (p *parser) switchStatement() *Node {
	pos := p.tok.pos
	p.next()
	operand := p.parenthesized()
	scope := &Scope{}
	var cases *Node
	p.within(scope, func() { cases = p.cases() })
	cases.scope = scope
	return p.node(Switch, pos, "", operand, cases)
}

func (p *parser) cases() *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	p.expect("{")
	for !p.at("}") && !p.eof() {
		switch {
		case p.eat("case"):
			p.push(p.expression())
			p.expect(":")
		case p.eat("default"):
			p.expect(":")
		default:
			p.push(p.statement(true))
		}
	}
	p.expect("}")
	return p.take(mark, Cases, pos, "")
}

func (p *parser) returnStatement() *Node {
	pos := p.tok.pos
	if p.vars == p.global {
		p.fail(pos, "return stands outside of a function")
	}
	p.next()
	if p.at(";") || p.at("}") || p.eof() || p.tok.newline {
		p.semicolon()
		return p.node(Return, pos, "")
	}
	x := p.expression()
	p.semicolon()
	return p.node(Return, pos, "", x)
}

func (p *parser) throwStatement() *Node {
	pos := p.tok.pos
	p.next()
	if p.tok.newline {
		p.fail(p.tok.pos, "a line break cannot stand behind throw")
	}
	x := p.expression()
	p.semicolon()
	return p.node(Throw, pos, "", x)
}

func (p *parser) jump(kind Kind) *Node {
	n := p.node(kind, p.tok.pos, "")
	p.next()
	if p.name() && !p.tok.newline {
		n.Text = p.tok.text
		p.next()
	}
	p.semicolon()
	return n
}

func (p *parser) tryStatement() *Node {
	pos, mark := p.tok.pos, len(p.scratch)
	p.next()
	p.push(p.blockStatement())
	if p.at("catch") {
		p.push(p.catchClause())
	} else if !p.at("finally") {
		p.unexpected("'catch' or 'finally'")
	}
	if p.eat("finally") {
		p.push(p.blockStatement())
	}
	return p.take(mark, Try, pos, "")
}

func (p *parser) catchClause() *Node {
	pos, mark, scope := p.tok.pos, len(p.scratch), &Scope{}
	p.next()
	if p.eat("(") {
		param := p.pattern()
		p.declare(param, Param, scope)
		p.push(param)
		p.expect(")")
	}
	p.push(p.blockStatement())
	n := p.take(mark, Catch, pos, "")
	n.scope = scope
	return n
}
