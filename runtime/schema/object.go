package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// properties is properties, patternProperties and additionalProperties.
type properties struct {
	at       string // of the schema
	named    map[string]*node
	patterns []patterned
	others   *node // nil when there is none
}

type patterned struct {
	*pattern
	value *node
}

func (r properties) check(c *checker, v *Value, seen marks) bool {
	ok := true
	for i, key := range v.keys {
		c.spend(1)
		good, known := r.member(c, key, &v.items[i])
		if known {
			seen.set(i)
		}
		if !good {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	return ok
}

// member checks one member, and reports whether any schema was there for it.
func (r properties) member(c *checker, key string, v *Value) (ok, known bool) {
	ok = true
	at := step{key, -1}
	if n, named := r.named[key]; named {
		ok, known = c.below(at, n, v), true
	}
	for _, p := range r.patterns {
		if !ok && c.stopped() {
			return false, known
		}
		if c.match(p.pattern, key) {
			ok, known = c.below(at, p.value, v) && ok, true
		}
	}
	switch {
	case known || r.others == nil:
		return ok, known
	case r.others.never:
		return c.failAt(at, r.at+"/additionalProperties", func() string { return r.unknown(key) }), true
	}
	return c.below(at, r.others, v), true
}

func (r properties) unknown(key string) string {
	names := slices.Sorted(maps.Keys(r.named))
	if len(names) == 0 {
		return fmt.Sprintf("the property %s is not allowed", quote(key))
	}
	return fmt.Sprintf("the property %s is not allowed; those that are: %s", quote(key), clip(strings.Join(names, ", "), 4*shownBytes))
}

// failAt is fail for a part of the current value.
func (c *checker) failAt(s step, at string, say func() string) bool {
	c.path = append(c.path, s)
	c.fail(at, say)
	c.path = c.path[:len(c.path)-1]
	return false
}

// required is required, and dependentRequired for one property.
type required struct {
	at    string
	names []string
	given string // the property that requires them; "" when nothing does
	needs bool   // there is one
}

func (r required) check(c *checker, v *Value, _ marks) bool {
	c.spend(1 + len(r.names)/4)
	if r.needs && v.member(r.given) == nil {
		return true
	}
	ok := true
	for _, name := range r.names {
		if v.member(name) == nil {
			c.failAt(step{name, -1}, r.at, func() string { return r.missing(name) })
			if ok = false; c.stopped() {
				break
			}
		}
	}
	return ok
}

func (r required) missing(name string) string {
	text := fmt.Sprintf("Missing required property %s.", quote(name))
	if r.needs {
		text += fmt.Sprintf(" It is required because there is %s.", quote(r.given))
	}
	return text
}

// propertyNames is what its name says.
type propertyNames struct {
	at   string
	name *node
}

func (r propertyNames) check(c *checker, v *Value, _ marks) bool {
	ok := true
	for _, key := range v.keys {
		good, within := c.attempt(func() bool { return c.check(r.name, &Value{kind: text, text: key}, nil) })
		if good {
			continue
		}
		c.fail(r.at, func() string { return fmt.Sprintf("%s is no name for a property here", quote(key)) }, within...)
		if ok = false; c.stopped() {
			break
		}
	}
	return ok
}

// dependent is dependentSchemas for one property.
type dependent struct {
	given string
	then  *node
}

func (r dependent) check(c *checker, v *Value, seen marks) bool {
	c.spend(1)
	return v.member(r.given) == nil || c.check(r.then, v, seen)
}

// otherMembers is unevaluatedProperties.
type otherMembers struct {
	at    string
	value *node
}

func (r otherMembers) check(c *checker, v *Value, seen marks) bool {
	ok := true
	for i, done := range seen {
		if !done && !r.member(c, v.keys[i], &v.items[i]) {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	seen.all()
	return ok
}

func (r otherMembers) member(c *checker, key string, v *Value) bool {
	if !r.value.never {
		return c.below(step{key, -1}, r.value, v)
	}
	return c.failAt(step{key, -1}, r.at, func() string {
		return fmt.Sprintf("the property %s is not allowed: no schema here knows it", quote(key))
	})
}
