package meter

// The value types.
const (
	typeI32     = 0x7f
	typeI64     = 0x7e
	typeF32     = 0x7d
	typeF64     = 0x7c
	typeV128    = 0x7b
	typeFuncRef = 0x70
	typeExtern  = 0x6f

	formFunction = 0x60 // of a type that is a function's
)

func isValueType(b byte) bool {
	return b >= typeV128 && b <= typeI32 || b == typeFuncRef || b == typeExtern
}

func (m *module) valueType(r *reader) byte {
	b := r.u8()
	if !isValueType(b) {
		r.fail("unknown value type %#x", b)
	}
	return b
}

func (m *module) referenceType(r *reader) byte {
	b := r.u8()
	if b != typeFuncRef && b != typeExtern {
		r.fail("unknown reference type %#x", b)
	}
	return b
}

// each reads a vector, calling item for every one of its items.
func (r *reader) each(item func()) uint32 {
	n := r.count()
	for i := uint32(0); i < n && r.err == nil; i++ {
		item()
	}
	return n
}

func (m *module) readTypes(r *reader) {
	m.types = r.verbatim(func() {
		if form := r.u8(); form != formFunction {
			r.fail("type of form %#x is not supported", form)
		}
		m.readValueTypes(r)
		m.readValueTypes(r)
	})
}

func (m *module) readValueTypes(r *reader) {
	if n := r.each(func() { m.valueType(r) }); n > maxValues {
		r.fail("a function type has %d parameters or results, more than %d", n, maxValues)
	}
}

// verbatim reads a vector whose items go out as they are. They stay a view of the module.
func (r *reader) verbatim(item func()) vector {
	start := -1
	n := r.each(func() {
		if start < 0 {
			start = r.pos
		}
		item()
	})
	if start < 0 || r.err != nil {
		return vector{}
	}
	return vector{n, r.module[start:r.pos:r.pos]}
}

func (m *module) readImports(r *reader) {
	m.imports = r.verbatim(func() {
		if string(r.bytes(r.u32())) == ImportModule {
			m.importsMeter = true
		}
		r.bytes(r.u32())
		m.readImport(r)
	})
}

func (m *module) readImport(r *reader) {
	switch kind := r.u8(); kind {
	case kindFunction:
		r.index(m.types.n, "type")
		m.importedFunctions++
	case kindTable:
		m.readTable(r)
		m.importedTables++
	case kindMemory:
		r.fail("an imported memory is not supported; let the module define and export its own")
	case kindGlobal:
		m.globalTypes = append(m.globalTypes, m.readGlobalType(r))
		m.importedGlobals++
	default:
		r.fail("import of unknown kind %d", kind)
	}
}

func (m *module) readFunctions(r *reader) {
	m.functions = r.verbatim(func() { r.index(m.types.n, "type") })
}

func (m *module) readTable(r *reader) table {
	return table{m.referenceType(r), r.limits(1<<32 - 1)}
}

// readTables reads the module's own tables. They share maxElements evenly: each one's maximum is its share, so
// that the engine refuses to grow it further.
func (m *module) readTables(r *reader) {
	r.each(func() { m.tables = append(m.tables, m.readTable(r)) })
	for i := range m.tables {
		t := &m.tables[i]
		share := uint32(maxElements / len(m.tables))
		if t.min > share {
			r.fail("table %d starts with %d elements, more than %d", i, t.min, share)
		}
		t.max = min(t.max, share)
	}
}

func (m *module) readMemory(r *reader) {
	r.each(func() {
		if m.memory != nil {
			r.fail("more than one memory is not supported")
		}
		l := r.limits(maxPages)
		m.memory = &l
	})
}

// limits reads the size of a table or memory. Without a maximum, it is most.
func (r *reader) limits(most uint32) limits {
	flags := r.u8()
	if flags > 1 {
		r.fail("limits of kind %#x are not supported: no shared and no 64-bit memories or tables", flags)
	}
	l := limits{r.u32(), most}
	if flags == 1 {
		l.max = r.u32()
	}
	if l.min > l.max || l.max > most {
		r.fail("limits of %d to %d, with at most %d", l.min, l.max, most)
	}
	return l
}

func (m *module) readGlobalType(r *reader) globalType {
	g := globalType{value: m.valueType(r)}
	mutable := r.u8()
	if mutable > 1 {
		r.fail("a global's mutability is 0 or 1, not %d", mutable)
	}
	g.mutable = mutable == 1
	return g
}

func (m *module) readGlobals(r *reader) {
	var own []globalType
	m.globals.n = r.each(func() {
		start := r.pos
		own = append(own, m.readGlobalType(r))
		m.globals.items.bytes(r.module[start:r.pos]...)
		m.readConstant(r, &m.globals.items)
	})
	m.globalTypes = append(m.globalTypes, own...)
}

func (m *module) readExports(r *reader) {
	r.each(func() {
		e := export{name: string(r.bytes(r.u32())), kind: r.u8()}
		switch e.kind {
		case kindFunction:
			e.index = m.shift(r.index(m.functionCount(), "function"))
		case kindTable:
			e.index = r.index(m.importedTables+uint32(len(m.tables)), "table")
		case kindMemory:
			m.memoryIndex(r)
		case kindGlobal:
			e.index = r.index(uint32(len(m.globalTypes)), "global")
		default:
			r.fail("export of unknown kind %d", e.kind)
		}
		m.exports = append(m.exports, e)
	})
}

func (m *module) readStart(r *reader) {
	var c code
	c.u32(m.shift(r.index(m.functionCount(), "function")))
	m.start = c
}

// readCode notes where the functions' bodies are.
func (m *module) readCode(r *reader) {
	r.each(func() {
		p := r.part()
		m.bodies = append(m.bodies, *p)
		r.err = p.err
	})
}

// The flags of an element or data segment.
const (
	segmentPassive  = 1 // or declarative, with segmentExplicit
	segmentExplicit = 2 // has a table or memory index, or is declarative
	segmentExpr     = 4 // its elements are expressions
)

func (m *module) readElements(r *reader) {
	out := &m.elements.items
	m.elements.n = r.each(func() {
		flags := r.u32()
		if flags > 7 {
			r.fail("element segment of unknown kind %d", flags)
		}
		out.u32(flags)
		if flags&segmentPassive == 0 {
			if flags&segmentExplicit != 0 {
				out.u32(r.u32())
			}
			m.readConstant(r, out)
		}
		if flags&(segmentPassive|segmentExplicit) != 0 {
			m.readElementKind(r, out, flags&segmentExpr != 0)
		}
		m.readElementItems(r, out, flags&segmentExpr != 0)
	})
}

func (m *module) readElementKind(r *reader, out *code, isType bool) {
	if isType {
		out.bytes(m.referenceType(r))
		return
	}
	r.zero("the kind of an element segment")
	out.bytes(0)
}

func (m *module) readElementItems(r *reader, out *code, expressions bool) {
	var items code
	n := r.each(func() {
		if expressions {
			m.readConstant(r, &items)
			return
		}
		items.u32(m.shift(r.index(m.functionCount(), "function")))
	})
	out.u32(n)
	out.bytes(items...)
}

func (m *module) readData(r *reader) {
	m.data = r.verbatim(func() {
		flags := r.u32()
		if flags > segmentExplicit {
			r.fail("data segment of unknown kind %d", flags)
		}
		if flags == segmentExplicit {
			m.memoryIndex(r)
		}
		var offset constant
		if flags != segmentPassive {
			m.requireMemory(r)
			var discard code
			offset = m.readConstant(r, &discard)
		}
		content := r.bytes(r.u32())
		if offset.plain {
			m.segments = append(m.segments, Segment{uint32(offset.value), uint32(len(content))})
		}
	})
}

// constant is what a constant expression comes to, when it is a plain i32.const.
type constant struct {
	value int32
	plain bool
}

// readConstant copies a constant expression.
func (m *module) readConstant(r *reader, out *code) constant {
	var c constant
	for n := 0; r.err == nil; n++ {
		start := r.pos
		op := r.u8()
		c.plain = c.plain && op == opEnd
		switch op {
		case opEnd:
			out.bytes(opEnd)
			return c
		case opI32Const:
			c = constant{int32(r.s64(32)), n == 0}
		case opI64Const:
			r.s64(64)
		case opF32Const:
			r.bytes(4)
		case opF64Const:
			r.bytes(8)
		case opPrefixVector:
			if sub := r.u8(); sub != vectorConst {
				r.fail("instruction 0xfd %#x in a constant expression", sub)
			}
			r.bytes(16)
		case opGlobalGet:
			r.index(uint32(len(m.globalTypes)), "global")
		case opRefNull:
			m.referenceType(r)
		case opRefFunc:
			out.op(opRefFunc, m.shift(r.index(m.functionCount(), "function")))
			continue
		case opI32Add, opI32Sub, opI32Sub + 1, opI64Add, opI64Sub, opI64Mul:
		default:
			r.fail("instruction %#x in a constant expression", op)
		}
		out.bytes(r.module[start:r.pos]...)
	}
	return constant{}
}
