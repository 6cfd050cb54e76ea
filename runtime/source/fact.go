package source

import (
	"cmp"
	"slices"
)

// FactKind names what a judge should know about a source. The text is stable.
type FactKind string

// The kinds of facts.
const (
	FactAsync         FactKind = "async"          // the entry point is asynchronous
	FactClock         FactKind = "clock"          // reads the time: Date.now, new Date(), performance.now
	FactConstructor   FactKind = "constructor"    // reads a member named constructor
	FactDynamicGlobal FactKind = "dynamic_global" // looks a global up by a name that is computed
	FactEndlessLoop   FactKind = "endless_loop"   // while (true) or for (;;) without break, return, throw or yield
	FactGlobalThis    FactKind = "global_this"    // names globalThis
	FactMissing       FactKind = "missing"        // names something the sandbox does not have
	FactProto         FactKind = "proto"          // reads or writes a member named __proto__
	FactProxy         FactKind = "proxy"          // names Proxy
	FactRandom        FactKind = "random"         // Math.random, crypto.randomUUID
	FactReflect       FactKind = "reflect"        // names Reflect
	FactTimer         FactKind = "timer"          // setTimeout and its like
	FactTopLevel      FactKind = "top_level"      // a statement that runs when the tool is loaded
	FactWith          FactKind = "with"           // a with statement
)

// Fact is something legal in a source that a judge should know of.
type Fact struct {
	Kind    FactKind `json:"kind"`
	Message string   `json:"message"`
	Line    int      `json:"line"`   // from 1
	Column  int      `json:"column"` // from 1, in characters
}

// maxFacts bounds how many facts are reported, and factsPerKind how many of one kind.
const (
	maxFacts     = 100
	factsPerKind = 10
)

// note is a Fact whose place is still an offset.
type note struct {
	offset  int
	kind    FactKind
	message string
}

// facts places the notes in order and drops those beyond the caps.
func facts(notes []note, p *places) []Fact {
	slices.SortStableFunc(notes, func(a, b note) int { return cmp.Compare(a.offset, b.offset) })
	seen := map[FactKind]int{}
	var list []Fact
	for _, n := range notes {
		if seen[n.kind]++; seen[n.kind] > factsPerKind || len(list) == maxFacts {
			continue
		}
		line, column := p.at(n.offset)
		list = append(list, Fact{Kind: n.kind, Message: n.message, Line: line, Column: column})
	}
	return list
}
