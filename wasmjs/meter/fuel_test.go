package meter

import (
	"bytes"
	"errors"
	"testing"
)

// forever is a loop without an end.
var forever = asm(opLoop, blockVoid, opBr, 0, opEnd)

func TestFuelIsExact(t *testing.T) {
	tests := []struct {
		name  string
		build func(b *builder)
		arg   uint64
		want  int64
	}{
		{"a leaf is free", func(b *builder) {
			b.exported("i", "i", 0, get(0))
		}, 7, 0},
		{"a caller is charged, its leaf is not", func(b *builder) {
			leaf := b.function("", "i", 0, i32(1))
			b.exported("i", "i", 0, asm(call(leaf), call(leaf), opI32Add))
		}, 7, 1},
		{"an import is called for one", func(b *builder) {
			f := b.imported("env", ImportRefill, "l", "l")
			b.exported("i", "", 0, asm(i64(1), call(f), opDrop))
		}, 7, 1},
		{"one per iteration", func(b *builder) {
			b.exported("i", "", 0, countdown(0, nil))
		}, 1000, 1001},
		{"nested loops", func(b *builder) {
			b.exported("i", "", 1, countdown(0, asm(i32(10), set(1), countdown(1, nil))))
		}, 100, 1 + 100 + 1000},
		{"one per call of a function with a loop", func(b *builder) {
			f := b.function("", "", 1, asm(i32(2), set(0), countdown(0, nil)))
			b.exported("i", "", 0, countdown(0, call(f)))
		}, 50, 1 + 50 + 50*3},
		{"straight code, every chargeEvery", func(b *builder) {
			b.exported("i", "", 0, bytes.Repeat(asm(get(0), set(0)), chargeEvery))
		}, 7, 2},
		{"straight code below freeBody", func(b *builder) {
			b.exported("i", "", 0, bytes.Repeat(asm(get(0), set(0)), freeBody/2))
		}, 7, 0},
		{"only the arm that runs", func(b *builder) {
			long := bytes.Repeat(asm(get(0), set(0)), chargeEvery/2)
			b.exported("i", "", 0, asm(get(0), opIf, blockVoid, code(long), opElse, opEnd))
		}, 0, 1},
		{"the arm that is long", func(b *builder) {
			long := bytes.Repeat(asm(get(0), set(0)), chargeEvery/2)
			b.exported("i", "", 0, asm(get(0), opIf, blockVoid, code(long), opElse, opEnd))
		}, 1, 2},
		{"leaves count where they are called", func(b *builder) {
			leaf := b.function("i", "", 0, bytes.Repeat(asm(get(0), set(0)), freeBody/2))
			b.exported("i", "", 0, bytes.Repeat(asm(get(0), call(leaf)), 70))
		}, 7, 1 + 69/(chargeEvery/(1+weightCall+freeBody))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b builder
			test.build(&b)
			for _, quantum := range []int64{1, 7, 5000} {
				in := metered(t, b.module(), Options{}, 1<<40)
				in.quantum = quantum
				if _, err := in.run(test.arg); err != nil {
					t.Fatal(err)
				}
				if in.used() != test.want {
					t.Errorf("with a quantum of %d: %d units used, want %d", quantum, in.used(), test.want)
				}
			}
		})
	}
}

func TestBudgetBindsExactly(t *testing.T) {
	var b builder
	b.exported("", "", 0, forever)
	for _, budget := range []int64{0, 1, 4999, 5000, 5001, 100_000} {
		in := metered(t, b.module(), Options{}, budget)
		if _, err := in.run(); !errors.Is(err, errFuel) {
			t.Fatal("not stopped by fuel:", err)
		}
		if in.used() != budget+1 {
			t.Errorf("a budget of %d stopped at %d", budget, in.used())
		}
	}
}

// TestEverythingStops runs what would never end, or for very long, on a small budget.
func TestEverythingStops(t *testing.T) {
	const pages = 64 // of memory: 4 MiB, 1<<15 units to copy
	again := func(body code) code { return asm(opLoop, blockVoid, body, opBr, 0, opEnd) }
	bulk := func(ops ...any) code { return again(asm(ops...)) }
	one := func(body code) func(*builder) {
		return func(b *builder) { b.exported("", "", 1, body) }
	}
	tests := map[string]func(*builder){
		"loop":                one(forever),
		"loop with br_if":     one(asm(opLoop, blockVoid, i32(1), opBrIf, 0, opEnd)),
		"loop with br_table":  one(asm(opLoop, blockVoid, i32(9), opBrTable, 1, 0, 0, opEnd)),
		"loop from the block": one(asm(opLoop, blockVoid, opBlock, blockVoid, opBr, 1, opEnd, opEnd)),
		"loop after dead code": one(asm(opBlock, blockVoid, opBr, 0, opLoop, blockVoid, opBr, 0, opEnd, opEnd,
			forever)),
		"loop with a parameter": func(b *builder) {
			b.signature("i", "") // type 0, for the block
			b.exported("", "", 0, asm(i32(1), opLoop, 0, opBr, 0, opEnd))
		},
		"recursion":        func(b *builder) { b.exported("", "", 0, call(0)) },
		"mutual recursion": func(b *builder) { b.function("", "", 0, call(1)); b.exported("", "", 0, call(0)) },
		"tail call":        func(b *builder) { b.exported("", "", 0, asm(opReturnCall, 0)) },
		"mutual tail calls": func(b *builder) {
			b.function("", "", 0, asm(opReturnCall, 1))
			b.exported("", "", 0, asm(opReturnCall, 0))
		},
		"indirect recursion": func(b *builder) {
			b.table(1, 0)
			b.fillTable(0)
			b.exported("", "", 0, asm(i32(0), opCallIndirect, 0, 0))
		},
		"indirect tail call": func(b *builder) {
			b.table(1, 0)
			b.fillTable(0)
			b.exported("", "", 0, asm(i32(0), opReturnCallIndirect, 0, 0))
		},
		"start function": func(b *builder) {
			f := b.function("", "", 0, forever)
			b.start = &f
		},
		"copy forward":   one(bulk(i32(0), i32(1), i32(pages<<16-1), opPrefixMisc, miscMemoryCopy, 0, 0)),
		"copy backward":  one(bulk(i32(1), i32(0), i32(pages<<16-1), opPrefixMisc, miscMemoryCopy, 0, 0)),
		"copy in place":  one(bulk(i32(0), i32(0), i32(pages<<16), opPrefixMisc, miscMemoryCopy, 0, 0)),
		"fill":           one(bulk(i32(0), i32(7), i32(pages<<16), opPrefixMisc, miscMemoryFill, 0)),
		"memory.init":    one(bulk(i32(0), i32(0), i32(3), opPrefixMisc, miscMemoryInit, 0, 0)),
		"memory.grow":    one(bulk(i32(1), opMemoryGrow, 0, opDrop)),
		"memory.size":    one(bulk(opMemorySize, 0, opDrop)),
		"table.copy":     one(bulk(i32(0), i32(0), i32(10), opPrefixMisc, miscTableCopy, 0, 0)),
		"table.fill":     one(bulk(i32(0), opRefNull, typeFuncRef, i32(10), opPrefixMisc, miscTableFill, 0)),
		"table.grow":     one(bulk(opRefNull, typeFuncRef, i32(1), opPrefixMisc, miscTableGrow, 0, opDrop)),
		"table.init":     one(bulk(i32(0), i32(0), i32(0), opPrefixMisc, miscTableInit, 0, 0)),
		"straight calls": one(bytes.Repeat(asm(i32(0), i32(7), i32(pages<<16), opPrefixMisc, miscMemoryFill, 0), 100)),
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			var b builder
			build(&b)
			if b.tables.n == 0 && b.start == nil {
				b.table(10, 0)
				b.fillTable(b.importedFunctions)
				b.memory(1, 0)
				b.passiveData("abc")
			}
			in := &instance{t: t, host: host{budget: 20_000, quantum: 5000}}
			err := in.instantiate(instrument(t, b.module(), Options{ReservePages: pages}), 0)
			if err == nil {
				_, err = in.run()
			}
			if !errors.Is(err, errFuel) {
				t.Fatal("not stopped by fuel:", err)
			}
		})
	}
}

func TestSameInSameOut(t *testing.T) {
	var b builder
	b.memory(1, 0)
	b.exported("i", "", 0, countdown(0, asm(i32(0), i32(1), i32(1000), opPrefixMisc, miscMemoryCopy, 0, 0)))
	one, two := instrument(t, b.module(), Options{ReservePages: 2}), instrument(t, b.module(), Options{ReservePages: 2})
	if !bytes.Equal(one, two) {
		t.Error("two instrumentations differ")
	}
	in := start(t, one, 1<<40)
	for range 3 {
		before := in.used()
		if _, err := in.run(500); err != nil {
			t.Fatal(err)
		}
		if got, want := in.used()-before, int64(1+500+500*(1000>>bytesPerUnit)); got != want {
			t.Errorf("%d units used, want %d", got, want)
		}
	}
}
