package source

import (
	"cmp"
	"strings"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// gate walks a tree once and collects what breaks a rule and what a judge should know.
type gate struct {
	allow    map[string]bool // the entries of the allowlist
	uses     map[string]bool // those that the source makes use of
	values   map[*syntax.Node]value
	pending  map[*syntax.Binding]bool
	globals  map[*syntax.Node]bool // every this that is the global object
	defined  map[string]bool       // entry points that are made by statements
	findings []finding
	notes    []note
	entry    string
	depth    int    // of functions
	loops    []loop // around the node that is visited, within its function
}

func newGate(allow []string) *gate {
	g := &gate{
		allow: map[string]bool{}, uses: map[string]bool{}, values: map[*syntax.Node]value{},
		pending: map[*syntax.Binding]bool{}, globals: map[*syntax.Node]bool{}, defined: map[string]bool{},
	}
	for _, name := range allow {
		g.allow[name] = true
	}
	return g
}

// builtIn reports whether the realm has something of interest under a name before the source runs.
func (g *gate) builtIn(name string) bool {
	return name == "eval" || name == "Function" || name == "globalThis" || g.allow[grants[name]]
}

func (g *gate) look(root *syntax.Node) {
	g.findThis(root)
	for _, statement := range root.Kids {
		g.topLevel(statement)
		g.walk(statement, root)
	}
	g.findEntry(root)
}

func (g *gate) used() []string { return pick([]string{Fetch, ReadFile, Crypto}, g.uses, true) }

func (g *gate) unused(allow []string) []string { return pick(allow, g.uses, false) }

func pick(names []string, in map[string]bool, want bool) []string {
	var list []string
	for _, name := range names {
		if in[name] == want {
			list = append(list, name)
		}
	}
	return list
}

func (g *gate) refuse(n *syntax.Node, rule Rule, message, hint string) {
	g.findings = append(g.findings, finding{n.Pos, rule, message, hint})
}

func (g *gate) note(n *syntax.Node, kind FactKind, message string) {
	g.notes = append(g.notes, note{n.Pos, kind, message})
}

// findThis marks every this that is the global object: outside of all functions, and in the entry point.
func (g *gate) findThis(n *syntax.Node) {
	switch {
	case n.Kind == syntax.Keyword && n.Text == "this":
		g.globals[n] = true
	case n.Kind == syntax.Function && !n.Is(syntax.Arrow) && !isEntry(n.Text), n.Kind == syntax.Class:
		return
	}
	for _, kid := range n.Kids {
		g.findThis(kid)
	}
}

func isEntry(name string) bool { return name == "execute" || name == "run" }

// walk visits n and everything below it; parent is what n stands in.
func (g *gate) walk(n, parent *syntax.Node) {
	switch n.Kind {
	case syntax.Identifier:
		g.name(n, parent)
	case syntax.Member:
		g.access(n, parent)
	case syntax.Property:
		if n.Source != nil {
			g.access(n.Source, n)
		}
	case syntax.Call:
		g.called(n, parent)
	case syntax.Tagged:
		if g.value(n.Kids[0]).sense == isCtor {
			g.refuseMaker(named(n.Kids[0]))
		}
	case syntax.New:
		g.constructed(n)
	case syntax.Assign:
		g.assigned(n)
	case syntax.Import:
		g.imported(n)
	case syntax.Export:
		g.refuse(n, RuleExport, "export is forbidden: the source is a script, not a module", exportHint(n)+
			": the host finds execute(input) by its name")
	case syntax.With:
		g.note(n, FactWith, "uses a with statement")
	case syntax.Return, syntax.Throw, syntax.Yield, syntax.Break:
		g.exit(n)
	case syntax.For, syntax.ForIn, syntax.While, syntax.Switch:
		g.loop(n)
		return
	case syntax.Function:
		g.function(n)
		return
	default:
	}
	g.below(n)
}

func (g *gate) below(n *syntax.Node) {
	g.word(n)
	for _, kid := range n.Kids {
		g.walk(kid, n)
	}
}

// function visits a function; its declaration outside of all functions may be the entry point.
func (g *gate) function(n *syntax.Node) {
	if g.depth == 0 && n.Is(syntax.Declared) {
		g.defined[n.Text] = true
	}
	loops := g.loops
	g.loops = nil
	g.depth++
	g.below(n)
	g.depth--
	g.loops = loops
}

// word refuses child_process wherever a program could write it.
func (g *gate) word(n *syntax.Node) {
	if n.Text == "" || len(n.Text) < len("child_process") || n.Kind == syntax.Regexp {
		return
	}
	if strings.Contains(n.Text, "child_process") {
		b := bans["child_process"]
		g.refuse(n, b.rule, b.message, b.hint)
	}
}

// name looks at an identifier.
func (g *gate) name(n, parent *syntax.Node) {
	if !g.free(n) || isTypeof(parent) || declares(parent, n) || strings.Contains(n.Text, "child_process") {
		return
	}
	g.reference(n.Text, n, parent)
}

func isTypeof(n *syntax.Node) bool { return n.Kind == syntax.Unary && n.Text == "typeof" }

// declares reports whether n is the name in a declaration, not a use.
func declares(parent, n *syntax.Node) bool {
	return parent.Kind == syntax.Declarator && parent.Kids[0] == n
}

// access looks at a member access, also one that a pattern stands for.
func (g *gate) access(n, parent *syntax.Node) {
	object, key := g.value(n.Kids[0]), g.key(n)
	name, known := key.asText()
	at := named(n)
	switch {
	case name == "__proto__":
		g.note(at, FactProto, "reaches for __proto__")
	case name == "constructor":
		g.note(at, FactConstructor, "reaches for constructor")
	case !known && n.Is(syntax.Computed) && object.sense == isGlobal:
		g.note(at, FactDynamicGlobal, "looks up a global by a computed name")
	}
	if isTypeof(parent) {
		return
	}
	switch v := g.value(n); {
	case v.sense == isMaker && object.sense != isGlobal:
		g.maker(n, at, parent)
	case object.sense == isGlobal && known:
		g.reference(name, at, parent)
	case v.sense == isNamed:
		g.path(v.text, at)
	}
}

// maker refuses a constructor that makes code from text, unless it is only compared or asked for its name.
func (g *gate) maker(n, at, parent *syntax.Node) {
	if parent.Kind == syntax.Binary && comparisons[parent.Text] {
		return
	}
	if parent.Kind == syntax.Member && parent.Kids[0] == n {
		if key, _ := g.key(parent).asText(); key == "name" || key == "length" {
			return
		}
	}
	g.refuseMaker(at)
}

var comparisons = set("== != === !== instanceof")

// named is the place that names what an expression gives: the key of a member.
func named(n *syntax.Node) *syntax.Node {
	if n.Kind == syntax.Member {
		return n.Kids[1]
	}
	return n
}

func (g *gate) refuseMaker(at *syntax.Node) {
	g.refuse(at, RuleFunction, "a function's constructor is forbidden: it is Function() by another way",
		"write the function out; to tell async functions apart, compare fn.constructor.name")
}

// called looks at a call.
func (g *gate) called(n, parent *syntax.Node) {
	callee := n.Kids[0]
	v := g.value(callee)
	switch {
	case v.sense == isCtor && g.anyText(n.Kids[1:]):
		g.refuseMaker(named(callee))
	case v.sense == isNamed && v.text == "Date":
		g.note(callee, FactClock, "reads the clock (Date)")
	case v.sense == isNamed:
		g.defines(v.text, n.Kids[1:])
	}
	switch result := g.value(n); {
	case result.sense == isNamed && !strings.Contains(result.text, ".") && v.text != "require":
		g.reference(result.text, n, parent)
	case result.sense == isMaker:
		g.refuseMaker(n)
	}
}

func (g *gate) anyText(args []*syntax.Node) bool {
	for _, arg := range args {
		if arg.Kind == syntax.Template || arg.Kind == syntax.String || g.value(arg).sense == isText {
			return true
		}
	}
	return false
}

func (g *gate) constructed(n *syntax.Node) {
	if v := g.value(n.Kids[0]); v.sense == isNamed && v.text == "Date" && len(n.Kids) == 1 {
		g.note(n, FactClock, "reads the clock (new Date())")
	}
}

func (g *gate) imported(n *syntax.Node) {
	b := ban{RuleImport, "import is forbidden: there are no modules in the sandbox", "write the code inline"}
	switch {
	case len(n.Kids) > 0:
		b.message = "dynamic import() is forbidden: there are no modules in the sandbox"
		if len(n.Kids) > 1 {
			b.hint = g.moduleHint(n.Kids[1], b.hint)
		}
	case n.Text == "meta":
		b.message = "import.meta is forbidden: the source is a script, not a module"
	default:
		b.message = "import statements are forbidden: there are no modules in the sandbox"
		b.hint = cmp.Or(g.useOf(n.Text), b.hint)
	}
	g.refuse(n, b.rule, b.message, b.hint)
}
