package source

import "example.com/toolsmith/runtime/source/internal/syntax"

// loop is a loop or switch that is being walked.
type loop struct {
	exits bool // a break leaves it
	left  bool // a return, throw, yield or labelled break may leave it and all around it
}

// loop visits a loop or switch, and notes one that never ends.
func (g *gate) loop(n *syntax.Node) {
	g.loops = append(g.loops, loop{})
	g.below(n)
	last := g.loops[len(g.loops)-1]
	g.loops = g.loops[:len(g.loops)-1]
	if n.Is(syntax.Endless) && !last.exits && !last.left {
		g.note(n, FactEndlessLoop, "a loop without break, return, throw or yield")
	}
}

// exit marks the loops that a statement may leave.
func (g *gate) exit(n *syntax.Node) {
	last := len(g.loops) - 1
	if n.Kind == syntax.Break && n.Text == "" {
		if last >= 0 {
			g.loops[last].exits = true
		}
		return
	}
	for i := last; i >= 0 && !g.loops[i].left; i-- {
		g.loops[i].left = true
	}
}
