package meter

// encode writes the module.
func (m *meter) encode(bodies vector) []byte {
	out := code("\x00asm\x01\x00\x00\x00")
	m.types.section(&out, sectionType)
	m.imports.section(&out, sectionImport)
	m.functions.section(&out, sectionFunction)
	m.encodeTables().section(&out, sectionTable)
	m.encodeMemory().section(&out, sectionMemory)
	m.globals.section(&out, sectionGlobal)
	m.encodeExports().section(&out, sectionExport)
	if m.start != nil {
		out.section(sectionStart, m.start)
	}
	m.elements.section(&out, sectionElement)
	if m.dataCount != nil {
		out.section(sectionDataCount, m.dataCount)
	}
	bodies.section(&out, sectionCode)
	m.data.section(&out, sectionData)
	return out
}

func (m *meter) encodeTables() *vector {
	v := &vector{n: uint32(len(m.tables))}
	for _, t := range m.tables {
		v.items.bytes(t.reference)
		v.items.limits(t.limits)
	}
	return v
}

func (m *meter) encodeMemory() *vector {
	if m.memory == nil {
		return &vector{}
	}
	v := &vector{n: 1}
	v.items.limits(*m.memory)
	return v
}

func (m *meter) encodeExports() *vector {
	v := &vector{n: uint32(len(m.exports))}
	for _, e := range m.exports {
		v.items.name(e.name)
		v.items.op(e.kind, e.index)
	}
	return v
}
