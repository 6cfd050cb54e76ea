package meter

import "fmt"

// reader walks over a part of a module. The first failure sticks: from then on nothing remains to be read and
// every read gives zero, so callers may check err once, at the end. It is as strict as the specification about
// the encoding of numbers, because a number that two decoders read differently would let code hide from the meter.
type reader struct {
	module []byte // the whole module, so that pos is an offset an error can name
	pos    int
	end    int
	err    *Error
}

func newReader(module []byte) *reader {
	return &reader{module: module, end: len(module)}
}

// fail records the first failure, at the current position.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Offset: r.pos, Reason: fmt.Sprintf(format, args...)}
		r.end = r.pos
	}
}

func (r *reader) more() bool { return r.pos < r.end }

// u8 reads one byte.
func (r *reader) u8() byte {
	if r.pos >= r.end {
		r.fail("unexpected end")
		return 0
	}
	b := r.module[r.pos]
	r.pos++
	return b
}

// bytes reads n bytes. The result is a view of the module.
func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(r.end-r.pos) {
		r.fail("%d bytes are announced, %d are left", n, r.end-r.pos)
		return nil
	}
	b := r.module[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// zero reads a byte that has to be 0.
func (r *reader) zero(what string) {
	if b := r.u8(); b != 0 {
		r.fail("%s must be one byte 0x00, not %#x", what, b)
	}
}

// u32 reads an unsigned LEB128 number.
func (r *reader) u32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.u8()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail("an unsigned number does not fit 32 bits")
	return 0
}

// s64 reads a signed LEB128 number of the given width in bits: 32, 33 or 64.
func (r *reader) s64(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.u8()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		unused := 64 - min(64, shift+7)
		v = v << unused >> unused
		if lost := 64 - bits; v<<lost>>lost != v || shift == 63 && b != 0 && b != 0x7f {
			break
		}
		return v
	}
	r.fail("a signed number does not fit %d bits", bits)
	return 0
}

// count reads the length of a vector whose items take at least one byte each, so that a count can never make
// us allocate more than the module is long.
func (r *reader) count() uint32 {
	n := r.u32()
	if uint64(n) > uint64(r.end-r.pos) {
		r.fail("%d items are announced, %d bytes are left", n, r.end-r.pos)
		return 0
	}
	if n > maxItems {
		r.fail("%d items are more than %d", n, maxItems)
		return 0
	}
	return n
}

// index reads a number that has to be below limit.
func (r *reader) index(limit uint32, what string) uint32 {
	i := r.u32()
	if i >= limit {
		r.fail("%s %d is used, the module has %d", what, i, limit)
		return 0
	}
	return i
}

// part reads the length of a part and gives a reader for just that part.
func (r *reader) part() *reader {
	n := r.u32()
	start := r.pos
	r.bytes(n)
	return &reader{module: r.module, pos: start, end: r.pos, err: r.err}
}

// done tells whether everything was read, without a failure.
func (r *reader) done() error {
	if r.err == nil && r.more() {
		r.fail("%d bytes are left over", r.end-r.pos)
	}
	return r.failure()
}

// failure gives the first failure.
func (r *reader) failure() error {
	if r.err == nil {
		return nil
	}
	return r.err
}
