package syntax

// Kind says what a node is.
type Kind uint8

// The kinds, with the layout of Text and Kids where it is not plain. Kids are never nil and stand in source order.
const (
	Script      Kind = iota // statements
	Identifier              // a reference, or the name in a declaration: Text
	Name                    // a property name written out, as in a.b and {b: 1}: Text
	PrivateName             // Text begins with #
	String                  // Text is the value, escapes decoded
	Number                  // Text as written, also a BigInt
	Regexp                  // Text as written
	Keyword                 // this, super, null, true, false: Text
	Template                // a String, then an expression and a String for each ${}
	Tagged                  // the tag, a Template
	Array                   // elements; also a pattern
	Object                  // Property and Spread; also a pattern
	Property                // the key, the value; in classes also fields (a field may lack the value)
	Spread                  // ...x, also a rest element
	Hole                    // a missing array element
	Function                // the parameters, the body last; Text is its own name, if any
	Class                   // the heritage, if any, then Property and StaticBlock
	StaticBlock             // statements
	Member                  // the object, the key: a Name, a PrivateName or, when computed, an expression
	Call                    // the callee, the arguments
	New                     // the callee, the arguments
	Unary                   // Text is the operator: typeof, !, -, delete, void ...
	Update                  // ++ and --, both positions
	Binary                  // Text is the operator; a chain of operators that bind alike is one node
	Conditional             // test and result by turns, the last alternative at the end
	Assign                  // Text is the operator: the target, the value; in patterns: a default
	Sequence                // the comma operator
	Yield                   // at most one operand
	Await                   // one operand
	Import                  // import(x) and import.meta, and the import statement
	NewTarget               // new.target
	Block                   // statements
	Declaration             // Text is var, let, const or using: Declarators
	Declarator              // the pattern, the value if any
	If                      // test and branch by turns, the else branch at the end
	For                     // what stands in the head, the body last
	ForIn                   // for-in and for-of: the target or Declaration, the object, the body
	While                   // the test, the body; also do-while
	Switch                  // the operand, a Cases
	Cases                   // the tests and statements
	With                    // the object, the body
	Labelled                // Text is the label: the statement
	Break                   // Text is the label, if any
	Continue                // Text is the label, if any
	Return                  // at most one operand
	Throw                   // the operand
	Try                     // the block, then a Catch and the finally block, as far as there are any
	Catch                   // the parameter, if any, the block
	Export                  // the declaration or expression, if any
	Expression              // an expression as a statement
	Empty                   // a lone semicolon, debugger
)

// Flags say more about a node.
type Flags uint16

// The flags.
const (
	Async     Flags = 1 << iota // of a Function; of a ForIn: for await
	Generator                   // of a Function
	Arrow                       // of a Function
	Method                      // of a Function: written as a method, getter or setter
	Declared                    // of a Function or Class: a declaration, not an expression
	Computed                    // of a Member or Property: the key stands in brackets
	Endless                     // of a loop: no test, or one that is always true
	Default                     // of an Export: export default
	Closed                      // of an arrow Function or a Binary: it stands in parentheses
)

// Node is a piece of the source. Nodes belong to the tree and must not be changed.
type Node struct {
	Kind   Kind
	Flags  Flags
	height uint16
	Pos    int // byte offset into the source
	Text   string
	Kids   []*Node
	// Binding is what an Identifier refers to; nil when nothing in the source declares it.
	Binding *Binding
	// Source is, for a Property within a pattern whose origin is known, the member access it stands for.
	Source *Node
	scope  *Scope // the names that this node declares for what is below it
}

// Is reports whether all of the flags are set.
func (n *Node) Is(f Flags) bool { return n.Flags&f == f }

// Last returns the last kid, such as the body of a Function; nil when there is none.
func (n *Node) Last() *Node {
	if len(n.Kids) == 0 {
		return nil
	}
	return n.Kids[len(n.Kids)-1]
}

// Declarations returns what the Script itself declares, in source order.
func (n *Node) Declarations() []*Binding {
	if n.scope == nil {
		return nil
	}
	return n.scope.names
}
