package meter

import "testing"

// BenchmarkInstrument instruments about a megabyte of small functions.
func BenchmarkInstrument(b *testing.B) {
	var m builder
	m.memory(1, 0)
	for range 8000 {
		m.function("ii", "i", 2, asm(
			countdown(0, asm(
				get(1), opIf, blockVoid,
				get(1), 0x28, 2, 8, get(2), opI32Add, set(3),
				get(3), i32(1000), opI32LtU, opBrIf, 1,
				opElse,
				get(1), get(3), 0x36, 2, 12, get(1), i32(16), opI32Add, set(1),
				opBlock, blockVoid, opBlock, blockVoid, get(1), opBrTable, 1, 0, 1, opEnd, get(2), set(3), opEnd,
				opEnd,
				get(1), get(2), i32(100), opPrefixMisc, miscMemoryCopy, 0, 0,
				get(0), get(1), call(0), set(2))),
			get(3)))
	}
	module := m.module()
	b.SetBytes(int64(len(module)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Instrument(module, Options{ReservePages: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
