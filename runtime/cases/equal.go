package cases

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Equal reports whether two JSON texts hold the same value: member order and spacing do not count, numbers are compared
// exactly by their decimal value with -0 and 0 alike, strings by their UTF-16 code units, so that a lone surrogate equals
// only itself. A text that is not valid JSON, or nests deeper than 10,000, equals nothing.
func Equal(a, b json.RawMessage) bool {
	return json.Valid(a) && json.Valid(b) && reflect.DeepEqual(newReader(a).value(), newReader(b).value())
}

// number is a JSON number, spelled in one way per value.
type number string

// value reads the next value as nil, bool, number, string (WTF-8), []any or map[string]any. The text is valid and its depth
// bounded.
func (r *reader) value() any {
	token, literal := r.token()
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return r.list()
		}
		return r.object()
	case json.Number:
		return decimal(string(token))
	case string:
		return unquote(literal)
	default:
		return token
	}
}

func (r *reader) list() []any {
	list := []any{}
	for r.More() {
		list = append(list, r.value())
	}
	r.token()
	return list
}

func (r *reader) object() map[string]any {
	object := map[string]any{}
	for r.More() {
		_, name := r.token()
		object[unquote(name)] = r.value()
	}
	r.token()
	return object
}

// decimal spells a JSON number as its digits without outer zeros and a power of ten.
func decimal(literal string) number {
	unsigned, negative := strings.CutPrefix(literal, "-")
	mantissa, power := unsigned, "0"
	if i := strings.IndexAny(unsigned, "eE"); i >= 0 {
		mantissa, power = unsigned[:i], unsigned[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	exponent, err := strconv.ParseInt(power, 10, 32)
	if err != nil {
		return number(literal) // beyond any number that a tool can return
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed) - len(fraction))
	if negative {
		trimmed = "-" + trimmed
	}
	return number(trimmed + "e" + strconv.FormatInt(exponent, 10))
}
