package meter

import (
	"errors"
	"testing"
)

// growModule runs memory.grow.
func growModule(first, most uint32) []byte {
	var b builder
	b.memory(first, most)
	b.exported("i", "i", 0, asm(get(0), opMemoryGrow, 0))
	b.export("size", kindFunction, b.function("", "i", 0, asm(opMemorySize, 0)))
	return b.module()
}

func TestGrow(t *testing.T) {
	const refused = -1
	type step struct{ pages, want int64 }
	tests := []struct {
		name                 string
		first, most, reserve uint32
		limit                int64 // written to the limit global when not 0
		steps                []step
	}{
		{"to the reservation", 1, 0, 4, 0, []step{{0, 1}, {1, 1}, {2, 2}, {1, refused}, {0, 4}}},
		{"at once", 0, 0, 4, 0, []step{{4, 0}, {1, refused}}},
		{"to the module's own maximum", 1, 2, 4, 0, []step{{2, refused}, {1, 1}, {1, refused}}},
		{"to the limit", 1, 0, 4, 2, []step{{2, refused}, {1, 1}, {1, refused}}},
		{"never past the reservation", 1, 0, 4, 9, []step{{4, refused}, {3, 1}}},
		{"with a limit below the size", 3, 0, 4, 1, []step{{1, refused}, {0, 3}}},
		{"by too much for 32 bits", 2, 0, 4, 0, []step{{1<<32 - 1, refused}, {1<<32 - 2, refused}, {1 << 31, refused}, {2, 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := metered(t, growModule(test.first, test.most), Options{ReservePages: test.reserve}, 1<<40)
			if got := in.ExportedGlobal(ExportPagesLimit).Get(); got != uint64(test.reserve) {
				t.Error("the limit starts at", got)
			}
			if test.limit != 0 {
				in.set(ExportPagesLimit, uint64(test.limit))
			}
			size, used := int64(test.first), int64(0)
			for _, s := range test.steps {
				if got := in.result(uint64(s.pages)); int64(got) != s.want {
					t.Errorf("grow by %d: %d, want %d", s.pages, got, s.want)
				}
				if s.want != refused {
					size += s.pages
					used += s.pages * unitsPerPage
				}
				in.expectPages(size)
				if in.used() != used {
					t.Errorf("grow by %d: %d units used, want %d", s.pages, in.used(), used)
				}
			}
		})
	}
}

func TestGrowStops(t *testing.T) {
	in := metered(t, growModule(1, 0), Options{ReservePages: 4}, unitsPerPage-1)
	if _, err := in.run(1); !errors.Is(err, errFuel) {
		t.Error("not stopped by fuel:", err)
	}
	in.expectPages(1)
}

// expectPages checks the size that the module and the host see.
func (in *instance) expectPages(want int64) {
	in.t.Helper()
	size, err := in.ExportedFunction("size").Call(in.t.Context())
	if err != nil || int64(size[0]) != want {
		in.t.Errorf("memory.size is %v, want %d, error %v", size, want, err)
	}
	if got := in.ExportedGlobal(ExportPages).Get(); got != uint64(want) {
		in.t.Errorf("%s is %d, want %d", ExportPages, got, want)
	}
}

func TestMemoryIsReserved(t *testing.T) {
	var b builder
	b.memory(1, 0)
	b.exported("i", "i", 0, asm(get(0), 0x28, 2, 0))
	in := metered(t, b.module(), Options{ReservePages: 3}, 1<<40)
	if got := in.Memory().Size(); got != 3<<16 {
		t.Error("the memory has bytes:", got)
	}
	if got := in.result(3<<16 - 4); got != 0 {
		t.Error("the reserved bytes are not zero:", got)
	}
	if _, err := in.run(3<<16 - 3); trap(err) != "wasm error: out of bounds memory access" {
		t.Error("past the reservation:", err)
	}
}

func TestTableGrowIsCapped(t *testing.T) {
	tests := []struct {
		name        string
		tables      int
		first, most uint32
		by          uint64
		want        int32
	}{
		{"to the cap", 1, 10, 0, maxElements - 10, 10},
		{"past the cap", 1, 10, 0, maxElements - 9, -1},
		{"past its own maximum", 1, 10, 20, 11, -1},
		{"to its share", 4, 0, 0, maxElements / 4, 0},
		{"past its share", 4, 0, 0, maxElements/4 + 1, -1},
		{"by too much for 32 bits", 1, 10, 0, 1<<32 - 5, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b builder
			for range test.tables {
				b.table(test.first, test.most)
			}
			b.exported("i", "i", 0, asm(opRefNull, typeFuncRef, get(0), opPrefixMisc, miscTableGrow, 0))
			in := metered(t, b.module(), Options{}, 1<<40)
			if got := in.result(test.by); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
			if want := int64(test.by >> elementsPerUnit); in.used() != want {
				t.Errorf("%d units used, want %d", in.used(), want)
			}
		})
	}
}

func TestStackPointerLow(t *testing.T) {
	var b builder
	sp := b.global(50_000)
	other := b.global(50_000)
	b.export("sp", kindGlobal, sp)
	b.exported("i", "", 0, asm(get(0), opGlobalSet, int(sp), get(0), i32(-1000), opI32Add, opGlobalSet, int(other)))
	in := metered(t, b.module(), Options{StackPointer: "sp"}, 1<<40)
	low := in.ExportedGlobal(ExportSPLow)
	if got := low.Get(); got != 0x7fffffff {
		t.Errorf("starts at %#x", got)
	}
	for _, step := range []struct{ sp, want uint64 }{
		{40_000, 40_000}, {45_000, 40_000}, {0xfffffff0, 40_000}, {39_999, 39_999}, {0, 0}, {1, 0},
	} {
		if _, err := in.run(step.sp); err != nil {
			t.Fatal(err)
		}
		if got := low.Get(); got != step.want {
			t.Errorf("after %d: %d, want %d", step.sp, got, step.want)
		}
		if got := in.ExportedGlobal("sp").Get(); got != step.sp {
			t.Errorf("the stack pointer is %d, want %d", got, step.sp)
		}
	}
	untracked := metered(t, b.module(), Options{}, 1<<40)
	if _, err := untracked.run(5); err != nil || untracked.ExportedGlobal(ExportSPLow).Get() != 0x7fffffff {
		t.Error("moved although it is not tracked, error", err)
	}
}
