package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/decimal"
)

// choice is enum and const: the value is one of a list.
type choice struct {
	at       string
	keys     map[string]bool
	compound bool   // there are arrays or objects in the list
	shown    string // the list, for people
}

func newChoice(at string, values []Value) choice {
	c := choice{at: at, keys: make(map[string]bool, len(values))}
	var shown strings.Builder
	for i := range values {
		c.keys[string(values[i].appendKey(nil))] = true
		c.compound = c.compound || values[i].kind >= array
		if i > 0 {
			shown.WriteString(", ")
		}
		if shown.Len() > 4*shownBytes {
			fmt.Fprintf(&shown, "or one of %d more", len(values)-i)
			break
		}
		shown.WriteString(clip(string(values[i].appendJSON(nil)), shownBytes))
	}
	c.shown = shown.String()
	return c
}

func (r choice) check(c *checker, v *Value, _ marks) bool {
	c.spend(1)
	if (v.kind < array || r.compound) && r.keys[string(c.key(v))] {
		return true
	}
	return c.fail(r.at, func() string {
		switch {
		case len(r.keys) == 0:
			return "no value is allowed here: the list of enum is empty"
		case len(r.keys) == 1:
			return fmt.Sprintf("must be %s, got %s", r.shown, v.show())
		}
		return fmt.Sprintf("must be one of %s, got %s", r.shown, v.show())
	})
}

// bound is minimum, maximum and their exclusive kin.
type bound struct {
	at      string
	limit   decimal.Decimal
	literal string
	words   string
	admits  func(order int) bool // of the value to the limit
}

func (r bound) check(c *checker, v *Value, _ marks) bool {
	c.spend(1)
	return r.admits(v.decimal().Compare(r.limit)) || c.fail(r.at, func() string {
		return fmt.Sprintf("must be %s %s, got %s", r.words, r.literal, v.show())
	})
}

// multiple is multipleOf.
type multiple struct {
	at      string
	of      decimal.Decimal
	literal string
}

func (r multiple) check(c *checker, v *Value, _ marks) bool {
	c.spend(5)
	return v.decimal().MultipleOf(r.of) || c.fail(r.at, func() string {
		return fmt.Sprintf("must be a multiple of %s, got %s", r.literal, v.show())
	})
}

// size is minLength, maxItems and the like: bounds on how many there are of something.
type size struct {
	at    string
	limit int
	most  bool
	unit  string
	of    func(*Value) int
}

func characters(v *Value) int { return utf8.RuneCountInString(v.text) }
func members(v *Value) int    { return len(v.items) }

func (r size) check(c *checker, v *Value, _ marks) bool {
	c.spend(1 + len(v.text)/256)
	n := r.of(v)
	if r.most && n <= r.limit || !r.most && n >= r.limit {
		return true
	}
	return c.fail(r.at, func() string {
		words := "at least"
		if r.most {
			words = "at most"
		}
		return fmt.Sprintf("must have %s %s, got %d", words, plural(r.limit, r.unit), n)
	})
}

// shape is pattern.
type shape struct {
	at string
	*pattern
}

func (r shape) check(c *checker, v *Value, _ marks) bool {
	return c.match(r.pattern, v.text) || c.fail(r.at, func() string {
		return fmt.Sprintf("must match the pattern %s, got %s", clip(r.source, 2*shownBytes), v.show())
	})
}

// match reports whether a text has a match of a pattern. It pays for the worst case, and for the start of the engine.
func (c *checker) match(p *pattern, s string) bool {
	return c.spend(4+len(s)*p.program/64) && p.regexp.MatchString(s)
}
