package schema

import "fmt"

// list is prefixItems and items.
type list struct {
	first []*node
	rest  *node // nil when there is none
}

func (r list) check(c *checker, v *Value, seen marks) bool {
	ok := true
	for i := range v.items {
		n := r.rest
		if i < len(r.first) {
			n = r.first[i]
		}
		if n == nil {
			break
		}
		seen.set(i)
		if !c.below(step{index: i}, n, &v.items[i]) {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	return ok
}

// contains is contains, minContains and maxContains.
type contains struct {
	at          string
	item        *node
	least, most int // most is -1 when there is none
}

func (r contains) check(c *checker, v *Value, seen marks) bool {
	found := 0
	for i := range v.items {
		if c.exhausted() || r.decided(found, seen) {
			break
		}
		if c.holds(r.item, &v.items[i], nil) {
			seen.set(i)
			found++
		}
	}
	switch {
	case found < r.least:
		return c.fail(r.at, func() string {
			return fmt.Sprintf("must have at least %s that the schema of contains admits, got %d", plural(r.least, "item"), found)
		})
	case r.most >= 0 && found > r.most:
		return c.fail(r.at, func() string {
			return fmt.Sprintf("must have at most %s that the schema of contains admits", plural(r.most, "item"))
		})
	}
	return true
}

// decided reports whether no further item can change the outcome.
func (r contains) decided(found int, seen marks) bool {
	if r.most >= 0 {
		return found > r.most
	}
	return found >= r.least && seen == nil
}

// unique is uniqueItems.
type unique struct{ at string }

func (r unique) check(c *checker, v *Value, _ marks) bool {
	if len(v.items) < 2 {
		return true
	}
	places := make(map[string]int, len(v.items))
	for i := range v.items {
		key := c.key(&v.items[i])
		if first, twice := places[string(key)]; twice {
			return c.fail(r.at, func() string { return fmt.Sprintf("items must differ, but those at %d and %d are equal", first, i) })
		}
		if places[string(key)] = i; !c.spend(1) {
			return false
		}
	}
	return true
}

// otherItems is unevaluatedItems.
type otherItems struct{ item *node }

func (r otherItems) check(c *checker, v *Value, seen marks) bool {
	ok := true
	for i, done := range seen {
		if !done && !c.below(step{index: i}, r.item, &v.items[i]) {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	seen.all()
	return ok
}
