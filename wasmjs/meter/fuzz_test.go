package meter

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tetratelabs/wazero"
)

// FuzzInstrument checks that no bytes make the package panic, that the engine accepts the output exactly when it
// accepts the input, and that small modules then do the same with and without the meter.
func FuzzInstrument(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(checkAlike)
}

// FuzzBody does the same with the bytes as the code of one function, which gets the fuzzer to instructions.
func FuzzBody(f *testing.F) {
	f.Add([]byte(asm(get(0), opIf, blockVoid, opElse, opEnd, forever, i32(1))))
	f.Add([]byte(asm(i32(7), i32(1), opCallIndirect, 0, 0)))
	f.Add([]byte(asm(i32(1), opMemoryGrow, 0, opMemorySize, 0, opI32Add, opReturnCall, 0)))
	f.Add([]byte(asm(i32(0), opPrefixVector, 0, 0, 0, opPrefixVector, 0xa0, 1, opPrefixVector, 0x1b, 2)))
	f.Add([]byte(asm(i32(0), i32(1), i32(300_000), opPrefixMisc, miscMemoryCopy, 0, 0, i32(0))))
	f.Add([]byte(asm(opRefNull, typeFuncRef, i32(3), opPrefixMisc, miscTableGrow, 0)))
	f.Add([]byte(asm(opRefFunc, 0, 0xd1, i32(2), opBrTable, 2, 0, 0, 0)))
	f.Fuzz(func(t *testing.T, body []byte) { checkAlike(t, around(body)) })
}

// around makes a module with something of every kind and the body as an export of it.
func around(body []byte) []byte {
	var b builder
	b.memory(6, 0)
	b.table(3, 0)
	b.fillTable(0, 1)
	b.global(1)
	b.passiveData("data")
	b.function("", "i", 0, i32(3))
	b.exported("", "i", 4, body)
	b.function("i", "i", 0, asm(get(0), opIf, typeI32, i32(0), opElse, get(0), call(1), opEnd))
	b.signature("ii", "ii")
	return b.module()
}

// checkAlike holds a module against its metered form.
func checkAlike(t *testing.T, module []byte) {
	t.Helper()
	checkSegments(t, module)
	pages, ok := smallMemory(module)
	if !ok {
		pages = maxPages
	}
	out, err := Instrument(module, Options{ReservePages: pages})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Reason == "" || e.Offset > len(module) {
			t.Fatalf("not a proper error: %#v", err)
		}
		return
	}
	if again, _ := Instrument(module, Options{ReservePages: pages}); !bytes.Equal(out, again) {
		t.Fatal("two instrumentations differ")
	}
	if ok && compileAlike(t, module, out, pages) {
		runAlike(t, module, out, pages)
	}
}

// seeds are modules with all that the package knows.
func seeds() [][]byte {
	var loops, bulk, grow builder
	loops.exported("", "i", 2, asm(i32(9), set(0), countdown(0, asm(
		get(1), opIf, blockVoid, get(1), opBrTable, 1, 0, 1, opElse, i32(3), set(1), opEnd)), get(1)))
	bulk.memory(6, 6)
	bulk.passiveData("abcdef")
	bulk.exported("", "i", 0, asm(
		i32(0), i32(1), i32(3), opPrefixMisc, miscMemoryInit, 0, 0,
		i32(1), i32(0), i32(300_000), opPrefixMisc, miscMemoryCopy, 0, 0,
		i32(9), i32(7), i32(300_000), opPrefixMisc, miscMemoryFill, 0,
		i32(5), 0x28, 2, 0))
	grow.memory(1, 2)
	grow.table(1, 9)
	grow.fillTable(0)
	grow.exported("", "i", 0, asm(
		opRefNull, typeFuncRef, i32(2), opPrefixMisc, miscTableGrow, 0,
		i32(1), opMemoryGrow, 0, opI32Add, opMemorySize, 0, opI32Add))
	return [][]byte{loops.module(), bulk.module(), grow.module(), shiftModule(), bulkModule(miscMemoryCopy, code{0, 0})}
}

func checkSegments(t *testing.T, module []byte) {
	t.Helper()
	segments, err := Segments(module)
	if err != nil && segments != nil {
		t.Fatal("segments besides an error")
	}
}

// smallMemory gives the pages of the module's memory, at least 1; not ok means more than a fuzzer should touch.
func smallMemory(module []byte) (pages uint32, ok bool) {
	m, err := parse(module)
	if err != nil || m.memory == nil {
		return 1, err == nil
	}
	return max(1, m.memory.min), m.memory.min <= 32
}

// compileAlike compiles both and tells whether they can be run.
func compileAlike(t *testing.T, module, out []byte, pages uint32) bool {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features).WithMemoryLimitPages(pages))
	defer r.Close(ctx)
	_, plainErr := r.CompileModule(ctx, module)
	_, meteredErr := r.CompileModule(ctx, out)
	if (plainErr == nil) != (meteredErr == nil) && !hasCustom(module) {
		t.Fatalf("plain: %v, metered: %v", plainErr, meteredErr)
	}
	return plainErr == nil && meteredErr == nil
}

// hasCustom tells whether the module has custom sections: the output has not, so faults in them do not count.
func hasCustom(module []byte) bool {
	r := newReader(module)
	for r.pos = 8; r.more(); r.part() {
		if r.u8() == sectionCustom {
			return true
		}
	}
	return false
}

// runAlike runs every export without parameters. With a reservation of the module's own minimum, growing fails
// for both and no address is in one memory only.
func runAlike(t *testing.T, module, out []byte, pages uint32) {
	t.Helper()
	if m, _ := parse(module); m.memory != nil && m.memory.min == 0 {
		return
	}
	in := &instance{t: t, host: host{budget: 20_000, quantum: 100}}
	meteredErr := in.instantiate(out, pages)
	if errors.Is(meteredErr, errFuel) {
		return
	}
	plain := &instance{t: t}
	plainErr := plain.instantiate(module, pages)
	if (meteredErr == nil) != (plainErr == nil) {
		t.Fatalf("instantiated metered: %v, plain: %v", meteredErr, plainErr)
	}
	if plainErr != nil {
		return
	}
	for name, f := range plain.ExportedFunctionDefinitions() {
		if len(f.ParamTypes()) == 0 && !callAlike(t, in, plain, name) {
			return
		}
	}
}

// callAlike calls one export and tells whether to go on.
func callAlike(t *testing.T, in, plain *instance, name string) bool {
	t.Helper()
	got, meteredErr := in.ExportedFunction(name).Call(context.Background())
	if errors.Is(meteredErr, errFuel) || trap(meteredErr) == "wasm error: stack overflow" {
		return false
	}
	want, plainErr := plain.ExportedFunction(name).Call(context.Background())
	if trap(meteredErr) != trap(plainErr) {
		t.Fatalf("%s metered: %v, plain: %v", name, meteredErr, plainErr)
	}
	for i := range want {
		// The bits of a NaN are the engine's choice, and references are addresses.
		if got[i] != want[i] && plain.ExportedFunction(name).Definition().ResultTypes()[i] == typeI32 {
			t.Fatalf("%s gives %d metered, %d plain", name, got[i], want[i])
		}
	}
	return plainErr == nil
}
