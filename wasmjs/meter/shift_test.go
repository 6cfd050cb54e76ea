package meter

import (
	"fmt"
	"testing"
)

// shiftModule names functions in every way there is: calls, references, all kinds of element segments, a global,
// the start function and exports. Function k returns 11*k; run(i) calls what stands at index i of table 0.
func shiftModule() []byte {
	var b builder
	b.imported("env", ImportRefill, "l", "l") // function 0
	for k := int32(1); k <= 3; k++ {
		b.function("", "i", 0, i32(11*k))
	}
	one := b.signature("", "i")
	b.table(12, 0)
	b.table(4, 0)
	started := b.global(0)
	first := b.function("", "", 0, asm(i32(5), opGlobalSet, int(started)))
	b.start = &first
	reference := addReference(&b, 2)
	addElements(&b)
	b.exported("i", "i", 0, asm(
		i32(4), i32(0), i32(2), opPrefixMisc, miscTableInit, 1, 0,
		i32(6), i32(0), i32(1), opPrefixMisc, miscTableInit, 5, 0,
		i32(8), i32(0), i32(2), opPrefixMisc, miscTableCopy, 0, 1,
		i32(3), opRefFunc, 3, 0x26, 0,
		i32(10), opGlobalGet, int(reference), 0x26, 0,
		get(0), opCallIndirect, int(one), 0))
	b.export("direct", kindFunction, 2)
	b.export("call", kindFunction, b.function("", "i", 0, call(3)))
	b.export("tail", kindFunction, b.function("", "i", 0, asm(opReturnCall, 1)))
	b.export("import", kindFunction, b.function("", "i", 0, asm(i64(7), call(0), opI32WrapI64)))
	b.export("started", kindFunction, b.function("", "i", 0, asm(opGlobalGet, int(started))))
	return b.module()
}

// addReference adds a global that refers to a function.
func addReference(b *builder, function int) uint32 {
	b.globals.add(asm(typeFuncRef, 0, opRefFunc, function, opEnd)...)
	return b.globals.n - 1
}

// addElements adds one element segment of each kind.
func addElements(b *builder) {
	for _, segment := range []code{
		asm(0, i32(0), opEnd, 2, 1, 2),
		asm(1, 0, 2, 2, 1),
		asm(2, 1, i32(0), opEnd, 0, 1, 1),
		asm(3, 0, 1, 3),
		asm(4, i32(2), opEnd, 1, opRefFunc, 2, opEnd),
		asm(5, typeFuncRef, 2, opRefFunc, 1, opEnd, opRefNull, typeFuncRef, opEnd),
		asm(6, 1, i32(1), opEnd, typeFuncRef, 1, opRefFunc, 2, opEnd),
		asm(7, typeFuncRef, 1, opRefFunc, 3, opEnd),
	} {
		b.elements.add(segment...)
	}
}

func TestFunctionsKeepTheirNames(t *testing.T) {
	module := shiftModule()
	plain := start(t, module, 0)
	in := metered(t, module, Options{}, 1<<40)
	for _, m := range []*instance{plain, in} {
		for name, want := range map[string]int32{"direct": 22, "call": 33, "tail": 11, "import": 21, "started": 5} {
			got, err := m.ExportedFunction(name).Call(t.Context())
			if err != nil || int32(got[0]) != want {
				t.Errorf("%s gives %v, want %d, error %v", name, got, want, err)
			}
		}
		want := []string{"11", "22", "22", "33", "22", "11", "11", "null", "11", "22", "22", "null", "null"}
		for i, w := range want {
			got := "null"
			if r, err := m.run(uint64(i)); err == nil {
				got = fmt.Sprint(r[0])
			}
			if got != w {
				t.Errorf("element %d gives %s, want %s", i, got, w)
			}
		}
	}
}

// TestImports instruments a module whose first global and table are another module's.
func TestImports(t *testing.T) {
	var library builder
	library.table(5, 0)
	library.export("table", kindTable, 0)
	library.export("global", kindGlobal, library.global(7))
	var b builder
	for name, descriptor := range map[string]code{
		"table":  {kindTable, typeFuncRef, 0, 5},
		"global": {kindGlobal, typeI32, 1},
	} {
		var c code
		c.name("library")
		c.name(name)
		c.bytes(descriptor...)
		b.imports.add(c...)
	}
	b.imported("env", ImportRefill, "l", "l")
	b.table(3, 0)
	b.global(100) // global 1
	b.export("sp", kindGlobal, 0)
	b.fillTable(1, 1)
	b.function("", "i", 0, i32(11)) // function 1
	b.exported("i", "i", 0, asm(
		opGlobalGet, 0, opGlobalGet, 1, opI32Add,
		opRefNull, typeFuncRef, i32(3), opPrefixMisc, miscTableGrow, 0, opI32Add,
		i32(1), opCallIndirect, 1, 0, opI32Add,
		get(0), opGlobalSet, 0))
	for name, module := range map[string][]byte{
		"plain":   b.module(),
		"metered": instrument(t, b.module(), Options{StackPointer: "sp"}),
	} {
		in := &instance{t: t, library: library.module(), host: host{budget: 100, quantum: 10}}
		if err := in.instantiate(module, 0); err != nil {
			t.Fatal(name, err)
		}
		if got := in.result(4); got != 7+100+5+11 {
			t.Errorf("%s gives %d", name, got)
		}
		if low := in.ExportedGlobal(ExportSPLow); low != nil && low.Get() != 4 {
			t.Error("the low mark is", low.Get())
		}
	}
}

// TestVectorInstructions instruments code with every kind of immediate that vector instructions have.
func TestVectorInstructions(t *testing.T) {
	const v = opPrefixVector
	var zeros code = make([]byte, 16)
	var b builder
	b.memory(1, 0)
	b.exported("i", "i", 0, asm(countdown(0, asm(
		v, vectorConst, zeros,
		v, vectorConst, zeros, v, vectorShuffle, zeros, // shuffle
		get(0), v, 0x17, 15, // i8x16.replace_lane
		v, 0x16, 3, opDrop, // i8x16.extract_lane_u
		i32(16), v, vectorConst, zeros, v, 0x0b, 4, 0x80, 1, // v128.store
		i32(16), v, 0x00, 0, 0, opDrop, // v128.load
		i32(16), v, 0x5c, 2, 0, // v128.load32_zero
		opDrop,
		i32(16), v, vectorConst, zeros, v, 0x54, 0, 0, 7, // v128.load8_lane
		v, 0xa0, 1, // i32x4.abs, an opcode of two bytes
		v, 0xff, 1, // f64x2.convert_low_i32x4_u
		opDrop)), i32(42)))
	module := b.module()
	if got := start(t, module, 0).result(3); got != 42 {
		t.Fatal("the module itself gives", got)
	}
	in := metered(t, module, Options{ReservePages: 1}, 1<<40)
	if got := in.result(3); got != 42 || in.used() != 4 {
		t.Errorf("gives %d for %d units", got, in.used())
	}
}
