package schema

import "slices"

// InlineDepth is how often a definition stands within itself where Inline is asked for no other depth.
const InlineDepth = 4

// maxInlinedBytes is about how much Inline writes before it cuts every further reference.
const maxInlinedBytes = 2 * MaxBytes

// Inline writes the schema without references, for clients that cannot follow them: each is replaced by what it leads to,
// and $defs are left out. A definition that refers to itself stands within itself depth times (InlineDepth when that is 0
// or less) and is cut there: what follows may be anything. So is one that would make the text grow beyond measure. Every
// value that the schema admits is one that the result admits; where nothing is cut, they admit the same.
func (s *Schema) Inline(depth int) []byte {
	if depth <= 0 {
		depth = InlineDepth
	}
	in := inliner{source: s.source, depth: depth, open: map[string]int{}}
	v, _ := in.target("")
	return v.appendJSON(nil)
}

type inliner struct {
	source  *Value
	depth   int
	open    map[string]int // how often each target is being written
	written int            // bytes, about
}

// cut says what a schema that was written has lost.
type cut uint8

const (
	uncut  cut = iota
	looser     // it admits more than it did
	blind      // and it does not tell any more which parts of the value it has evaluated
)

// target writes the schema that a reference leads to.
func (in *inliner) target(path string) (Value, cut) {
	if in.open[path] >= in.depth || in.written >= maxInlinedBytes {
		return Value{kind: object}, blind
	}
	in.open[path]++
	defer func() { in.open[path]-- }()
	return in.schema(in.source.at(path))
}

// schema writes a schema, and says what it has lost by what was cut within it.
func (in *inliner) schema(v *Value) (Value, cut) {
	outermost := in.written == 0
	in.written += 16
	if v.kind != object {
		return *v, uncut
	}
	d := draft{inliner: in, from: v, to: Value{kind: object}, lost: map[string]bool{"$ref": true, "$defs": true, "$schema": !outermost}}
	for i, key := range v.keys {
		if !d.lost[key] {
			d.keyword(key, &v.items[i])
		}
	}
	if ref := v.member("$ref"); ref != nil {
		path, _ := target(ref.text)
		d.refer(path)
	}
	if d.cut == blind {
		d.lose("unevaluatedItems", "unevaluatedProperties")
	}
	return d.to.without(d.lost), d.cut
}

// draft is a schema that is being written.
type draft struct {
	*inliner
	from *Value
	to   Value
	cut  cut
	lost map[string]bool // keywords that are left out
}

func (d *draft) keyword(key string, v *Value) {
	holds := holders[key]
	if holds == 0 {
		d.written += len(key) + v.weight()
		d.to.add(key, *v)
		return
	}
	written, lost := d.schemas(holds, v)
	if lost != uncut {
		key, lost = d.mend(key, lost)
	}
	d.cut = max(d.cut, lost)
	d.to.add(key, written)
}

// mend keeps a keyword whose schemas were cut from refusing what it did not refuse before. It returns the keyword to
// write, and what its own schema has lost.
func (d *draft) mend(key string, lost cut) (string, cut) {
	switch key {
	case "contains":
		d.lose("maxContains")
	case "not":
		d.lose("not")
	case "if":
		d.lose("if", "then", "else")
		return key, blind
	case "oneOf":
		if d.from.member("anyOf") == nil {
			return "anyOf", lost
		}
		d.lose("oneOf")
		return key, blind
	case "allOf", "anyOf", "dependentSchemas", "then", "else":
		return key, lost // of the same value
	}
	return key, looser
}

func (d *draft) lose(keys ...string) {
	for _, key := range keys {
		d.lost[key] = true
	}
}

// refer writes what a reference leads to beside what is written already.
func (d *draft) refer(path string) {
	t, lost := d.target(path)
	d.cut = max(d.cut, lost)
	all := d.to.member("allOf")
	switch {
	case t.kind == object && len(t.keys) == 0 || t.kind == boolean && t.text == "true":
	case len(d.to.keys) == 0:
		d.to = t
	case t.kind == object && !slices.ContainsFunc(d.to.keys, asserts):
		for i, key := range t.keys {
			d.to.add(key, t.items[i])
		}
	case all != nil:
		all.items = append(all.items, t)
	default:
		d.to.add("allOf", Value{kind: array, items: []Value{t}})
	}
}

// asserts reports whether a keyword does more than to annotate.
func asserts(key string) bool {
	return !slices.Contains([]string{"$schema", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}, key)
}

// held says what a keyword holds.
type held uint8

const (
	oneSchema   held = iota + 1
	manySchemas      // in a list or in an object
)

var holders = map[string]held{
	"properties": manySchemas, "patternProperties": manySchemas, "dependentSchemas": manySchemas,
	"prefixItems": manySchemas, "allOf": manySchemas, "anyOf": manySchemas, "oneOf": manySchemas,
	"items": oneSchema, "contains": oneSchema, "additionalProperties": oneSchema, "propertyNames": oneSchema,
	"not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema, "contentSchema": oneSchema,
	"unevaluatedItems": oneSchema, "unevaluatedProperties": oneSchema,
}

// schemas writes the schemas that a keyword holds, and returns the worst of what they have lost.
func (in *inliner) schemas(holds held, v *Value) (Value, cut) {
	if holds == oneSchema {
		return in.schema(v)
	}
	to := Value{kind: v.kind, keys: v.keys, index: v.index, items: make([]Value, len(v.items))}
	worst := uncut
	for i := range v.items {
		var lost cut
		to.items[i], lost = in.schema(&v.items[i])
		worst = max(worst, lost)
	}
	for _, key := range v.keys {
		in.written += len(key)
	}
	return to, worst
}
