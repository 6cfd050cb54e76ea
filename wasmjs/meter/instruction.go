package meter

// The opcodes the meter looks at or writes.
const (
	opUnreachable        = 0x00
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opEnd                = 0x0b
	opBr                 = 0x0c
	opBrIf               = 0x0d
	opBrTable            = 0x0e
	opReturn             = 0x0f
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opSelect             = 0x1b
	opLocalGet           = 0x20
	opLocalSet           = 0x21
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opF32Const           = 0x43
	opF64Const           = 0x44
	opI32Eqz             = 0x45
	opI32LtU             = 0x49
	opI32LeU             = 0x4d
	opI64LtS             = 0x53
	opI64GtU             = 0x56
	opI32Add             = 0x6a
	opI32Sub             = 0x6b
	opI32ShrU            = 0x76
	opI64Add             = 0x7c
	opI64Sub             = 0x7d
	opI64Mul             = 0x7e
	opI64Shl             = 0x86
	opI32WrapI64         = 0xa7
	opI64ExtendI32U      = 0xad
	opRefNull            = 0xd0
	opRefFunc            = 0xd2
	opPrefixMisc         = 0xfc
	opPrefixVector       = 0xfd
	opPrefixAtomic       = 0xfe

	blockVoid = 0x40 // the block type without parameters and results
)

// The opcodes after opPrefixMisc.
const (
	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17
)

// The opcodes after opPrefixVector that have immediates, besides loads and stores.
const (
	vectorConst   = 0x0c
	vectorShuffle = 0x0d
)

// instruction is one decoded instruction.
type instruction struct {
	op         byte
	sub        uint32   // the opcode after a prefix
	start, end int      // its bytes in the module
	index      uint32   // the function, type, global or label it names
	labels     []uint32 // of br_table, the default last; valid until the next one is decoded
}

// immediate says what follows an opcode.
type immediate byte

const (
	unknown immediate = iota
	nothing
	blockType
	oneLabel
	manyLabels
	functionIndex
	typeAndTable
	oneType
	localIndex
	globalIndex
	tableIndex
	memoryArgument
	memoryIndex
	constI32
	constI64
	constF32
	constF64
	referenceType
	miscOpcode
	vectorOpcode
	atomicOpcode
)

// immediates gives what follows each opcode.
var immediates = func() (t [256]immediate) {
	set := func(from, to int, i immediate) {
		for op := from; op <= to; op++ {
			t[op] = i
		}
	}
	set(0x00, 0x01, nothing) // unreachable, nop
	set(opBlock, opIf, blockType)
	set(opElse, opElse, nothing)
	set(opEnd, opEnd, nothing)
	set(opBr, opBrIf, oneLabel)
	set(opBrTable, opBrTable, manyLabels)
	set(opReturn, opReturn, nothing)
	set(opCall, opCall, functionIndex)
	set(opReturnCall, opReturnCall, functionIndex)
	set(opCallIndirect, opCallIndirect, typeAndTable)
	set(opReturnCallIndirect, opReturnCallIndirect, typeAndTable)
	set(0x1a, 0x1b, nothing) // drop, select
	set(0x1c, 0x1c, oneType) // select with a type
	set(0x20, 0x22, localIndex)
	set(0x23, 0x24, globalIndex)
	set(0x25, 0x26, tableIndex) // table.get, table.set
	set(0x28, 0x3e, memoryArgument)
	set(opMemorySize, opMemoryGrow, memoryIndex)
	set(opI32Const, opI32Const, constI32)
	set(opI64Const, opI64Const, constI64)
	set(opF32Const, opF32Const, constF32)
	set(opF64Const, opF64Const, constF64)
	set(0x45, 0xc4, nothing) // arithmetic
	set(opRefNull, opRefNull, referenceType)
	set(0xd1, 0xd1, nothing) // ref.is_null
	set(opRefFunc, opRefFunc, functionIndex)
	set(opPrefixMisc, opPrefixMisc, miscOpcode)
	set(opPrefixVector, opPrefixVector, vectorOpcode)
	set(opPrefixAtomic, opPrefixAtomic, atomicOpcode)
	return t
}()

// next decodes one instruction of a function body into in. It checks every index that the output's additions
// could otherwise make valid: functions, types, globals and the memory.
func (m *module) next(r *reader, in *instruction) {
	in.start = r.pos
	in.op = r.u8()
	in.sub, in.index = 0, 0
	switch immediates[in.op] {
	case nothing:
	case blockType:
		m.blockType(r)
	case oneLabel, localIndex:
		in.index = r.u32()
	case manyLabels:
		in.readLabels(r)
	case functionIndex:
		in.index = r.index(m.functionCount(), "function")
	case typeAndTable:
		in.index = r.index(m.types.n, "type")
		r.u32()
	case oneType:
		m.oneType(r)
	case globalIndex:
		in.index = r.index(uint32(len(m.globalTypes)), "global")
	case tableIndex:
		r.u32()
	case memoryArgument:
		m.memoryArgument(r)
	case memoryIndex:
		m.memoryIndex(r)
	case constI32:
		r.s64(32)
	case constI64:
		r.s64(64)
	case constF32:
		r.bytes(4)
	case constF64:
		r.bytes(8)
	case referenceType:
		m.referenceType(r)
	case miscOpcode:
		m.nextMisc(r, in)
	case vectorOpcode:
		m.nextVector(r, in)
	case atomicOpcode:
		r.fail("atomic instructions are not supported; build without threads")
	default:
		r.fail("unknown instruction %#x", in.op)
	}
	in.end = r.pos
}

// nextMisc decodes what follows opPrefixMisc.
func (m *module) nextMisc(r *reader, in *instruction) {
	in.sub = uint32(r.u8()) // one byte: the shortest form of every known one
	switch in.sub {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case miscMemoryInit:
		r.u32()
		m.memoryIndex(r)
	case miscMemoryCopy:
		m.memoryIndex(r)
		m.memoryIndex(r)
	case miscMemoryFill:
		m.memoryIndex(r)
	case miscTableInit, miscTableCopy:
		r.u32()
		r.u32()
	case miscDataDrop, miscElemDrop, miscTableGrow, miscTableSize, miscTableFill:
		r.u32()
	default:
		r.fail("unknown instruction 0xfc %#x", in.sub)
	}
}

// nextVector decodes what follows opPrefixVector. Only the shortest form of the opcode is taken: decoders that
// read it as one byte and decoders that read it as a number then see the same instruction.
func (m *module) nextVector(r *reader, in *instruction) {
	in.sub = uint32(r.u8())
	if in.sub >= 0x80 && r.u8() != 1 {
		r.fail("unknown vector instruction %#x", in.sub)
	}
	switch sub := in.sub; {
	case vectorMemory(sub):
		m.memoryArgument(r)
		if sub >= 0x54 && sub <= 0x5b { // loads and stores of one lane
			r.u8()
		}
	case sub == vectorConst, sub == vectorShuffle:
		r.bytes(16)
	case sub >= 0x15 && sub <= 0x22: // extract and replace lane
		r.u8()
	}
}

// vectorMemory tells whether a vector instruction reads or writes memory.
func vectorMemory(sub uint32) bool {
	return sub <= 0x0b || sub >= 0x54 && sub <= 0x5d
}

func (in *instruction) readLabels(r *reader) {
	n := r.count()
	in.labels = in.labels[:0]
	for range uint64(n) + 1 {
		in.labels = append(in.labels, r.u32())
		if r.err != nil {
			return
		}
	}
}

func (m *module) blockType(r *reader) {
	b := r.u8()
	if b == blockVoid || isValueType(b) {
		return
	}
	r.pos--
	if t := r.s64(33); t < 0 || t >= int64(m.types.n) {
		r.fail("block type %d does not exist", t)
	}
}

func (m *module) oneType(r *reader) {
	if n := r.u8(); n != 1 {
		r.fail("select names %d types instead of 1", n)
	}
	m.valueType(r)
}

func (m *module) memoryArgument(r *reader) {
	m.requireMemory(r)
	if align := r.u32(); align > 4 {
		r.fail("alignment 2^%d; more than one memory is not supported", align)
	}
	r.u32()
}

func (m *module) memoryIndex(r *reader) {
	m.requireMemory(r)
	r.zero("the index of the memory")
}

func (m *module) requireMemory(r *reader) {
	if m.memory == nil {
		r.fail("a memory instruction in a module without a memory")
	}
}
