package meter

// dead is the length of the longest path to a place that no path leads to.
const dead = -1

// path follows the control flow of one function and knows, at every instruction, the weight of the longest way
// the program can have come since it was last charged. Blocks only ever branch forward, to their end, and every
// loop charges at its head, so one walk in the order of the code sees all ways to a place before the place itself.
type path struct {
	labels []label
	loops  int // open ones
	weight int // of the longest way here since the last charge, or dead
}

// label is an open block.
type label struct {
	op      byte // opBlock, opLoop, opIf, opElse
	entry   int  // the weight at the if, for its other arm
	arrived int  // the weight of the longest branch to its end, or dead
}

// reset begins a function.
func (p *path) reset() {
	p.weight, p.loops = 0, 0
	p.labels = append(p.labels[:0], label{op: opBlock, arrived: dead})
}

// charged notes that a charge stands here.
func (p *path) charged() { p.weight = 0 }

// add goes over one instruction.
func (p *path) add(weight int) {
	if p.weight != dead {
		p.weight += weight
	}
}

// step follows a control instruction, after its weight was added.
func (p *path) step(r *reader, in *instruction) {
	switch in.op {
	case opBlock, opLoop, opIf:
		p.openBlock(r, in.op)
	case opElse:
		p.otherwise(r)
	case opEnd:
		p.endBlock()
	case opBr:
		p.branch(r, in.index)
		p.weight = dead
	case opBrIf:
		p.branch(r, in.index)
	case opBrTable:
		for _, l := range in.labels {
			p.branch(r, l)
		}
		p.weight = dead
	case opReturn, opUnreachable, opReturnCall, opReturnCallIndirect:
		p.weight = dead
	}
}

func (p *path) openBlock(r *reader, op byte) {
	p.labels = append(p.labels, label{op, p.weight, dead})
	if op == opLoop {
		p.loops++
	}
	if len(p.labels) > maxDepth || p.loops > maxLoops {
		r.fail("blocks are nested more than %d deep, or loops more than %d", maxDepth, maxLoops)
	}
}

// otherwise goes from the first arm of an if to the second.
func (p *path) otherwise(r *reader) {
	l := &p.labels[len(p.labels)-1]
	if l.op != opIf {
		r.fail("else without if")
	}
	l.op = opElse
	l.arrived = max(l.arrived, p.weight)
	p.weight = l.entry
}

func (p *path) endBlock() {
	l := p.labels[len(p.labels)-1]
	p.labels = p.labels[:len(p.labels)-1]
	p.weight = max(p.weight, l.arrived)
	switch l.op {
	case opIf:
		p.weight = max(p.weight, l.entry)
	case opLoop:
		p.loops--
	}
}

// branch notes a branch from here to the block that is depth blocks out.
func (p *path) branch(r *reader, depth uint32) {
	if uint64(depth) >= uint64(len(p.labels)) {
		r.fail("a branch leads %d blocks out of %d", depth, len(p.labels))
		return
	}
	if l := &p.labels[len(p.labels)-1-int(depth)]; l.op != opLoop {
		l.arrived = max(l.arrived, p.weight)
	}
}

// open tells whether the function goes on.
func (p *path) open() bool { return len(p.labels) > 0 }
