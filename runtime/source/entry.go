package source

import (
	"fmt"

	"example.com/toolsmith/runtime/source/internal/syntax"
)

// assigned looks at an assignment: it may make the entry point.
func (g *gate) assigned(n *syntax.Node) {
	target := n.Kids[0]
	if target.Kind == syntax.Identifier && target.Binding == nil {
		g.defined[target.Text] = true
	}
	if target.Kind != syntax.Member || g.value(target.Kids[0]).sense != isGlobal {
		return
	}
	if name, ok := g.key(target).asText(); ok {
		g.defined[name] = true
	}
}

// defines looks at a call that may make members of the global object.
func (g *gate) defines(callee string, args []*syntax.Node) {
	if len(args) < 2 || g.value(args[0]).sense != isGlobal {
		return
	}
	switch callee {
	case "Object.defineProperty", "Reflect.defineProperty", "Reflect.set":
		if name, ok := g.value(args[1]).asText(); ok {
			g.defined[name] = true
		}
	case "Object.assign", "Object.defineProperties":
		for _, property := range args[1].Kids {
			if property.Kind == syntax.Property {
				name, _ := g.value(property.Kids[0]).asText()
				g.defined[name] = true
			}
		}
	}
}

// topLevel notes a statement that runs when the tool is loaded.
func (g *gate) topLevel(n *syntax.Node) {
	switch n.Kind {
	case syntax.Declaration, syntax.Function, syntax.Class, syntax.Empty, syntax.Import, syntax.Export:
	default:
		if n.Kind == syntax.Expression && n.Kids[0].Kind == syntax.String { // a directive
			return
		}
		g.note(n, FactTopLevel, "runs once, when the tool is loaded; its effects are in every call")
	}
}

// findEntry settles which function is the tool.
func (g *gate) findEntry(root *syntax.Node) {
	for _, name := range []string{"execute", "run"} {
		declared := declaration(root, name)
		switch {
		case declared == nil && !g.defined[name]:
			continue
		case declared != nil && !g.defined[name] && !g.mayBeCalled(declared):
			g.findings = append(g.findings, finding{
				declared.Pos, RuleEntry, name + " is not a function: the tool must define execute(input) or run(input)",
				"write function " + name + "(input) { … return output; }",
			})
		}
		g.entry = name
		g.noteAsync(declared)
		return
	}
	g.findings = append(g.findings, finding{0, RuleEntry, "the tool must define execute(input) or run(input)", g.entryHint(root)})
}

// declaration is the last declaration of a name by the script itself; nil when there is none.
func declaration(root *syntax.Node, name string) *syntax.Binding {
	var found *syntax.Binding
	for _, b := range root.Declarations() {
		if b.Name == name {
			found = b
		}
	}
	return found
}

// mayBeCalled reports whether a declaration can be a function, as far as one can tell.
func (g *gate) mayBeCalled(b *syntax.Binding) bool {
	if b.Kind == syntax.ClassOf {
		return false
	}
	if b.Init == nil {
		return true
	}
	if b.Init.Kind == syntax.Class {
		return false
	}
	switch g.value(b.Init).sense {
	case isText, isNumber, isList, isObject:
		return false
	default:
		return true
	}
}

func (g *gate) noteAsync(b *syntax.Binding) {
	if b != nil && b.Init != nil && b.Init.Kind == syntax.Function && b.Init.Is(syntax.Async) {
		g.notes = append(g.notes, note{b.Pos, FactAsync, b.Name + " is asynchronous"})
	}
}

// entryHint says how to turn what the source has into an entry point.
func (g *gate) entryHint(root *syntax.Node) string {
	for _, n := range root.Kids {
		if n.Kind == syntax.Export {
			return "name the function execute and " + exportHint(n) + ": function execute(input) { … return output; }"
		}
	}
	if g.defined["module"] || g.modulesUsed(root) {
		return "a global function is enough, module.exports is not needed: function execute(input) { … return output; }"
	}
	for _, b := range root.Declarations() {
		switch {
		case b.Kind == syntax.ClassOf:
			return fmt.Sprintf("call the class from a function: function execute(input) { return new %s(…)…; }", b.Name)
		case b.Init != nil && b.Init.Kind == syntax.Function:
			return fmt.Sprintf("rename %s to execute, or add function execute(input) { return %s(input); }", b.Name, b.Name)
		}
	}
	return "write function execute(input) { … return output; }"
}

// exportHint says which words an export has too many.
func exportHint(n *syntax.Node) string {
	if n.Is(syntax.Default) {
		return "leave out the words export default"
	}
	return "leave out the word export"
}

// modulesUsed reports whether a statement assigns to module.exports or exports.
func (g *gate) modulesUsed(root *syntax.Node) bool {
	for _, n := range root.Kids {
		if n.Kind != syntax.Expression || n.Kids[0].Kind != syntax.Assign {
			continue
		}
		target := n.Kids[0].Kids[0]
		for target.Kind == syntax.Member {
			target = target.Kids[0]
		}
		if target.Kind == syntax.Identifier && (target.Text == "module" || target.Text == "exports") {
			return true
		}
	}
	return false
}
