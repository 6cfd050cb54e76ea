package match

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/decimal"
)

// Rules say what is the same. The zero value takes nothing but equal values.
type Rules struct {
	Partial bool // objects may have members that those wanted lack, at every depth
	Close   bool // numbers may be apart by 1e-9 of the larger, unless both are integers
}

// JSON reports whether got is the value that is wanted. If not, path is the JSON pointer (RFC 6901) to the first difference,
// cut to a readable length: the first by the position in lists and the order of names in objects. A text that is not valid
// JSON, or nests too deep, is no value, not even its own.
func JSON(want, got json.RawMessage, rules Rules) (path string, same bool) {
	if !json.Valid(want) || !json.Valid(got) {
		return "", false
	}
	c := comparison{rules: rules}
	if c.same(read(want), read(got)) {
		return "", true
	}
	return c.pointer(), false
}

// comparison is on its way through two values.
type comparison struct {
	rules Rules
	path  []string // to where it is; it stays at the first difference
}

func (c *comparison) same(want, got any) bool {
	switch want := want.(type) {
	case number:
		got, ok := got.(number)
		return ok && c.numbers(string(want), string(got))
	case []any:
		got, ok := got.([]any)
		return ok && c.lists(want, got)
	case map[string]any:
		got, ok := got.(map[string]any)
		return ok && c.objects(want, got)
	}
	return want == got
}

func (c *comparison) lists(want, got []any) bool {
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) {
			return c.differ(strconv.Itoa(i))
		}
		if !c.step(strconv.Itoa(i), want[i], got[i]) {
			return false
		}
	}
	return true
}

func (c *comparison) objects(want, got map[string]any) bool {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		item, ok := got[name]
		if !ok {
			return c.differ(name)
		}
		if !c.step(name, want[name], item) {
			return false
		}
	}
	if c.rules.Partial || len(got) == len(want) {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			return c.differ(name)
		}
	}
	return true
}

// step compares what stands at a name or an index.
func (c *comparison) step(token string, want, got any) bool {
	c.path = append(c.path, token)
	if !c.same(want, got) {
		return false
	}
	c.path = c.path[:len(c.path)-1]
	return true
}

// differ stops at a name or an index that one of both lacks.
func (c *comparison) differ(token string) bool {
	c.path = append(c.path, token)
	return false
}

const tolerance = 1e-9 // of the larger number

func (c *comparison) numbers(want, got string) bool {
	if want == got {
		return true
	}
	a, b := decimal.Parse(want), decimal.Parse(got)
	if a == b || !c.rules.Close {
		return a == b
	}
	x, errX := strconv.ParseFloat(want, 64)
	y, errY := strconv.ParseFloat(got, 64)
	switch {
	case errX != nil || errY != nil: // beyond any float64
		return false
	case x == 0 || y == 0: // nothing is near to 0
		return false
	case a.IsInteger() && b.IsInteger():
		return false
	}
	return math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
}

// maxPathBytes is how long a pointer may be; a longer one is cut.
const maxPathBytes = 2048

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (c *comparison) pointer() string {
	var path strings.Builder
	for _, token := range c.path {
		token = "/" + escape.Replace(token)
		if path.Len()+len(token) > maxPathBytes {
			path.WriteString("/…")
			break
		}
		path.WriteString(token)
	}
	return strings.ToValidUTF8(path.String(), "\uFFFD") // a lone surrogate is no UTF-8
}
