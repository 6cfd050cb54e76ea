package schema

import "strings"

// node is a schema that was compiled, one of those that a Schema holds.
type node struct {
	at        string        // JSON pointer to it
	types     typeSet       // that it admits
	never     bool          // the schema false
	rules     [kinds][]rule // what it asks of a value, by the value's kind
	leftovers [kinds]rule   // unevaluatedItems and unevaluatedProperties, which come last; nil when there is none
	inPlace   []*node       // the schemas within it that apply to the same value
}

// rule is what one keyword, or a few that depend on each other, ask of a value.
type rule interface {
	// check reports whether v is as the rule wants it, and tells c what is wrong when it is not. It notes in seen, if
	// that is not nil, which items or members of v were evaluated.
	check(c *checker, v *Value, seen marks) bool
}

// ask adds a rule for values of some kinds.
func (n *node) ask(r rule, of ...kind) {
	for _, k := range of {
		n.rules[k] = append(n.rules[k], r)
	}
}

// apply adds a rule that applies other schemas to the same value.
func (n *node) apply(r rule, to ...*node) {
	n.ask(r, null, boolean, number, text, array, object)
	n.inPlace = append(n.inPlace, to...)
}

// typeSet is a set of the types that a schema may name.
type typeSet uint8

// integer is the type that is no kind of its own.
const (
	integer  typeSet = 1 << kinds
	allTypes         = integer<<1 - 1
)

var typeNames = append(kindNames[:], "integer")

// typeNamed returns the set of one type, 0 for a name that is no type.
func typeNamed(name string) typeSet {
	for i, known := range typeNames {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

func (s typeSet) admits(v *Value) bool {
	return s&(1<<v.kind) != 0 || v.kind == number && s&integer != 0 && v.decimal().IsInteger()
}

func (s typeSet) String() string {
	var names []string
	for i, name := range typeNames {
		if s&(1<<i) != 0 {
			names = append(names, `"`+name+`"`)
		}
	}
	return strings.Join(names, " or ")
}

// marks are the items or members of a value that some schema has evaluated. Nil where nobody asks.
type marks []bool

func (m marks) set(i int) {
	if m != nil {
		m[i] = true
	}
}

func (m marks) all() {
	for i := range m {
		m[i] = true
	}
}

func (m marks) merge(from marks) {
	if m == nil {
		return
	}
	for i, done := range from {
		m[i] = m[i] || done
	}
}
