package meter

import "bytes"

// The most of things a module may have. What they guard is our own memory and time; engines have such limits too.
const (
	maxModule   = 64 << 20  // bytes of a module
	maxOutput   = 256 << 20 // bytes of an instrumented function section
	maxItems    = 1 << 20   // items of one vector: functions, types, exports, elements of a segment, ...
	maxValues   = 1000      // parameters, and results, of one function type
	maxLocals   = 50_000    // local variables of one function
	maxDepth    = 4096      // nested blocks of one function
	maxLoops    = 256       // of them, loops: compilers take more than linear time for those
	maxElements = 1 << 20   // elements of all tables together, after growth
	maxPages    = 1 << 16   // 64 KiB pages of a memory
)

// The sections of a module, by id.
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElement
	sectionCode
	sectionData
	sectionDataCount
)

// The kinds of imports and exports.
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
)

// module is a decoded module. Parts that name functions are kept as they go out: with the index of every
// function of the module's own raised by one, for the import that metering adds.
type module struct {
	types     vector
	imports   vector
	functions vector // the type index of each function of its own
	tables    []table
	memory    *limits
	globals   vector // of its own
	exports   []export
	start     []byte // encoded index, nil when there is none
	elements  vector
	dataCount []byte // encoded, nil when there is none
	bodies    []reader
	data      vector

	importedFunctions, importedTables, importedGlobals uint32
	importsMeter                                       bool         // imports from the module name of the meter
	globalTypes                                        []globalType // imported ones first
	segments                                           []Segment
}

type limits struct{ min, max uint32 }

type table struct {
	reference byte
	limits
}

type globalType struct {
	value   byte
	mutable bool
}

type export struct {
	name  string
	kind  byte
	index uint32 // as it goes out
}

func (m *module) functionCount() uint32 { return m.importedFunctions + m.functions.n }

// shift gives the index that a function has in the output.
func (m *module) shift(function uint32) uint32 {
	if function >= m.importedFunctions {
		return function + 1
	}
	return function
}

// parse decodes a module, except for the instructions of its functions.
func parse(b []byte) (*module, error) {
	if len(b) > maxModule {
		return nil, errorf("the module has %d bytes, more than %d", len(b), maxModule)
	}
	if !bytes.HasPrefix(b, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, &Error{Reason: "not a core WebAssembly module of version 1"}
	}
	m := &module{}
	r := newReader(b)
	r.pos = 8
	last := -1
	for r.more() {
		id := r.u8()
		if id != sectionCustom {
			last = checkOrder(r, last, id)
		}
		p := r.part()
		if err := m.section(id, p); err != nil {
			return nil, err
		}
	}
	if err := r.failure(); err != nil {
		return nil, err
	}
	if int(m.functions.n) != len(m.bodies) {
		return nil, errorf("the module declares %d functions and has the code of %d", m.functions.n, len(m.bodies))
	}
	return m, nil
}

// checkOrder checks that a section comes after the last one and gives its place in the order.
func checkOrder(r *reader, last int, id byte) int {
	place := int(id) * 2
	if id == sectionDataCount {
		place = sectionElement*2 + 1
	}
	if place <= last {
		r.fail("section %d is out of order or there twice", id)
	}
	return place
}

// section decodes one section.
func (m *module) section(id byte, r *reader) error {
	switch id {
	case sectionCustom:
		return r.failure()
	case sectionType:
		m.readTypes(r)
	case sectionImport:
		m.readImports(r)
	case sectionFunction:
		m.readFunctions(r)
	case sectionTable:
		m.readTables(r)
	case sectionMemory:
		m.readMemory(r)
	case sectionGlobal:
		m.readGlobals(r)
	case sectionExport:
		m.readExports(r)
	case sectionStart:
		m.readStart(r)
	case sectionElement:
		m.readElements(r)
	case sectionDataCount:
		start := r.pos
		r.u32()
		m.dataCount = r.module[start:r.pos]
	case sectionCode:
		m.readCode(r)
	case sectionData:
		m.readData(r)
	default:
		r.fail("section %d is not supported", id)
	}
	return r.done()
}
