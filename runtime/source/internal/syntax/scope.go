package syntax

// BindingKind says how a name was declared.
type BindingKind uint8

// The ways to declare a name.
const (
	Var     BindingKind = iota // var
	Lexical                    // let, const, using
	Func                       // a function declaration, or a function expression's own name
	ClassOf                    // a class
	Param                      // a parameter, also that of catch
	Module                     // an import
)

// Binding is one declared name.
type Binding struct {
	Name string
	Kind BindingKind
	Pos  int
	// Global tells that the declaration is the script's own, outside of all functions and blocks.
	Global bool
	// Init is what the name was given, when exactly one place in the source gives it a value.
	Init *Node

	writes int
	scope  *Scope
	outer  *Binding // what the name meant around this scope, while resolving
	merged *Binding // the first declaration of the same name in the same scope
}

// Reassigned reports whether more than one place gives the name a value.
func (b *Binding) Reassigned() bool { return b.writes > 1 }

// write notes that the name gets a value; nil stands for one that is not known.
func (b *Binding) write(value *Node) {
	b.writes++
	b.Init = nil
	if b.writes == 1 {
		b.Init = value
	}
}

// Scope holds the names that one node declares.
type Scope struct {
	names []*Binding
}

func (s *Scope) add(b *Binding) {
	b.scope = s
	s.names = append(s.names, b)
}

// resolver gives every Identifier its Binding. current holds what each name means at the place it has reached, so that
// a look-up costs the same at any depth.
type resolver struct {
	current map[string]*Binding
}

func (r *resolver) enter(s *Scope) {
	if s == nil {
		return
	}
	for _, b := range s.names {
		if same := r.current[b.Name]; same != nil && same.scope == s {
			b.merged = same
			same.merge(b)
			continue
		}
		b.outer = r.current[b.Name]
		r.current[b.Name] = b
	}
}

func (r *resolver) leave(s *Scope) {
	if s == nil {
		return
	}
	for _, b := range s.names {
		if b.merged == nil {
			r.current[b.Name] = b.outer
		}
	}
}

// merge takes in a further declaration of the same name.
func (b *Binding) merge(again *Binding) {
	if again.writes > 0 {
		b.write(again.Init)
	}
}

func (r *resolver) node(n *Node) {
	r.enter(n.scope)
	switch n.Kind {
	case Identifier:
		n.Binding = r.current[n.Text]
	case Assign:
		r.assign(n)
	case Update:
		r.bind(n.Kids[0], nil)
	case Declarator:
		r.declarator(n)
	case ForIn:
		r.forIn(n)
	case Function:
		r.function(n)
	case Catch:
		for _, kid := range n.Kids[:len(n.Kids)-1] {
			r.bind(kid, nil)
		}
		r.node(n.Last())
	default:
		r.all(n.Kids)
	}
	r.leave(n.scope)
}

func (r *resolver) all(nodes []*Node) {
	for _, n := range nodes {
		r.node(n)
	}
}

func (r *resolver) assign(n *Node) {
	r.node(n.Kids[1])
	value := n.Kids[1]
	if n.Text != "=" {
		value = nil
	}
	r.bind(n.Kids[0], value)
}

func (r *resolver) declarator(n *Node) {
	if len(n.Kids) == 1 { // no value: not a write
		r.node(n.Kids[0])
		return
	}
	r.node(n.Kids[1])
	r.bind(n.Kids[0], n.Kids[1])
}

func (r *resolver) forIn(n *Node) {
	head := n.Kids[0]
	if head.Kind == Declaration {
		for _, d := range head.Kids {
			r.bind(d.Kids[0], nil)
			r.all(d.Kids[1:])
		}
	} else {
		r.bind(head, nil)
	}
	r.all(n.Kids[1:])
}

func (r *resolver) function(n *Node) {
	for _, param := range n.Kids[:len(n.Kids)-1] {
		r.bind(param, nil)
	}
	r.node(n.Last())
}

// bind resolves the target of an assignment or declaration and notes where the value comes from; nil is unknown.
func (r *resolver) bind(target, value *Node) {
	switch target.Kind {
	case Identifier:
		r.node(target)
		if b := target.Binding; b != nil {
			b.write(value)
		}
	case Assign: // a default
		r.node(target.Kids[1])
		if value == nil {
			value = target.Kids[1]
		}
		r.bind(target.Kids[0], value)
	case Array:
		for i, kid := range target.Kids {
			r.bind(kid, element(value, i, kid.Pos))
		}
	case Object:
		for _, kid := range target.Kids {
			r.bindProperty(kid, value)
		}
	case Spread:
		r.bind(target.Kids[0], nil)
	default:
		r.node(target)
	}
}

func (r *resolver) bindProperty(property, value *Node) {
	if property.Kind != Property || len(property.Kids) < 2 {
		r.bind(property, nil)
		return
	}
	key := property.Kids[0]
	r.node(key)
	if value != nil {
		property.Source = &Node{Kind: Member, Pos: key.Pos, Flags: property.Flags & Computed, Kids: []*Node{value, key}}
	}
	r.bind(property.Kids[1], property.Source)
}

// element is the i-th element of an array whose expression is value.
func element(value *Node, i, pos int) *Node {
	if value == nil {
		return nil
	}
	index := &Node{Kind: Number, Pos: pos, Text: decimal(i)}
	return &Node{Kind: Member, Pos: pos, Flags: Computed, Kids: []*Node{value, index}}
}
