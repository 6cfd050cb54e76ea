package schema

import (
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of a schema.
const (
	MaxBytes   = 64 << 10
	MaxDepth   = 32  // schemas within each other
	MaxSchemas = 500 // with those within it, true and false included

	maxNameBytes   = 256          // of a property or a definition
	maxSourceDepth = 3 * MaxDepth // arrays and objects within each other, defaults and examples included
)

// Dialect is the only one that is read.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// admission turns a schema into nodes, and gathers what is wrong with it.
type admission struct {
	nodes      map[string]*node // by JSON pointer
	references []reference
	problems   Problems
	programs   int // instructions of all patterns
	full       bool
}

// problem notes what is wrong at a place, and how to mend it.
func (a *admission) problem(at, hint, format string, args ...any) {
	if len(a.problems) < maxProblems {
		e := tool.Errorf(tool.InvalidRequest, format, args...)
		e.Path, e.Hint = clip(at, maxPathBytes), hint
		a.problems = append(a.problems, e)
	}
}

// schema compiles the schema at a place. It never returns nil.
func (a *admission) schema(v *Value, at string, depth int) *node {
	n := &node{at: at, types: allTypes}
	if !a.room(at, depth) {
		return n
	}
	a.nodes[at] = n
	switch v.kind {
	case boolean:
		n.never = v.text == "false"
	case object:
		b := builder{a: a, n: n, v: v, depth: depth}
		b.all()
	default:
		a.problem(at, "", "a schema is an object, true or false, but this is %s", v.show())
	}
	return n
}

// room reports whether one more schema is within the bounds.
func (a *admission) room(at string, depth int) bool {
	switch {
	case a.full || len(a.problems) >= maxProblems:
		return false
	case depth >= MaxDepth:
		a.problem(at, "describe the inner parts less deeply, or move them to $defs and refer to them", "schemas nest deeper than %d levels", MaxDepth)
		return false
	case len(a.nodes) >= MaxSchemas:
		a.problem("", "describe less of the value, or refer to the same $defs more often", "there are more than %d schemas within this one", MaxSchemas)
		a.full = true
		return false
	}
	return true
}

// builder makes one node.
type builder struct {
	a     *admission
	n     *node
	v     *Value
	depth int
}

// keyword is what a schema says at one of its keys.
type keyword struct {
	*builder
	name string
	at   string
	v    *Value
}

// get returns what the schema says at a key; its v is nil when it says nothing.
func (b *builder) get(name string) keyword {
	return keyword{b, name, pointer(b.n.at, name), b.v.member(name)}
}

func (b *builder) all() {
	for i, name := range b.v.keys {
		k := keyword{b, name, pointer(b.n.at, name), &b.v.items[i]}
		if refusal, ok := refused[name]; ok {
			b.a.problem(k.at, refusal, "the keyword %s is not allowed", name)
			continue
		}
		k.read()
	}
}

// refused are the keywords that may not stand in a schema, with what to do instead. Other unknown ones are annotations.
var refused = map[string]string{
	"$id":              "leave it out: a schema stands for itself, and $ref leads to # and #/$defs/...",
	"$anchor":          "put the schema into $defs, and refer to it by #/$defs/ and its name",
	"$dynamicAnchor":   "put the schema into $defs, and refer to it by #/$defs/ and its name",
	"$dynamicRef":      "write $ref",
	"$recursiveRef":    "write $ref",
	"$recursiveAnchor": "leave it out: $ref leads to # and #/$defs/...",
	"$vocabulary":      "leave it out",
	"definitions":      "write $defs, and #/$defs/ in $ref",
	"dependencies":     "write dependentRequired or dependentSchemas",
	"additionalItems":  "write prefixItems for the first items and items for all others",
	"nullable":         `add "null" to type: ["string", "null"]`,
	"x-mcp-header":     "leave it out",
}

// is reports whether the keyword has a value of a kind, and notes a problem when it has another.
func (k keyword) is(want kind) bool {
	if k.v.kind == want {
		return true
	}
	k.wrong("%s belongs here", article(kindNames[want]))
	return false
}

func article(noun string) string {
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}

// wrong notes that the keyword's value is not what belongs there.
func (k keyword) wrong(hint string, args ...any) {
	k.a.problem(k.at, fmt.Sprintf(hint, args...), "%s cannot be %s", k.name, k.v.show())
}

// one compiles the schema that is the keyword's value.
func (k keyword) one() *node { return k.a.schema(k.v, k.at, k.depth+1) }

// many compiles a list of schemas.
func (k keyword) many() []*node {
	if !k.is(array) {
		return nil
	}
	if len(k.v.items) == 0 {
		k.wrong("list one schema at least, or leave %s out", k.name)
	}
	nodes := make([]*node, len(k.v.items))
	for i := range k.v.items {
		nodes[i] = k.a.schema(&k.v.items[i], fmt.Sprintf("%s/%d", k.at, i), k.depth+1)
	}
	return nodes
}

// named compiles the schemas of an object, in its order.
func (k keyword) named() []*node {
	if !k.is(object) {
		return nil
	}
	nodes := make([]*node, len(k.v.items))
	for i, name := range k.v.keys {
		if len(name) > maxNameBytes {
			k.a.problem(k.at, "use shorter names", "the name %s has %d bytes, at most %d are allowed", quote(name), len(name), maxNameBytes)
			name = ""
		}
		nodes[i] = k.a.schema(&k.v.items[i], pointer(k.at, name), k.depth+1)
	}
	return nodes
}

// strings reads a list of strings that differ.
func (k keyword) strings() []string {
	if !k.is(array) {
		return nil
	}
	seen := make(map[string]bool, len(k.v.items))
	list := make([]string, 0, len(k.v.items))
	for i := range k.v.items {
		item := &k.v.items[i]
		if item.kind != text {
			k.wrong("list strings only: item %d is %s", i, item.show())
			return nil
		}
		if seen[item.text] {
			k.wrong("list %s once", quote(item.text))
			return nil
		}
		seen[item.text] = true
		list = append(list, item.text)
	}
	return list
}

// count reads a number of things.
func (k keyword) count() int {
	n := -1
	if k.v.kind == number {
		n = k.v.count()
	}
	if n < 0 {
		k.wrong("a whole number belongs here, 0 or more")
		return 0
	}
	return n
}

// flag reads true or false.
func (k keyword) flag() bool { return k.is(boolean) && k.v.text == "true" }

// pattern compiles a regular expression.
func (k keyword) pattern(source, at string) *pattern {
	p, err := compilePattern(source)
	if err != nil {
		k.a.problem(at, "write what both RE2 and JavaScript with the flag u take and mean the same by", "the pattern %s is not allowed: %w", quote(source), err)
		return nil
	}
	if k.a.programs += p.program; k.a.programs > maxPrograms {
		k.a.problem(at, "use fewer patterns, or smaller repeat counts", "the patterns of the schema unfold to more than %d steps", maxPrograms)
		return nil
	}
	return p
}
