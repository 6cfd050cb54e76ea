package compose

import (
	"errors"
	"fmt"
	"strings"

	"example.com/toolsmith/runtime/decimal"
)

// condition is a part of a step's condition.
type condition interface {
	// eval returns null for what is missing. The error says what cannot be compared.
	eval(s *scope) (*value, error)
}

type literal struct{ value *value }

// lookup is a reference, which in a condition may end in .length.
type lookup Reference

type not struct{ of condition }

type logic struct {
	left, right condition
	and         bool
}

type comparison struct {
	left, right condition
	operator    string
}

func (l literal) eval(*scope) (*value, error) { return l.value, nil }

func (l lookup) eval(s *scope) (*value, error) {
	v := s.root(Reference(l))
	for _, key := range l.Path {
		next := v.child(key)
		if next == nil && key == "length" {
			next = v.length()
		}
		if next == nil {
			return null, nil
		}
		v = next
	}
	return v, nil
}

func (n not) eval(s *scope) (*value, error) {
	v, err := n.of.eval(s)
	if err != nil {
		return nil, err
	}
	return boolean(!v.truthy()), nil
}

func (l logic) eval(s *scope) (*value, error) {
	v, err := l.left.eval(s)
	if err != nil || v.truthy() != l.and {
		return v, err
	}
	return l.right.eval(s)
}

func (c comparison) eval(s *scope) (*value, error) {
	left, err := c.left.eval(s)
	if err != nil {
		return nil, err
	}
	right, err := c.right.eval(s)
	if err != nil {
		return nil, err
	}
	switch c.operator {
	case "==", "!=":
		same, err := equal(left, right)
		return boolean(same == (c.operator == "==")), err
	}
	order, err := compare(left, right)
	if err != nil {
		return nil, err
	}
	return boolean(strings.HasPrefix(c.operator, "<") && order < 0 || strings.HasPrefix(c.operator, ">") && order > 0 ||
		strings.HasSuffix(c.operator, "=") && order == 0), nil
}

func boolean(b bool) *value {
	if b {
		return truth
	}
	return untruth
}

// truthy is false for false, null, zeros and the empty string.
func (v *value) truthy() bool {
	switch v.kind() {
	case 'f', 'n':
		return false
	case '"':
		return len(v.text) > 2
	case '0':
		return decimal.Parse(string(v.text)).Sign() != 0
	}
	return true
}

// length is that of a string, in UTF-16 code units as in JavaScript, or of a list; nil for other values.
func (v *value) length() *value {
	switch v.kind() {
	case '"':
		return &value{text: fmt.Append(nil, units(v.string()))}
	case '[':
		return &value{text: fmt.Append(nil, v.len())}
	}
	return nil
}

// equal compares without conversions: numbers by their value, strings by their text.
func equal(a, b *value) (bool, error) {
	switch {
	case a.kind() != b.kind():
		return false, nil
	case a.kind() == '{' || a.kind() == '[':
		return false, errors.New("objects and lists cannot be compared: compare their members")
	case a.kind() == '0' || a.kind() == '"':
		order, err := compare(a, b)
		return order == 0, err
	}
	return true, nil
}

// compare orders two numbers by value, or two strings by their characters.
func compare(a, b *value) (int, error) {
	switch {
	case a.kind() == '0' && b.kind() == '0':
		return decimal.Parse(string(a.text)).Compare(decimal.Parse(string(b.text))), nil
	case a.kind() == '"' && b.kind() == '"':
		return strings.Compare(a.string(), b.string()), nil
	}
	return 0, fmt.Errorf("%s and %s have no order: compare two numbers or two strings", kinds[a.kind()], kinds[b.kind()])
}

// kinds are what messages call the kinds of values.
var kinds = map[byte]string{
	'{': "an object", '[': "a list", '"': "a string", 't': "true", 'f': "false", 'n': "null", '0': "a number",
}
