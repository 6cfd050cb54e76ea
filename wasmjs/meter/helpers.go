package meter

const (
	bytesPerUnit    = 7       // log2: bulk operations on memory cost a unit per 128 bytes,
	elementsPerUnit = 3       // log2: those on tables one per 8 elements,
	unitsPerPage    = 1000    // and growing memory this much per page, which is what the page faults take
	pieceBytes      = 1 << 18 // of a copy or fill between two checks
	pageShift       = 16      // log2 of the bytes in a page
)

// helpers are the functions that metering adds to a module, by index in the output.
type helpers struct {
	copy, fill, grow, chargeBytes, chargeElements uint32
}

// addedTypes are the function types that metering adds behind the module's own.
var addedTypes = []code{
	{formFunction, 1, typeI64, 1, typeI64},
	{formFunction, 1, typeI32, 1, typeI32},
	{formFunction, 3, typeI32, typeI32, typeI32, 0},
}

// The places in addedTypes.
const (
	refillType = iota
	unaryType
	bulkType
)

// addHelpers adds the helpers that the module can need, to its functions and to the code.
func (m *meter) addHelpers() []code {
	next := m.functionCount() + 1
	var bodies []code
	add := func(index *uint32, t uint32, body func() code) {
		*index = next
		next++
		m.functions.n++
		m.functions.items.u32(m.firstType + t)
		bodies = append(bodies, body())
	}
	add(&m.helpers.chargeElements, unaryType, func() code { return m.chargeBody(elementsPerUnit) })
	if m.memory != nil {
		add(&m.helpers.chargeBytes, unaryType, func() code { return m.chargeBody(bytesPerUnit) })
		add(&m.helpers.copy, bulkType, m.copyBody)
		add(&m.helpers.fill, bulkType, m.fillBody)
		add(&m.helpers.grow, unaryType, m.growBody)
	}
	return bodies
}

// The local variables of the helpers.
const (
	destination = 0
	source      = 1 // for fill, the value
	length      = 2
	piece       = 3
)

// chargeBody writes (n) -> n, which charges a unit per 1<<shift.
func (m *meter) chargeBody(shift int32) code {
	c := code{0}
	m.chargeLength(&c, 0, shift)
	c.get(0)
	c.bytes(opEnd)
	return c
}

// chargeLength charges a unit per 1<<shift of the local n.
func (m *meter) chargeLength(c *code, n uint32, shift int32) {
	c.load(m.fuel)
	c.get(n)
	c.i32(shift)
	c.bytes(opI32ShrU, opI64ExtendI32U, opI64Sub)
	m.settle(c)
}

// copyBody writes (destination, source, length), a memory.copy in pieces: forward when the destination is the
// lower one, else backward, so that bytes are read before they are overwritten. A copy out of bounds is left to
// the one instruction, which traps before it has written anything.
func (m *meter) copyBody() code {
	c := code{1, 1, typeI32}
	whole := func() { c.copyMemory(length) }
	m.small(&c, whole)
	m.outOfBounds(&c, destination, whole)
	m.outOfBounds(&c, source, whole)
	c.get(destination)
	c.get(source)
	c.bytes(opI32LeU, opIf, blockVoid)
	m.pieces(&c, func() {
		c.copyMemory(piece)
		c.advance(destination)
		c.advance(source)
		c.shorten()
	})
	c.bytes(opElse)
	m.pieces(&c, func() {
		c.shorten()
		c.get(destination)
		c.get(length)
		c.bytes(opI32Add)
		c.get(source)
		c.get(length)
		c.bytes(opI32Add)
		c.get(piece)
		c.bytes(opPrefixMisc, miscMemoryCopy, 0, 0)
	})
	c.bytes(opEnd, opEnd)
	return c
}

// fillBody writes (destination, value, length), a memory.fill in pieces.
func (m *meter) fillBody() code {
	c := code{1, 1, typeI32}
	whole := func() { c.fillMemory(length) }
	m.small(&c, whole)
	m.outOfBounds(&c, destination, whole)
	m.pieces(&c, func() {
		c.fillMemory(piece)
		c.advance(destination)
		c.shorten()
	})
	c.bytes(opEnd)
	return c
}

func (c *code) copyMemory(n uint32) {
	c.get(destination)
	c.get(source)
	c.get(n)
	c.bytes(opPrefixMisc, miscMemoryCopy, 0, 0)
}

func (c *code) fillMemory(n uint32) {
	c.get(destination)
	c.get(source)
	c.get(n)
	c.bytes(opPrefixMisc, miscMemoryFill, 0)
}

// advance moves an address past the piece.
func (c *code) advance(address uint32) {
	c.get(address)
	c.get(piece)
	c.bytes(opI32Add)
	c.set(address)
}

// shorten takes the piece off the length.
func (c *code) shorten() {
	c.get(length)
	c.get(piece)
	c.bytes(opI32Sub)
	c.set(length)
}

// small writes: when the length is at most a piece, charge, do the whole and return.
func (m *meter) small(c *code, whole func()) {
	c.get(length)
	c.i32(pieceBytes)
	c.bytes(opI32LeU, opIf, blockVoid)
	m.chargeLength(c, length, bytesPerUnit)
	whole()
	c.bytes(opReturn, opEnd)
}

// outOfBounds writes: when the length from address on leaves the memory, do the whole, which traps.
func (m *meter) outOfBounds(c *code, address uint32, whole func()) {
	c.get(address)
	c.bytes(opI64ExtendI32U)
	c.get(length)
	c.bytes(opI64ExtendI32U, opI64Add)
	c.reservedPages()
	c.i64(pageShift)
	c.bytes(opI64Shl, opI64GtU, opIf, blockVoid)
	whole()
	c.bytes(opEnd)
}

// reservedPages writes the number of pages that the engine really holds, as an i64.
func (c *code) reservedPages() { c.bytes(opMemorySize, 0, opI64ExtendI32U) }

// pieces writes: repeat with a piece of the length, charged, until no length is left. The body has to shorten it.
func (m *meter) pieces(c *code, body func()) {
	c.bytes(opLoop, blockVoid)
	c.get(length)
	c.i32(pieceBytes)
	c.get(length)
	c.i32(pieceBytes)
	c.bytes(opI32LtU, opSelect)
	c.set(piece)
	m.chargeLength(c, piece, bytesPerUnit)
	body()
	c.get(length)
	c.bytes(opBrIf, 0, opEnd)
}

// The local variables of grow.
const (
	added  = 0
	before = 1
)

// growBody writes (added) -> the pages before, or -1: a memory.grow that moves the number of pages only.
func (m *meter) growBody() code {
	c := code{1, 1, typeI32}
	c.load(m.pages)
	c.set(before)
	c.get(added)
	c.bytes(opI32Eqz, opIf, blockVoid)
	c.get(before)
	c.bytes(opReturn, opEnd)
	m.refuseAbove(&c, func() { c.load(m.pagesLimit); c.bytes(opI64ExtendI32U) })
	m.refuseAbove(&c, c.reservedPages)
	if m.mostPages < maxPages {
		m.refuseAbove(&c, func() { c.i64(int64(m.mostPages)) })
	}
	c.load(m.fuel)
	c.get(added)
	c.bytes(opI64ExtendI32U)
	c.i64(unitsPerPage)
	c.bytes(opI64Mul, opI64Sub)
	m.settle(&c)
	c.get(before)
	c.get(added)
	c.bytes(opI32Add)
	c.store(m.pages)
	c.get(before)
	c.bytes(opEnd)
	return c
}

// refuseAbove writes: return -1 when the pages before and the added ones are more than limit.
func (m *meter) refuseAbove(c *code, limit func()) {
	c.get(added)
	c.bytes(opI64ExtendI32U)
	c.get(before)
	c.bytes(opI64ExtendI32U, opI64Add)
	limit()
	c.bytes(opI64GtU, opIf, blockVoid)
	c.i32(-1)
	c.bytes(opReturn, opEnd)
}
