package compose

import (
	"math"
	"strconv"
	"strings"
)

// expression is a part of an inputMapping.
type expression interface {
	// resolve adds the JSON of the value to what r builds. It is false when there is no value.
	resolve(r *resolver) bool
}

// constant is JSON without references.
type constant []byte

// whole is a string that is one reference.
type whole Reference

// template is a string with references in it: what stands before each of them, and after the last, escaped for JSON.
type template struct {
	literals   [][]byte
	references []Reference
}

// list holds the items of a list with references in it.
type list []expression

// object holds the members of an object with references in it; keys are JSON strings.
type object struct {
	keys   [][]byte
	values []expression
}

func (c constant) resolve(r *resolver) bool { return r.put(c) }

func (w whole) resolve(r *resolver) bool {
	if !Reference(w).known() {
		return r.unresolved(Reference(w))
	}
	v := r.scope.find(Reference(w))
	if v == nil {
		r.missing(Reference(w))
		return false
	}
	return r.put(v.text)
}

func (t template) resolve(r *resolver) bool {
	r.put([]byte{'"'})
	for i, reference := range t.references {
		r.put(t.literals[i])
		switch v := r.scope.find(reference); {
		case v == nil:
		case v.kind() == '"':
			r.put(v.text[1 : len(v.text)-1])
		default:
			r.escape(v.text)
		}
	}
	r.put(t.literals[len(t.references)])
	return r.put([]byte{'"'})
}

func (l list) resolve(r *resolver) bool {
	r.put([]byte{'['})
	for i, item := range l {
		if i > 0 {
			r.put([]byte{','})
		}
		if !item.resolve(r) {
			r.put(null.text)
		}
	}
	return r.put([]byte{']'})
}

func (o object) resolve(r *resolver) bool {
	r.put([]byte{'{'})
	start := len(r.text)
	for i, key := range o.keys {
		before := len(r.text)
		if before > start {
			r.put([]byte{','})
		}
		r.put(key)
		r.put([]byte{':'})
		if !o.values[i].resolve(r) {
			r.text = r.text[:before]
		}
	}
	return r.put([]byte{'}'})
}

// compiler turns JSON into expressions, and collects the references and problems of one step.
type compiler struct {
	earlier    []step
	references []Reference
	problems   *Problems
}

// maxMappingDepth bounds lists and objects within each other.
const maxMappingDepth = 32

// compile reads the value at a JSON pointer.
func (c *compiler) compile(v *value, at string, depth int) expression {
	switch kind := v.kind(); {
	case kind == '"':
		return c.text(v, at)
	case kind != '[' && kind != '{':
		return constant(v.text)
	case depth > maxMappingDepth:
		c.problems.add(at, "the inputMapping is nested too deep", "lists and objects nest at most "+strconv.Itoa(maxMappingDepth)+" deep")
		return constant(v.text)
	case kind == '[':
		return c.list(v, at, depth)
	}
	return c.object(v, at, depth)
}

func (c *compiler) list(v *value, at string, depth int) expression {
	var l list
	fixed := true
	for _, item := range v.all() {
		e := c.compile(&value{text: item}, at+"/"+strconv.Itoa(len(l)), depth+1)
		fixed = fixed && isConstant(e)
		l = append(l, e)
	}
	return folded(l, fixed)
}

func (c *compiler) object(v *value, at string, depth int) expression {
	var o object
	fixed := true
	seen := map[string]bool{}
	for key, item := range v.all() {
		name, _ := unquote(string(key[1 : len(key)-1]))
		path := below(at, name)
		if seen[name] {
			c.problems.add(path, "this key is given twice", "keep one of them")
		}
		seen[name] = true
		e := c.compile(&value{text: item}, path, depth+1)
		fixed = fixed && isConstant(e)
		o.keys, o.values = append(o.keys, key), append(o.values, e)
	}
	return folded(o, fixed)
}

func isConstant(e expression) bool { _, ok := e.(constant); return ok }

// folded is an expression, or the constant that it is when all of it is fixed.
func folded(e expression, fixed bool) expression {
	if !fixed {
		return e
	}
	r := resolver{most: math.MaxInt}
	e.resolve(&r)
	return constant(r.text)
}

// text reads a string.
func (c *compiler) text(v *value, at string) expression {
	text := v.string()
	if !strings.Contains(text, "$") {
		return constant(v.text)
	}
	var t template
	var literal []byte
	for rest := text; rest != ""; {
		before, _, found := strings.Cut(rest, "$")
		literal = appendEscaped(literal, before)
		rest = rest[len(before):]
		if !found {
			break
		}
		r := c.scan(rest, at)
		if !r.known() && r.Text != text {
			literal = append(literal, '$')
			rest = strings.TrimPrefix(rest[1:], "$") // $$ is one
			continue
		}
		c.references = append(c.references, r)
		if r.Text == text {
			return whole(r)
		}
		t.literals, t.references, literal = append(t.literals, literal), append(t.references, r), nil
		rest = rest[len(r.Text):]
	}
	if t.references == nil {
		return constant(`"` + string(literal) + `"`)
	}
	t.literals = append(t.literals, literal)
	return t
}

// scan reads the reference that text begins with, if it begins one.
func (c *compiler) scan(text, at string) Reference {
	r, err := scan(text, c.earlier)
	r.At = at
	if err != nil {
		c.problems.add(at, err.Error(), "")
	}
	return r
}
