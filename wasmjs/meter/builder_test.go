package meter

// builder assembles modules for the tests. Indices are those of the module it builds.
type builder struct {
	types, imports, functions, tables, memories, globals, exports, elements, bodies, datas vector

	importedFunctions uint32
	start             *uint32
	dataCount         bool
}

func (v *vector) add(b ...byte) {
	v.n++
	v.items.bytes(b...)
}

// signature adds a function type. Every rune is a value type: i i32, l i64, f f32, d f64, v v128, r funcref.
func (b *builder) signature(params, results string) uint32 {
	var c code
	c.bytes(formFunction)
	c.part(valueTypes(params))
	c.part(valueTypes(results))
	b.types.add(c...)
	return b.types.n - 1
}

func valueTypes(s string) []byte {
	letters := map[rune]byte{'i': typeI32, 'l': typeI64, 'f': typeF32, 'd': typeF64, 'v': typeV128, 'r': typeFuncRef}
	var out []byte
	for _, c := range s {
		out = append(out, letters[c])
	}
	return out
}

// imported adds an imported function. All imports come before the first function.
func (b *builder) imported(module, name string, params, results string) uint32 {
	var c code
	c.name(module)
	c.name(name)
	c.op(kindFunction, b.signature(params, results))
	b.imports.add(c...)
	b.importedFunctions++
	return b.importedFunctions - 1
}

// function adds a function with i32 locals. The end of the body is added.
func (b *builder) function(params, results string, locals uint32, body code) uint32 {
	b.functions.n++
	b.functions.items.u32(b.signature(params, results))
	var c code
	if locals == 0 {
		c.bytes(0)
	} else {
		c.bytes(1)
		c.u32(locals)
		c.bytes(typeI32)
	}
	c.bytes(body...)
	c.bytes(opEnd)
	var p code
	p.part(c)
	b.bodies.add(p...)
	return b.importedFunctions + b.functions.n - 1
}

// exported adds a function and exports it as "run".
func (b *builder) exported(params, results string, locals uint32, body code) {
	b.export("run", kindFunction, b.function(params, results, locals, body))
}

func (b *builder) export(name string, kind byte, index uint32) {
	var c code
	c.name(name)
	c.op(kind, index)
	b.exports.add(c...)
}

// memory adds the memory; most is at least first, or 0 for none.
func (b *builder) memory(first, most uint32) {
	var c code
	sized(&c, first, most)
	b.memories.add(c...)
	b.export("memory", kindMemory, 0)
}

func (b *builder) table(first, most uint32) {
	c := code{typeFuncRef}
	sized(&c, first, most)
	b.tables.add(c...)
}

func sized(c *code, first, most uint32) {
	if most != 0 {
		c.limits(limits{first, most})
		return
	}
	c.bytes(0)
	c.u32(first)
}

// global adds a mutable i32.
func (b *builder) global(value int32) uint32 {
	var c code
	c.bytes(typeI32, 1)
	c.i32(value)
	c.bytes(opEnd)
	b.globals.add(c...)
	return b.globals.n - 1
}

// fillTable adds an active segment with functions from index 0 of table 0 on.
func (b *builder) fillTable(functions ...uint32) {
	var c code
	c.bytes(0)
	c.i32(0)
	c.bytes(opEnd)
	c.u32(uint32(len(functions)))
	for _, f := range functions {
		c.u32(f)
	}
	b.elements.add(c...)
}

func (b *builder) data(offset int32, content string) {
	var c code
	c.bytes(0)
	c.i32(offset)
	c.bytes(opEnd)
	c.name(content)
	b.datas.add(c...)
}

func (b *builder) passiveData(content string) {
	c := code{segmentPassive}
	c.name(content)
	b.datas.add(c...)
	b.dataCount = true
}

func (b *builder) module() []byte {
	out := code("\x00asm\x01\x00\x00\x00")
	b.types.section(&out, sectionType)
	b.imports.section(&out, sectionImport)
	b.functions.section(&out, sectionFunction)
	b.tables.section(&out, sectionTable)
	b.memories.section(&out, sectionMemory)
	b.globals.section(&out, sectionGlobal)
	b.exports.section(&out, sectionExport)
	if b.start != nil {
		var c code
		c.u32(*b.start)
		out.section(sectionStart, c)
	}
	b.elements.section(&out, sectionElement)
	if b.dataCount {
		var c code
		c.u32(b.datas.n)
		out.section(sectionDataCount, c)
	}
	b.bodies.section(&out, sectionCode)
	b.datas.section(&out, sectionData)
	return out
}

// asm joins pieces of code: bytes, other code, and the results of the small functions below.
func asm(parts ...any) code {
	var c code
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			c.bytes(byte(p))
		case code:
			c.bytes(p...)
		default:
			panic("asm takes int and code")
		}
	}
	return c
}

func i32(v int32) (c code)   { c.i32(v); return c }
func i64(v int64) (c code)   { c.i64(v); return c }
func get(n uint32) (c code)  { c.get(n); return c }
func set(n uint32) (c code)  { c.set(n); return c }
func call(n uint32) (c code) { c.call(n); return c }

// countdown repeats body as often as the local says, at least once.
func countdown(local uint32, body code) code {
	return asm(opLoop, blockVoid, body, get(local), i32(1), opI32Sub, opLocalTee, int(local), opBrIf, 0, opEnd)
}

// Opcodes only the tests write.
const (
	opDrop     = 0x1a
	opLocalTee = 0x22
)
