package meter

// Weights say how long an instruction can take, in steps of about 0.3 ns on the compiler, when things go badly:
// a load or store that misses the caches counts as much as many additions, though it still takes longer than that.
// They decide only where long code without loops and calls is charged on its way.
const (
	chargeEvery = 2048 // weight of a way that costs one more unit
	freeBody    = 512  // weight up to which a function without calls and loops charges nothing itself

	weightDivide   = 8
	weightMemory   = 32
	weightCall     = 8
	weightLeave    = 256 // leaves the compiled code for the engine or the host
	weightBulk     = 128 // besides what is charged by length
	weightCompute  = 1
	weightMoveOnly = 0 // makes no code, or hardly any
)

// weights gives the weight of each opcode. Calls add what they call.
var weights = func() (t [256]uint16) {
	set := func(from, to int, w uint16) {
		for op := from; op <= to; op++ {
			t[op] = w
		}
	}
	set(0, 255, weightCompute)
	set(0x00, opIf, weightMoveOnly) // unreachable, nop, block, loop, if
	set(opElse, opElse, weightMoveOnly)
	set(opEnd, opEnd, weightMoveOnly)
	set(0x1a, 0x1a, weightMoveOnly) // drop
	set(opBrTable, opBrTable, weightCall)
	set(opCall, opReturnCallIndirect, weightCall)
	set(0x25, 0x26, weightMemory) // table.get, table.set
	set(0x28, 0x3e, weightMemory) // loads and stores
	set(opMemoryGrow, opMemoryGrow, weightMemory)
	set(0x6d, 0x70, weightDivide) // i32
	set(0x7f, 0x82, weightDivide) // i64
	set(0x91, 0x91, weightDivide) // f32.sqrt
	set(0x95, 0x95, weightDivide) // f32.div
	set(0x9f, 0x9f, weightDivide) // f64.sqrt
	set(0xa3, 0xa3, weightDivide) // f64.div
	set(opRefFunc, opRefFunc, weightLeave)
	return t
}()

// weight gives the weight of an instruction, except for the body of the function it calls.
func (in *instruction) weight() int {
	switch in.op {
	case opPrefixVector:
		if vectorMemory(in.sub) {
			return weightMemory
		}
		return weightDivide
	case opPrefixMisc:
		return in.miscWeight()
	}
	return int(weights[in.op])
}

func (in *instruction) miscWeight() int {
	switch in.sub {
	case miscTableGrow:
		return weightLeave
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableFill:
		return weightBulk
	}
	return weightDivide
}
