package meter

import (
	"bytes"
	"fmt"
	"testing"
)

const memoryPages = 24 // 1.5 MiB, six pieces

// bulkModule has a memory of memoryPages, of which the module sees one, and runs a copy or fill.
func bulkModule(sub int, immediates code) []byte {
	var b builder
	b.memory(1, 0)
	b.exported("iii", "", 0, asm(get(0), get(1), get(2), opPrefixMisc, sub, immediates))
	return b.module()
}

func TestCopyInPieces(t *testing.T) {
	const p, top = pieceBytes, memoryPages << 16
	in := metered(t, bulkModule(miscMemoryCopy, code{0, 0}), Options{ReservePages: memoryPages}, 1<<40)
	memory, _ := in.Memory().Read(0, top)
	tests := []struct{ dst, src, n int }{
		{0, 0, 0},
		{0, top, 0},
		{top, 0, 0},
		{5, 9, 3},
		{9, 5, 3},
		{0, p, p - 1},
		{0, p, p},
		{0, p, p + 1},
		{1, 0, p + 1},
		{0, 1, p + 1},
		{100, 0, 2 * p},
		{0, 100, 2 * p},
		{p, 0, 2*p + 3},
		{0, p, 2*p + 3},
		{p - 1, 0, 3 * p},
		{7, 7, 3*p + 1},
		{1, 0, top - 1},
		{0, 1, top - 1},
		{0, 0, top},
		{top - 1, 0, 1},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			scribble(memory)
			want := bytes.Clone(memory)
			copy(want[test.dst:], want[test.src:test.src+test.n])
			before := in.used()
			if _, err := in.run(uint64(test.dst), uint64(test.src), uint64(test.n)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(memory, want) {
				t.Error("the memory is not as after a copy at once")
			}
			if got, want := in.used()-before, unitsFor(test.n); got != want {
				t.Errorf("%d units used, want %d", got, want)
			}
		})
	}
}

func TestFillInPieces(t *testing.T) {
	const p, top = pieceBytes, memoryPages << 16
	in := metered(t, bulkModule(miscMemoryFill, code{0}), Options{ReservePages: memoryPages}, 1<<40)
	memory, _ := in.Memory().Read(0, top)
	for _, test := range []struct{ dst, n int }{
		{0, 0}, {top, 0}, {3, 1}, {0, p - 1}, {1, p}, {0, p + 1}, {7, 2 * p}, {7, 2*p + 1}, {0, top}, {1, top - 1},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			scribble(memory)
			want := bytes.Clone(memory)
			copy(want[test.dst:test.dst+test.n], bytes.Repeat([]byte{0xab}, test.n))
			before := in.used()
			if _, err := in.run(uint64(test.dst), 0x1ab, uint64(test.n)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(memory, want) {
				t.Error("the memory is not as after a fill at once")
			}
			if got, want := in.used()-before, unitsFor(test.n); got != want {
				t.Errorf("%d units used, want %d", got, want)
			}
		})
	}
}

func TestBulkOutOfBounds(t *testing.T) {
	const p, top = pieceBytes, memoryPages << 16
	for _, op := range []struct {
		name       string
		sub        int
		immediates code
		source     bool // the second operand is an address
	}{
		{"copy", miscMemoryCopy, code{0, 0}, true},
		{"fill", miscMemoryFill, code{0}, false},
	} {
		in := metered(t, bulkModule(op.sub, op.immediates), Options{ReservePages: memoryPages}, 1<<40)
		memory, _ := in.Memory().Read(0, top)
		scribble(memory)
		want := bytes.Clone(memory)
		for _, test := range []struct{ dst, src, n uint64 }{
			{top + 1, 0, 0},
			{0, top + 1, 0},
			{top, 0, 1},
			{0, top, 1},
			{top - p, 0, p + 1},
			{0, top - p, p + 1},
			{0, 1, top},
			{1, 0, top},
			{1<<32 - 1, 0, 2 * p},
			{0, 1<<32 - 1, 2 * p},
			{5, 0, 1<<32 - 1},
			{0, 5, 1<<32 - 1},
			{1<<32 - p, 1<<32 - p, 2 * p},
		} {
			if !op.source && test.dst+test.n <= top {
				continue
			}
			before := in.used()
			_, err := in.run(test.dst, test.src, test.n)
			if got := trap(err); got != "wasm error: out of bounds memory access" {
				t.Errorf("%s %v: %q", op.name, test, got)
			}
			if in.used()-before > unitsFor(p) {
				t.Errorf("%s %v: %d units used", op.name, test, in.used()-before)
			}
		}
		if !bytes.Equal(memory, want) {
			t.Errorf("%s wrote before it trapped", op.name)
		}
	}
}

func TestInitIsCharged(t *testing.T) {
	var b builder
	b.memory(1, 0)
	b.passiveData(string(make([]byte, 1000)))
	b.exported("iii", "", 0, asm(get(0), get(1), get(2), opPrefixMisc, miscMemoryInit, 0, 0))
	in := metered(t, b.module(), Options{ReservePages: 1}, 1<<40)
	if _, err := in.run(0, 0, 1000); err != nil || in.used() != 1000>>bytesPerUnit {
		t.Errorf("%d units used, error %v", in.used(), err)
	}
	if _, err := in.run(0, 1, 1000); trap(err) != "wasm error: out of bounds memory access" {
		t.Error("init past the segment:", err)
	}
}

func TestTableBulk(t *testing.T) {
	var b builder
	b.table(100, 0)
	b.fillTable(0)
	b.exported("i", "", 0, asm(
		i32(0), opRefNull, typeFuncRef, get(0), opPrefixMisc, miscTableFill, 0,
		i32(1), i32(0), get(0), opPrefixMisc, miscTableCopy, 0, 0))
	in := metered(t, b.module(), Options{}, 1<<40)
	if _, err := in.run(99); err != nil || in.used() != 2*(99>>elementsPerUnit) {
		t.Errorf("%d units used, error %v", in.used(), err)
	}
	if _, err := in.run(101); trap(err) != "wasm error: invalid table access" {
		t.Error("fill past the table:", err)
	}
}

// unitsFor gives what a copy or fill costs.
func unitsFor(n int) int64 {
	return int64(n/pieceBytes*(pieceBytes>>bytesPerUnit) + n%pieceBytes>>bytesPerUnit)
}

func scribble(b []byte) {
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
}
