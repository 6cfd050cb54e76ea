package source

import (
	"strings"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// sense is what the gate can tell of a value without running anything.
type sense uint8

const (
	isUnknown  sense = iota
	isText           // a constant string
	isNumber         // a constant number
	isList           // an array; its elements may be unknown
	isObject         // an object literal, or another literal that is no function
	isGlobal         // the global object
	isNamed          // a global variable, or a member of one: text is its path, such as "fs.readFile"
	isCallable       // some function or class
	isCtor           // the member constructor of something unknown
	isMaker          // Function or its kin: it makes code from text
)

type value struct {
	sense  sense
	text   string
	number float64
	list   []value
}

// value tells what an expression is. Every node is looked at once; what refers to itself is unknown.
func (g *gate) value(n *syntax.Node) value {
	switch n.Kind {
	case syntax.String, syntax.Name:
		return constant(n.Text)
	case syntax.Number:
		return parseNumber(n.Text)
	case syntax.Function, syntax.Class:
		return value{sense: isCallable}
	case syntax.Regexp, syntax.Object:
		return value{sense: isObject}
	case syntax.Keyword:
		return g.keyword(n)
	case syntax.Identifier:
		return g.identifier(n)
	case syntax.Member, syntax.Call, syntax.Binary, syntax.Template, syntax.Array, syntax.Assign, syntax.Sequence,
		syntax.Conditional, syntax.Await:
		return g.remember(n)
	default:
		return value{}
	}
}

// remember computes the value of a node once.
func (g *gate) remember(n *syntax.Node) value {
	if v, ok := g.values[n]; ok {
		return v
	}
	g.values[n] = value{}
	v := g.compute(n)
	g.values[n] = v
	return v
}

func (g *gate) compute(n *syntax.Node) value {
	switch n.Kind {
	case syntax.Member:
		return g.member(g.value(n.Kids[0]), g.key(n))
	case syntax.Call:
		return g.call(n)
	case syntax.Binary:
		return g.binary(n)
	case syntax.Template:
		return join(g.elements(n.Kids), "")
	case syntax.Array:
		return value{sense: isList, list: g.elements(n.Kids)}
	case syntax.Assign:
		return g.value(n.Kids[1])
	case syntax.Sequence, syntax.Await:
		return g.value(n.Last())
	case syntax.Conditional:
		return g.either(n.Kids[1:])
	default:
		return value{}
	}
}

// either is the first value of several that is known.
func (g *gate) either(nodes []*syntax.Node) value {
	for _, n := range nodes {
		if v := g.value(n); v.sense != isUnknown {
			return v
		}
	}
	return value{}
}

func (g *gate) binary(n *syntax.Node) value {
	switch n.Text {
	case "+":
		if len(n.Kids) > foldedBytes {
			return value{}
		}
		return join(g.elements(n.Kids), "")
	case "||", "??", "&&":
		return g.either(n.Kids)
	}
	return value{}
}

func (g *gate) keyword(n *syntax.Node) value {
	switch n.Text {
	case "this":
		if g.globals[n] {
			return value{sense: isGlobal}
		}
	case "true", "false", "null":
		return value{sense: isObject}
	}
	return value{}
}

func (g *gate) identifier(n *syntax.Node) value {
	if g.free(n) {
		return g.global(n.Text)
	}
	b := n.Binding
	if b.Init == nil || g.pending[b] {
		return value{}
	}
	g.pending[b] = true
	v := g.value(b.Init)
	delete(g.pending, b)
	return v
}

// free reports whether an identifier means a global variable that the source did not make. A var of the script itself
// does not replace what the realm has under that name.
func (g *gate) free(n *syntax.Node) bool {
	b := n.Binding
	return b == nil || b.Global && b.Kind == syntax.Var && g.builtIn(n.Text)
}

func (g *gate) global(name string) value {
	switch name {
	case "globalThis", "window", "self", "global":
		return value{sense: isGlobal}
	case "Function":
		return value{sense: isMaker, text: name}
	}
	return value{sense: isNamed, text: name}
}

// key is the constant name of the member that a Member node reads; unknown when it cannot be told.
func (g *gate) key(n *syntax.Node) value {
	v := g.value(n.Kids[1])
	if n.Kids[1].Kind == syntax.PrivateName {
		return value{}
	}
	return v
}

func (g *gate) member(object, key value) value {
	name, ok := key.asText()
	switch {
	case !ok:
		return value{}
	case name == "constructor":
		return constructorOf(object)
	case name == "__proto__":
		return prototypeOf(object)
	}
	switch object.sense {
	case isGlobal:
		return g.global(name)
	case isNamed:
		return extend(object.text, name)
	case isText, isList:
		return item(object, key, name)
	default:
		return value{}
	}
}

func constructorOf(object value) value {
	if object.callable() || object.sense == isCtor {
		return value{sense: isMaker, text: "constructor"}
	}
	return value{sense: isCtor}
}

// prototypeOf is what a prototype tells: that of a function has the same constructor.
func prototypeOf(object value) value {
	if object.callable() {
		return value{sense: isCallable}
	}
	return value{}
}

// callable reports whether the value is certainly a function.
func (v value) callable() bool {
	switch v.sense {
	case isCallable, isMaker:
		return true
	case isNamed:
		return !objects[v.text] && !strings.HasSuffix(v.text, ".prototype")
	default:
		return false
	}
}

// objects are the globals that are no functions.
var objects = set("Math JSON Reflect Atomics Intl console performance crypto fs process undefined NaN Infinity input " +
	"arguments module exports")

func set(list string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	return names
}

// extend is a member of a global variable. Members of members are followed for fs.promises only.
func extend(path, name string) value {
	if strings.Contains(path, ".") && path != "fs.promises" {
		return value{}
	}
	return value{sense: isNamed, text: path + "." + name}
}

// item is an element of a constant, or one of its methods.
func item(object, key value, name string) value {
	switch i, ok := key.index(foldedBytes); {
	case ok && object.sense == isText && i < len(object.text):
		return constant(object.text[i : i+1])
	case ok && object.sense == isList && i < len(object.list):
		return object.list[i]
	case ok || name == "length":
		return value{}
	}
	return value{sense: isCallable}
}

func (g *gate) call(n *syntax.Node) value {
	callee, args := n.Kids[0], g.elements(n.Kids[1:])
	if callee.Kind == syntax.Member {
		if v, ok := g.method(callee, args); ok {
			return v
		}
	}
	v := g.value(callee)
	if v.sense != isNamed {
		return value{}
	}
	switch v.text {
	case "String.fromCharCode", "String.fromCodePoint":
		return fromCodes(args)
	case "atob":
		return fromBase64(args)
	case "String":
		return join(args, "")
	case "require":
		return required(args)
	case "Object.getPrototypeOf", "Reflect.getPrototypeOf":
		if len(args) == 1 {
			return prototypeOf(args[0])
		}
	case "Reflect.get", "Object.getOwnPropertyDescriptor", "Reflect.getOwnPropertyDescriptor":
		if len(args) >= 2 {
			return g.member(args[0], args[1])
		}
	}
	return value{}
}

// method computes a method of a constant; false when the callee is something else.
func (g *gate) method(callee *syntax.Node, args []value) (value, bool) {
	object := g.value(callee.Kids[0])
	name, _ := g.key(callee).asText()
	switch object.sense {
	case isText:
		if compute := textMethods[name]; compute != nil {
			return compute(object.text, args), true
		}
		return value{}, true
	case isList:
		if compute := listMethods[name]; compute != nil {
			return compute(object.list, args), true
		}
		return value{}, true
	default:
		return value{sense: isCallable}, name == "bind" && object.callable()
	}
}

// required is what require gives: only fs matters, for what is done with it.
func required(args []value) value {
	if len(args) == 1 && moduleOf(args[0].text) == "fs" {
		return value{sense: isNamed, text: "fs"}
	}
	return value{}
}

// moduleOf is the plain name of one of Node's modules.
func moduleOf(name string) string {
	name = strings.TrimPrefix(name, "node:")
	name, _, _ = strings.Cut(name, "/")
	return name
}
