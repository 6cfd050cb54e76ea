package schema

import (
	"slices"
	"strings"
)

// read adds to the node what a keyword asks. Those that only annotate are left to the check of the dialect, format among
// them; those that depend on another are read with it.
func (k keyword) read() {
	for _, family := range []func(keyword) bool{keyword.core, keyword.scalar, keyword.array, keyword.object, keyword.combine} {
		if family(k) {
			return
		}
	}
}

func (k keyword) core() bool {
	switch k.name {
	case "$schema":
		if k.at != "/$schema" {
			k.wrong("say it once, in the outermost schema")
		} else if k.is(text) && strings.TrimSuffix(k.v.text, "#") != Dialect {
			k.wrong("write %q or leave $schema out, and keep to that dialect", Dialect)
		}
	case "$ref":
		if k.is(text) {
			k.refer()
		}
	case "$defs":
		k.named()
	case "contentSchema":
		k.one()
	default:
		return false
	}
	return true
}

func (k keyword) scalar() bool {
	switch k.name {
	case "type":
		k.n.types = k.types()
	case "enum":
		if k.is(array) {
			k.n.ask(newChoice(k.at, k.v.items), everyKind...)
		}
	case "const":
		k.n.ask(newChoice(k.at, []Value{*k.v}), everyKind...)
	case "minimum":
		k.bound("at least", func(order int) bool { return order >= 0 })
	case "maximum":
		k.bound("at most", func(order int) bool { return order <= 0 })
	case "exclusiveMinimum":
		k.bound("more than", func(order int) bool { return order > 0 })
	case "exclusiveMaximum":
		k.bound("less than", func(order int) bool { return order < 0 })
	case "multipleOf":
		k.multiple()
	case "minLength", "maxLength":
		k.n.ask(size{k.at, k.count(), k.name == "maxLength", "character", characters}, text)
	case "pattern":
		if k.is(text) {
			if p := k.pattern(k.v.text, k.at); p != nil {
				k.n.ask(shape{k.at, p}, text)
			}
		}
	default:
		return false
	}
	return true
}

var everyKind = []kind{null, boolean, number, text, array, object}

func (k keyword) types() typeSet {
	list := []Value{*k.v}
	if k.v.kind == array {
		list = k.v.items
	}
	var set typeSet
	for i := range list {
		one := typeNamed(list[i].text)
		if list[i].kind != text || one == 0 || set&one != 0 {
			k.wrong("it is one of %s, or a list of some of them, each once", strings.Join(typeNames, ", "))
			return allTypes
		}
		set |= one
	}
	if set == 0 {
		k.wrong("list one type at least, or leave type out")
	}
	return set
}

func (k keyword) bound(words string, admits func(int) bool) {
	if k.is(number) {
		k.n.ask(bound{k.at, k.v.decimal(), k.v.text, words, admits}, number)
	}
}

func (k keyword) multiple() {
	if !k.is(number) {
		return
	}
	of := k.v.decimal()
	if of.Sign() <= 0 {
		k.wrong("a number above 0 belongs here")
		return
	}
	k.n.ask(multiple{k.at, of, k.v.text}, number)
}

func (k keyword) array() bool {
	switch k.name {
	case "prefixItems":
		if k.get("items").v == nil {
			k.n.ask(list{first: k.many()}, array)
		}
	case "items":
		k.items()
	case "contains":
		k.contains()
	case "minContains", "maxContains":
		k.count()
	case "minItems", "maxItems":
		k.n.ask(size{k.at, k.count(), k.name == "maxItems", "item", members}, array)
	case "uniqueItems":
		if k.flag() {
			k.n.ask(unique{k.at}, array)
		}
	case "unevaluatedItems":
		k.n.leftovers[array] = otherItems{k.one()}
	default:
		return false
	}
	return true
}

func (k keyword) items() {
	if k.v.kind == array {
		k.wrong("one schema for all items belongs here: write prefixItems for a list of schemas, one for each item")
		return
	}
	var first []*node
	if prefix := k.get("prefixItems"); prefix.v != nil {
		first = prefix.many()
	}
	k.n.ask(list{first, k.one()}, array)
}

func (k keyword) contains() {
	r := contains{at: k.at, item: k.one(), least: 1, most: -1}
	if least := k.get("minContains"); least.v != nil {
		r.least = least.count()
	}
	if most := k.get("maxContains"); most.v != nil {
		r.most = most.count()
	}
	k.n.ask(r, array)
}

func (k keyword) object() bool {
	switch k.name {
	case "properties", "patternProperties", "additionalProperties":
		if k.first("properties", "patternProperties", "additionalProperties") {
			k.properties()
		}
	case "propertyNames":
		k.n.ask(propertyNames{k.at, k.one()}, object)
	case "required":
		k.n.ask(required{at: k.at, names: k.strings()}, object)
	case "dependentRequired":
		if k.is(object) {
			for i, given := range k.v.keys {
				each := keyword{k.builder, k.name, pointer(k.at, given), &k.v.items[i]}
				k.n.ask(required{at: each.at, names: each.strings(), given: given, needs: true}, object)
			}
		}
	case "dependentSchemas":
		for i, then := range k.named() {
			k.n.ask(dependent{k.v.keys[i], then}, object)
			k.n.inPlace = append(k.n.inPlace, then)
		}
	case "minProperties", "maxProperties":
		k.n.ask(size{k.at, k.count(), k.name == "maxProperties", "property", members}, object)
	case "unevaluatedProperties":
		k.n.leftovers[object] = otherMembers{k.at, k.one()}
	default:
		return false
	}
	return true
}

// first reports whether k is the first of some keywords that the schema has, so that they are read once.
func (k keyword) first(names ...string) bool {
	keys := k.builder.v.keys
	return k.name == keys[slices.IndexFunc(keys, func(key string) bool { return slices.Contains(names, key) })]
}

func (k keyword) properties() {
	r := properties{at: k.n.at, named: map[string]*node{}}
	if named := k.get("properties"); named.v != nil {
		for i, n := range named.named() {
			r.named[named.v.keys[i]] = n
		}
	}
	if patterns := k.get("patternProperties"); patterns.v != nil {
		for i, n := range patterns.named() {
			if p := k.pattern(patterns.v.keys[i], pointer(patterns.at, patterns.v.keys[i])); p != nil {
				r.patterns = append(r.patterns, patterned{p, n})
			}
		}
	}
	if others := k.get("additionalProperties"); others.v != nil {
		r.others = others.one()
	}
	k.n.ask(r, object)
}

func (k keyword) combine() bool {
	switch k.name {
	case "allOf":
		nodes := k.many()
		k.n.apply(every{nodes}, nodes...)
	case "anyOf":
		nodes := k.many()
		k.n.apply(some{k.at, nodes}, nodes...)
	case "oneOf":
		nodes := k.many()
		k.n.apply(one{k.at, nodes}, nodes...)
	case "not":
		n := k.one()
		k.n.apply(never{k.at, n}, n)
	case "if":
		k.condition()
	case "then", "else":
		if k.get("if").v == nil {
			k.one()
		}
	default:
		return false
	}
	return true
}

func (k keyword) condition() {
	r := condition{when: k.one()}
	parts := []*node{r.when}
	if then := k.get("then"); then.v != nil {
		r.then = then.one()
		parts = append(parts, r.then)
	}
	if otherwise := k.get("else"); otherwise.v != nil {
		r.otherwise = otherwise.one()
		parts = append(parts, r.otherwise)
	}
	k.n.apply(r, parts...)
}
