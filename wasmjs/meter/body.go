package meter

// callee is what callers need to know of a function.
type callee struct {
	charges bool // one unit at its entry
	weight  int  // of its longest way, when it does not charge
}

// surveyAll validates all functions and finds out which ones charge.
func (m *meter) surveyAll() error {
	m.callees = make([]callee, len(m.bodies))
	for i, body := range m.bodies {
		c, err := m.survey(body)
		if err != nil {
			return err
		}
		m.callees[i] = c
	}
	return nil
}

// survey validates the body of a function as far as metering depends on it, and finds out whether it charges.
func (m *meter) survey(body reader) (callee, error) {
	r := &body
	m.skipLocals(r)
	m.path.reset()
	longest, repeats := 0, false
	for m.path.open() && r.err == nil {
		m.next(r, &m.in)
		switch m.in.op {
		case opLoop, opCall, opCallIndirect, opReturnCall, opReturnCallIndirect:
			repeats = true
		}
		m.path.add(m.in.weight())
		m.path.step(r, &m.in)
		longest = max(longest, m.path.weight)
	}
	if repeats || longest > freeBody {
		return callee{charges: true}, r.done()
	}
	return callee{weight: longest}, r.done()
}

// skipLocals reads the declarations of local variables.
func (m *module) skipLocals(r *reader) {
	total := uint64(0)
	r.each(func() {
		total += uint64(r.u32())
		m.valueType(r)
		if total > maxLocals {
			r.fail("a function has more than %d local variables", maxLocals)
		}
	})
}

// rewriteAll writes the metered code of all functions and of the helpers.
func (m *meter) rewriteAll() (vector, error) {
	helpers := m.addHelpers()
	all := vector{n: m.functions.n}
	var body code
	for i, original := range m.bodies {
		body = body[:0]
		m.rewrite(&body, original, m.callees[i])
		all.items.part(body)
		if len(all.items) > maxOutput {
			return all, errorf("the metered code has more than %d bytes", maxOutput)
		}
	}
	for _, h := range helpers {
		all.items.part(h)
	}
	return all, nil
}

// rewrite writes the metered body of a function that survey has accepted.
func (m *meter) rewrite(out *code, body reader, c callee) {
	r := &body
	start := r.pos
	m.skipLocals(r)
	out.bytes(r.module[start:r.pos]...)
	m.path.reset()
	if c.charges {
		m.charge(out)
	}
	for m.path.open() {
		m.next(r, &m.in)
		m.instruction(out, r)
	}
}

// instruction writes the metered form of the current instruction.
func (m *meter) instruction(out *code, r *reader) {
	weight := m.in.weight() + m.calleeWeight()
	if m.path.weight+weight > chargeEvery {
		m.charge(out)
	}
	m.path.add(weight)
	m.path.step(r, &m.in)
	m.replace(out, r.module[m.in.start:m.in.end])
	if m.in.op == opLoop {
		m.charge(out)
	}
}

// calleeWeight gives the weight of the body that the current instruction calls.
func (m *meter) calleeWeight() int {
	switch m.in.op {
	case opCall, opReturnCall:
		if m.in.index < m.importedFunctions {
			return weightLeave
		}
		return m.callees[m.in.index-m.importedFunctions].weight
	case opCallIndirect, opReturnCallIndirect:
		return freeBody
	}
	return 0
}

// replace writes what stands for an instruction, or the instruction itself.
func (m *meter) replace(out *code, original []byte) {
	switch m.in.op {
	case opCall, opReturnCall, opRefFunc:
		out.op(m.in.op, m.shift(m.in.index))
	case opMemorySize:
		out.load(m.pages)
	case opMemoryGrow:
		out.call(m.helpers.grow)
	case opGlobalSet:
		out.bytes(original...)
		if int64(m.in.index) == m.stackPointer {
			m.trackStackPointer(out)
		}
	case opPrefixMisc:
		m.replaceMisc(out, original)
	default:
		out.bytes(original...)
	}
}

// replaceMisc writes what stands for a bulk operation. Copies and fills of memory are cut into pieces; the others
// are bounded by the size of the module or of its tables, so that it is enough to charge for them.
func (m *meter) replaceMisc(out *code, original []byte) {
	switch m.in.sub {
	case miscMemoryCopy:
		out.call(m.helpers.copy)
	case miscMemoryFill:
		out.call(m.helpers.fill)
	case miscMemoryInit:
		out.call(m.helpers.chargeBytes)
		out.bytes(original...)
	case miscTableInit, miscTableCopy, miscTableGrow, miscTableFill:
		out.call(m.helpers.chargeElements)
		out.bytes(original...)
	default:
		out.bytes(original...)
	}
}
