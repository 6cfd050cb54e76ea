package meter

// Weights say how long an instruction may take, in steps of about 0.3 ns on the compiler, at its worst: loads and
// stores miss the cache. They decide only where a long way without loops and calls is charged in between.
const (
	chargeEvery = 1024 // weight of a way that costs one more unit
	freeBody    = 128  // weight up to which a function without calls and loops charges nothing itself
)

// weights gives the weight of each opcode. Calls add what they call.
var weights = func() (t [256]uint8) {
	set := func(from, to int, w uint8) {
		for op := from; op <= to; op++ {
			t[op] = w
		}
	}
	set(0, 255, 1)
	set(0x00, opIf, 0) // unreachable, nop and blocks make no code
	set(opElse, opEnd, 0)
	set(0x1a, 0x1a, 0) // drop
	set(opBrTable, opBrTable, 4)
	set(opCall, opReturnCallIndirect, 8)
	set(0x25, 0x26, 8) // table.get, table.set
	set(0x28, 0x3e, 8) // loads and stores
	set(opMemoryGrow, opMemoryGrow, 16)
	set(0x6d, 0x70, 8) // division of i32
	set(0x7f, 0x82, 8) // division of i64
	set(0x91, 0x91, 8) // f32.sqrt
	set(0x95, 0x95, 8) // f32.div
	set(0x9f, 0x9f, 8) // f64.sqrt
	set(0xa3, 0xa3, 8) // f64.div
	set(opRefFunc, opRefFunc, 128)
	set(opPrefixVector, opPrefixVector, 8)
	return t
}()

// weight gives the weight of an instruction, except for the body of the function it calls.
func (in *instruction) weight() int {
	if in.op != opPrefixMisc {
		return int(weights[in.op])
	}
	switch in.sub {
	case miscTableGrow:
		return 128
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableFill:
		return 32
	}
	return 4
}
