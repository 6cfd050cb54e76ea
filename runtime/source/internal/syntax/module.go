package syntax

import "github.com/tdewolff/parse/v2/js"

// Modules do not exist for the engine, which reads scripts. Their words are read all the same, so that a check can say
// what to write instead.

// importExpression goes on after import within an expression.
func (p *parser) importExpression(pos int) *Node {
	switch {
	case p.eat("."):
		p.memberName()
		if p.at("(") { // import.source(x), import.defer(x)
			return p.call(Import, p.node(Keyword, pos, "import"))
		}
		return p.node(Import, pos, "meta")
	case p.at("("):
		return p.call(Import, p.node(Keyword, pos, "import"))
	}
	p.unexpected("'(' behind import")
	return p.empty()
}

// importStatement reads an import statement; the names it binds count as declared.
func (p *parser) importStatement() *Node {
	pos := p.tok.pos
	p.next()
	if p.at("(") || p.at(".") {
		return p.expressionStatement(p.expressionFrom(p.importExpression(pos)))
	}
	n := p.node(Import, pos, "statement")
	p.importNames()
	if p.tok.kind != js.StringToken {
		p.unexpected("the name of a module in quotes")
		return n
	}
	n.Text = p.stringLiteral().Text
	p.attributes()
	p.semicolon()
	return n
}

// importNames reads everything up to the module's name.
func (p *parser) importNames() {
	for js.IsIdentifierName(p.tok.kind) || p.at(",") || p.at("{") || p.at("}") || p.at("*") {
		last := p.tok
		p.next()
		if js.IsIdentifierName(last.kind) && (p.at(",") || p.at("}") || p.at("from")) {
			p.block.add(&Binding{Name: last.text, Kind: Module, Pos: last.pos, Global: p.block == p.global, writes: 1})
		}
	}
}

func (p *parser) attributes() {
	if p.eat("with") && p.at("{") {
		p.object()
	}
}

func (p *parser) exportStatement() *Node {
	pos := p.tok.pos
	p.next()
	switch {
	case p.eat("default"):
		n := p.exportDefault(pos)
		n.Flags |= Default
		return n
	case p.at("*") || p.at("{"):
		return p.exportNames(pos)
	}
	return p.node(Export, pos, "", p.statement(true))
}

func (p *parser) exportDefault(pos int) *Node {
	if p.at("function") || p.at("class") || p.at("async") {
		return p.node(Export, pos, "", p.exportedDeclaration())
	}
	x := p.assignment()
	p.semicolon()
	return p.node(Export, pos, "", x)
}

// exportedDeclaration reads what export default declares, with or without a name.
func (p *parser) exportedDeclaration() *Node {
	pos := p.tok.pos
	switch {
	case p.eat("function"):
		return p.functionDeclaration(pos, false)
	case p.at("class"):
		return p.class(true)
	}
	return p.asyncStatement(true)
}

func (p *parser) exportNames(pos int) *Node {
	if p.at("{") {
		for !p.at("}") && !p.eof() {
			p.next()
		}
		p.expect("}")
	} else {
		p.next()
		if p.eat("as") {
			p.next()
		}
	}
	if p.eat("from") {
		p.next()
		p.attributes()
	}
	p.semicolon()
	return p.node(Export, pos, "")
}
