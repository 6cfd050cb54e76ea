package meter

// code is a sequence of encoded instructions, or of any other part of a module, that grows at its end.
type code []byte

func (c *code) bytes(b ...byte)   { *c = append(*c, b...) }
func (c *code) get(local uint32)  { c.op(opLocalGet, local) }
func (c *code) set(local uint32)  { c.op(opLocalSet, local) }
func (c *code) load(glob uint32)  { c.op(opGlobalGet, glob) }
func (c *code) store(glob uint32) { c.op(opGlobalSet, glob) }
func (c *code) call(fn uint32)    { c.op(opCall, fn) }

// op writes an instruction with one index.
func (c *code) op(op byte, index uint32) {
	c.bytes(op)
	c.u32(index)
}

func (c *code) i32(v int32) {
	c.bytes(opI32Const)
	c.s64(int64(v))
}

func (c *code) i64(v int64) {
	c.bytes(opI64Const)
	c.s64(v)
}

// u32 writes an unsigned LEB128 number in its shortest form.
func (c *code) u32(v uint32) {
	for v >= 0x80 {
		c.bytes(byte(v) | 0x80)
		v >>= 7
	}
	c.bytes(byte(v))
}

// s64 writes a signed LEB128 number in its shortest form.
func (c *code) s64(v int64) {
	for v < -0x40 || v > 0x3f {
		c.bytes(byte(v) | 0x80)
		v >>= 7
	}
	c.bytes(byte(v) & 0x7f)
}

// name writes a string with its length.
func (c *code) name(s string) {
	c.u32(uint32(len(s)))
	*c = append(*c, s...)
}

// part writes b with its length.
func (c *code) part(b []byte) {
	c.u32(uint32(len(b)))
	c.bytes(b...)
}

// limits writes a size with a maximum.
func (c *code) limits(l limits) {
	c.bytes(1)
	c.u32(l.min)
	c.u32(l.max)
}

// section writes a section.
func (c *code) section(id byte, body []byte) {
	c.bytes(id)
	c.part(body)
}

// vector is a counted sequence of encoded items.
type vector struct {
	n     uint32
	items code
}

// section writes a section that is the vector, or nothing when it is empty.
func (v *vector) section(out *code, id byte) {
	if v.n == 0 {
		return
	}
	var body code
	body.u32(v.n)
	body.bytes(v.items...)
	out.section(id, body)
}
