package schema

import (
	"net/url"
	"strings"
)

// reference is a $ref that waits for all schemas to be read.
type reference struct {
	keyword
	target string // JSON pointer
	to     []*node
}

const howToRefer = "put the schema into $defs of the outermost schema, and refer to it by #/$defs/ and its name, or to the outermost schema itself by #"

// refer adds what a $ref leads to, to be filled in when it is known.
func (k keyword) refer() {
	path, ok := target(k.v.text)
	if !ok {
		k.a.problem(k.at, howToRefer, "$ref cannot lead to %s", quote(k.v.text))
		return
	}
	r := reference{k, path, make([]*node, 1)}
	k.n.ask(every{r.to}, everyKind...)
	k.a.references = append(k.a.references, r)
}

// target returns the JSON pointer that a $ref means, and whether that may be.
func target(ref string) (path string, ok bool) {
	fragment, local := strings.CutPrefix(ref, "#")
	path, err := url.PathUnescape(fragment)
	return path, local && err == nil && (path == "" || strings.HasPrefix(path, "/$defs/"))
}

// resolve fills the references in, and refuses those that lead nowhere or around in a circle.
func (a *admission) resolve() {
	if len(a.problems) >= maxProblems || a.full {
		return // some schemas were not read
	}
	for _, r := range a.references {
		n, ok := a.nodes[r.target]
		if !ok {
			a.problem(r.at, howToRefer, "$ref leads to %s, where no schema is", quote(r.v.text))
			continue
		}
		r.to[0] = n
		r.n.inPlace = append(r.n.inPlace, n)
	}
	done := map[*node]bool{}
	for _, r := range a.references {
		if circle(r.n, map[*node]bool{}, done) {
			a.problem(r.at, "a schema may refer to itself only for a part of the value: below properties, items and the like",
				"$ref leads around in a circle to the same value")
			return
		}
	}
}

// circle reports whether the schemas that apply to the same value as n lead back to one of those on the way to it.
func circle(n *node, open, done map[*node]bool) bool {
	if open[n] || done[n] {
		return open[n]
	}
	open[n] = true
	for _, next := range n.inPlace {
		if circle(next, open, done) {
			return true
		}
	}
	delete(open, n)
	done[n] = true
	return false
}
