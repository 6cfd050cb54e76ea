package schema

import "fmt"

// every is allOf, and $ref with its one schema.
type every struct{ nodes []*node }

func (r every) check(c *checker, v *Value, seen marks) bool {
	ok := true
	for _, n := range r.nodes {
		if !c.check(n, v, seen) {
			if ok = false; c.stopped() {
				break
			}
		}
	}
	return ok
}

// some is anyOf.
type some struct {
	at    string
	nodes []*node
}

// listed is how many alternatives a message explains.
const listed = 4

func (r some) check(c *checker, v *Value, seen marks) bool {
	var within []failure
	ok := false
	for _, n := range r.nodes {
		if c.exhausted() || ok && seen == nil {
			break
		}
		own := c.fork(seen, v)
		good, found := c.attempt(func() bool { return c.check(n, v, own) })
		if good {
			ok = true
			seen.merge(own)
		} else if len(within) < listed {
			within = append(within, found...)
		}
	}
	return ok || c.fail(r.at, func() string {
		return fmt.Sprintf("%s matches none of the %d alternatives", v.show(), len(r.nodes))
	}, within...)
}

// one is oneOf.
type one struct {
	at    string
	nodes []*node
}

func (r one) check(c *checker, v *Value, seen marks) bool {
	var within []failure
	first := -1
	for i, n := range r.nodes {
		own := c.fork(seen, v)
		good, found := c.attempt(func() bool { return c.check(n, v, own) })
		switch {
		case c.exhausted():
			return false
		case good && first >= 0:
			return c.fail(r.at, func() string {
				return fmt.Sprintf("%s matches alternatives %d and %d, but must match exactly one", v.show(), first, i)
			})
		case good:
			first = i
			seen.merge(own)
		case len(within) < listed:
			within = append(within, found...)
		}
	}
	return first >= 0 || c.fail(r.at, func() string {
		return fmt.Sprintf("%s matches none of the %d alternatives", v.show(), len(r.nodes))
	}, within...)
}

// never is not.
type never struct {
	at string
	*node
}

func (r never) check(c *checker, v *Value, _ marks) bool {
	return !c.holds(r.node, v, nil) || c.fail(r.at, func() string {
		return fmt.Sprintf("%s matches the schema of not", v.show())
	})
}

// condition is if, then and else.
type condition struct{ when, then, otherwise *node } // then and otherwise may be nil

func (r condition) check(c *checker, v *Value, seen marks) bool {
	own := c.fork(seen, v)
	next := r.otherwise
	if c.holds(r.when, v, own) {
		seen.merge(own)
		next = r.then
	}
	return next == nil || c.check(next, v, seen)
}
