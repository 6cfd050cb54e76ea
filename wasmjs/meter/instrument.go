package meter

import "math"

// What an instrumented module imports.
const (
	ImportModule = "meter"
	ImportRefill = "refill" // (i64) -> i64: takes the fuel left, which is negative, and gives the new one
)

// What an instrumented module exports: mutable globals.
const (
	ExportFuel       = "meter_fuel"        // i64: units left; starts at 0, so that the first charge asks for more
	ExportPages      = "meter_pages"       // i32: the memory's pages as the module sees them; starts at its minimum
	ExportPagesLimit = "meter_pages_limit" // i32: what memory.grow refuses to pass; starts at ReservePages
	ExportSPLow      = "meter_sp_low"      // i32: lowest stack pointer written; starts at 0x7fffffff
)

// Options say how to instrument a module.
type Options struct {
	// StackPointer is the export name of the mutable i32 global whose lowest written value, as an unsigned
	// number, is kept in ExportSPLow. Empty: it is not tracked.
	StackPointer string

	// ReservePages is the size that the memory gets for good, in pages of 64 KiB: at least the module's own
	// minimum, at most 65536. Not looked at when the module has no memory.
	ReservePages uint32
}

// meter is one module on its way from input to output.
type meter struct {
	*module
	path    path
	in      instruction
	callees []callee // by index in the module's own functions

	firstPages, mostPages uint32 // of the memory, as the module itself declares it

	// Indices in the output.
	firstType                      uint32 // of addedTypes
	refill                         uint32 // function
	helpers                        helpers
	fuel, pages, pagesLimit, spLow uint32 // globals
	stackPointer                   int64  // global, -1 when not tracked
}

// Instrument adds metering to a module. The same bytes and options always give the same bytes. It keeps no part
// of module and may run concurrently. The error is an *Error.
func Instrument(module []byte, opt Options) ([]byte, error) {
	parsed, err := parse(module)
	if err != nil {
		return nil, err
	}
	m := &meter{module: parsed, stackPointer: -1}
	if err := m.prepare(opt); err != nil {
		return nil, err
	}
	if err := m.surveyAll(); err != nil { // before anything is added: code must not name what we add
		return nil, err
	}
	m.addTypes()
	m.addImport()
	m.addGlobals()
	bodies, err := m.rewriteAll()
	if err != nil {
		return nil, err
	}
	return m.encode(bodies), nil
}

// prepare checks that the module and the options go together.
func (m *meter) prepare(opt Options) error {
	if m.importsMeter {
		return errorf("the module itself imports from %q; that name is for the meter", ImportModule)
	}
	for _, e := range m.exports {
		switch e.name {
		case ExportFuel, ExportPages, ExportPagesLimit, ExportSPLow:
			return errorf("the module itself exports %q; that name is for the meter", e.name)
		}
	}
	if err := m.prepareMemory(opt.ReservePages); err != nil {
		return err
	}
	return m.findStackPointer(opt.StackPointer)
}

// prepareMemory makes the memory one of fixed size.
func (m *meter) prepareMemory(reserve uint32) error {
	if m.memory == nil {
		return nil
	}
	if reserve < m.memory.min || reserve > maxPages {
		return errorf("ReservePages is %d; the module's memory needs %d to %d", reserve, m.memory.min, maxPages)
	}
	m.firstPages = m.memory.min
	m.mostPages = m.memory.max
	m.memory = &limits{reserve, reserve}
	return nil
}

// findStackPointer finds the global to track.
func (m *meter) findStackPointer(name string) error {
	if name == "" {
		return nil
	}
	for _, e := range m.exports {
		if e.name != name {
			continue
		}
		if e.kind != kindGlobal || m.globalTypes[e.index] != (globalType{typeI32, true}) {
			return errorf("the export %q is not a mutable i32 global, so it cannot be the stack pointer", name)
		}
		m.stackPointer = int64(e.index)
		return nil
	}
	return errorf("there is no export %q to track as the stack pointer", name)
}

func (m *meter) addTypes() {
	m.firstType = m.types.n
	for _, t := range addedTypes {
		m.types.items.bytes(t...)
		m.types.n++
	}
}

func (m *meter) addImport() {
	m.refill = m.importedFunctions
	m.imports.items.name(ImportModule)
	m.imports.items.name(ImportRefill)
	m.imports.items.bytes(kindFunction)
	m.imports.items.u32(m.firstType + refillType)
	m.imports.n++
}

// addGlobals adds the meter's globals and their exports.
func (m *meter) addGlobals() {
	m.fuel = m.addGlobal(ExportFuel, typeI64, opI64Const, 0)
	m.pages = m.addGlobal(ExportPages, typeI32, opI32Const, int32(m.firstPages))
	m.pagesLimit = m.addGlobal(ExportPagesLimit, typeI32, opI32Const, int32(m.reservedPages()))
	m.spLow = m.addGlobal(ExportSPLow, typeI32, opI32Const, math.MaxInt32)
}

func (m *meter) reservedPages() uint32 {
	if m.memory == nil {
		return 0
	}
	return m.memory.max
}

// addGlobal adds one mutable global, exports it and gives its index.
func (m *meter) addGlobal(name string, value, constant byte, start int32) uint32 {
	index := m.importedGlobals + m.globals.n
	items := &m.globals.items
	items.bytes(value, 1, constant)
	items.s64(int64(start))
	items.bytes(opEnd)
	m.globals.n++
	m.exports = append(m.exports, export{name, kindGlobal, index})
	return index
}
