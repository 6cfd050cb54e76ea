package meter

// charge writes: take one unit, and ask for more when none was left.
func (m *meter) charge(out *code) {
	out.load(m.fuel)
	out.i64(1)
	out.bytes(opI64Sub)
	m.settle(out)
	m.path.charged()
}

// settle writes: the fuel becomes the value on the stack, and when that is negative, what refill makes of it.
func (m *meter) settle(out *code) {
	out.store(m.fuel)
	out.load(m.fuel)
	out.i64(0)
	out.bytes(opI64LtS, opIf, blockVoid)
	out.load(m.fuel)
	out.call(m.refill)
	out.store(m.fuel)
	out.bytes(opEnd)
}

// trackStackPointer writes: the low mark becomes the stack pointer when that is lower.
func (m *meter) trackStackPointer(out *code) {
	sp := uint32(m.stackPointer)
	out.load(sp)
	out.load(m.spLow)
	out.bytes(opI32LtU, opIf, blockVoid)
	out.load(sp)
	out.store(m.spLow)
	out.bytes(opEnd)
}
