package schema

import (
	"fmt"
	"slices"
	"strconv"
)

// Bounds of one evaluation. A step is a schema or a keyword applied to one value, about 100 ns at the most. A larger
// value may take more of them, so that honest schemas never run out.
const (
	maxSteps     = 200_000
	stepsPerByte = 2
	maxNesting   = 5000 // schemas applied within each other
	maxMismatch  = 5
)

// checker is one evaluation.
type checker struct {
	steps    int // left
	nesting  int
	path     []step  // to the value that is looked at
	shallow  [4]step // room for most paths
	failures []failure
	most     int // failures that are wanted; with so many, checking stops
	scratch  []byte
}

// step is one way down into a value: a key, or an index when there is none.
type step struct {
	key   string
	index int
}

// failure is a rule that a value breaks. What it says is put into words only when somebody wants to read it.
type failure struct {
	path   []step
	at     string // the keyword
	say    func() string
	within []failure // what else went wrong on the way, for keywords with alternatives
}

// check reports whether v is valid. After false, the caller looks at stopped before it goes on.
func (c *checker) check(n *node, v *Value, seen marks) bool {
	if !c.spend(1) || c.nesting >= maxNesting {
		c.steps = -1
		return false
	}
	c.nesting++
	defer func() { c.nesting-- }()
	switch {
	case n.never:
		return c.fail(n.at, func() string { return "nothing is allowed here" })
	case !n.types.admits(v):
		return c.fail(n.at+"/type", func() string { return mistyped(n.types, v) })
	case n.leftovers[v.kind] == nil:
		return c.rules(n, v, seen)
	}
	own := c.marks(v)
	ok := c.rules(n, v, own) && n.leftovers[v.kind].check(c, v, own)
	if ok {
		seen.merge(own)
	}
	return ok
}

func (c *checker) rules(n *node, v *Value, seen marks) bool {
	ok := true
	for _, r := range n.rules[v.kind] {
		if !r.check(c, v, seen) {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	return ok
}

func mistyped(want typeSet, v *Value) string {
	got := fmt.Sprintf("Expected type %s but got %q", want, kindNames[v.kind])
	if v.kind == null || v.kind == array || v.kind == object {
		return got
	}
	return got + ": " + v.show()
}

// spend takes steps from the budget, and reports false when there are none left.
func (c *checker) spend(steps int) bool {
	c.steps -= steps
	return c.steps >= 0
}

// exhausted reports that the budget is spent: whatever was found counts for nothing.
func (c *checker) exhausted() bool { return c.steps < 0 }

// stopped reports whether there is no use in looking further, after something was wrong.
func (c *checker) stopped() bool { return len(c.failures) >= c.most || c.exhausted() }

// fail notes what is wrong with the value at the current place. It returns false.
func (c *checker) fail(at string, say func() string, within ...failure) bool {
	if len(c.failures) < c.most {
		c.spend(len(c.path) / 8)
		c.failures = append(c.failures, failure{slices.Clone(c.path), at, say, within})
	}
	return false
}

// below checks a part of the current value.
func (c *checker) below(s step, n *node, v *Value) bool {
	c.path = append(c.path, s)
	ok := c.check(n, v, nil)
	c.path = c.path[:len(c.path)-1]
	return ok
}

// attempt runs a check whose failure may be no failure of the whole. It returns what was wrong first, nothing if not
// even the caller's failure would be noted.
func (c *checker) attempt(check func() bool) (bool, []failure) {
	failures, most := c.failures, c.most
	c.failures, c.most = nil, min(most, 1)
	ok := check()
	found := c.failures
	c.failures, c.most = failures, most
	return ok, found
}

// holds reports whether a schema applies, for keywords that only ask.
func (c *checker) holds(n *node, v *Value, seen marks) bool {
	failures, most := c.failures, c.most
	c.failures, c.most = nil, 0
	ok := c.check(n, v, seen)
	c.failures, c.most = failures, most
	return ok
}

// marks makes room for the items or members of v.
func (c *checker) marks(v *Value) marks {
	c.spend(len(v.items) / 16)
	return make(marks, len(v.items))
}

// fork makes marks of their own for a branch, nil when nobody asks.
func (c *checker) fork(seen marks, v *Value) marks {
	if seen == nil {
		return nil
	}
	return c.marks(v)
}

// key is a text that equal values share, valid until the next call.
func (c *checker) key(v *Value) []byte {
	c.scratch = v.appendKey(c.scratch[:0])
	c.spend(len(c.scratch) / 32)
	return c.scratch
}

func (f failure) pointer() string {
	path := ""
	for _, s := range f.path {
		if s.key == "" && s.index >= 0 {
			path += "/" + strconv.Itoa(s.index)
		} else {
			path = pointer(path, s.key)
		}
	}
	return clip(path, maxPathBytes)
}
