package meter

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestRefuses(t *testing.T) {
	header := "\x00asm\x01\x00\x00\x00"
	built := func(build func(b *builder)) []byte {
		var b builder
		build(&b)
		return b.module()
	}
	body := func(parts ...any) []byte {
		return built(func(b *builder) {
			b.memory(1, 0)
			b.exported("", "", 1, asm(parts...))
		})
	}
	raw := func(section byte, content ...byte) []byte {
		c := code(header)
		c.section(section, content)
		return c
	}
	imports := func(module string, descriptor ...byte) []byte {
		var c code
		c.bytes(1)
		c.name(module)
		c.name("x")
		c.bytes(descriptor...)
		return raw(sectionImport, c...)
	}
	exports := func(name string) []byte {
		return built(func(b *builder) { b.export(name, kindFunction, b.function("", "", 0, nil)) })
	}
	one := Options{ReservePages: 1}
	tests := []struct {
		name   string
		module []byte
		opt    Options
		want   string
	}{
		{"nothing", nil, one, "not a core WebAssembly module"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), one, "not a core WebAssembly module"},
		{"a large module", make([]byte, maxModule+1), one, "more than"},
		{"a section cut short", []byte(header + "\x01\x05\x00"), one, "5 bytes are announced, 1 are left"},
		{"an unknown section", raw(13, 0), one, "section 13 is not supported"},
		{"a section twice", append(raw(sectionType, 0), raw(sectionType, 0)[8:]...), one, "out of order"},
		{"data count after code", append(raw(sectionCode, 0), raw(sectionDataCount, 0)[8:]...), one, "out of order"},
		{"a section with a rest", raw(sectionType, 0, 0), one, "1 bytes are left over"},
		{"a count beyond the section", raw(sectionType, 0xff, 0xff, 0xff, 0xff, 0x0f), one, "items are announced"},
		{"a number too long", raw(sectionType, 0x80, 0x80, 0x80, 0x80, 0x80, 0), one, "does not fit 32 bits"},
		{"a number too large", raw(sectionType, 0x80, 0x80, 0x80, 0x80, 0x10), one, "does not fit 32 bits"},
		{"a type of another form", raw(sectionType, 1, 0x5f, 0), one, "type of form 0x5f"},
		{"a value of unknown type", raw(sectionType, 1, formFunction, 1, 0x69, 0), one, "unknown value type 0x69"},
		{"a thousand parameters and one", built(func(b *builder) {
			b.signature(strings.Repeat("i", maxValues+1), "")
		}), one, "parameters or results"},
		{"functions without code", raw(sectionFunction, 0), one, ""},
		{"a function without code", built(func(b *builder) {
			b.functions.add(0)
			b.signature("", "")
		}), one, "declares 1 functions and has the code of 0"},

		{"an imported memory", imports("env", kindMemory, 0, 1), one, "imported memory is not supported"},
		{"an imported tag", imports("env", 4, 0, 0), one, "import of unknown kind 4"},
		{"an import of the meter", built(func(b *builder) {
			b.imported(ImportModule, ImportRefill, "l", "l")
		}), one, `imports from "meter"`},
		{"an export of the meter's fuel", exports(ExportFuel), one, `exports "meter_fuel"`},
		{"an export of the meter's pages", exports(ExportPages), one, `exports "meter_pages"`},
		{"an export of the meter's limit", exports(ExportPagesLimit), one, `exports "meter_pages_limit"`},
		{"an export of the meter's mark", exports(ExportSPLow), one, `exports "meter_sp_low"`},
		{"two memories", raw(sectionMemory, 2, 0, 1, 0, 1), one, "more than one memory"},
		{"a shared memory", raw(sectionMemory, 1, 3, 1, 1), one, "no shared and no 64-bit"},
		{"a 64-bit memory", raw(sectionMemory, 1, 4, 1), one, "no shared and no 64-bit"},
		{"a memory of more than 4 GiB", raw(sectionMemory, 1, 0, 0x81, 0x80, 4), one, "limits of 65537"},
		{"a memory that cannot be", raw(sectionMemory, 1, 1, 2, 1), one, "limits of 2 to 1"},
		{"a large table", raw(sectionTable, 1, typeFuncRef, 0, 0x81, 0x80, 0x40), one, "more than 1048576"},
		{"large tables", raw(sectionTable, 2, typeFuncRef, 0, 1, typeFuncRef, 0, 0x81, 0x80, 0x20), one, "more than 524288"},
		{"a table with a start value", raw(sectionTable, 1, 0x40, 0, typeFuncRef, 0, 1), one, "unknown reference type 0x40"},
		{"a global that is half mutable", raw(sectionGlobal, 1, typeI32, 2, opI32Const, 0, opEnd), one, "mutability"},
		{"a call in a constant", raw(sectionGlobal, 1, typeI32, 0, opCall, 0, opEnd), one, "in a constant expression"},
		{"a constant without an end", raw(sectionGlobal, 1, typeI32, 0, opI32Const, 0), one, "unexpected end"},
		{"a constant from a later global", raw(sectionGlobal, 1, typeI32, 0, opGlobalGet, 0, opEnd), one, "global 0"},
		{"an element segment of kind 8", raw(sectionElement, 1, 8, 0), one, "element segment of unknown kind"},
		{"a data segment of kind 3", raw(sectionData, 1, 3, 0), one, "data segment of unknown kind"},
		{"data without a memory", raw(sectionData, 1, 0, opI32Const, 0, opEnd, 0), one, "without a memory"},
		{"an export of nothing", built(func(b *builder) { b.export("f", kindFunction, 0) }), one, "function 0 is used, the module has 0"},

		// Code that names what only the output has.
		{"a global that is to be added", body(i64(1<<40), opGlobalSet, 0), one, "global 0 is used, the module has 0"},
		{"a function that is to be added", body(call(1)), one, "function 1 is used, the module has 1"},
		{"a reference to what is to be added", body(opRefFunc, 1, opDrop), one, "function 1 is used"},
		{"a type that is to be added", body(i64(1), i32(0), opCallIndirect, 1, 0, opDrop), one, "type 1 is used"},
		{"a block of a type that is to be added", body(opBlock, 1, opEnd), one, "block type 1"},
		{"an element that is to be added", raw(sectionElement, 1, 0, opI32Const, 0, opEnd, 1, 0), one, "function 0 is used"},
		{"memory instructions without a memory", built(func(b *builder) {
			b.exported("", "", 0, asm(opMemorySize, 0, opDrop))
		}), one, "without a memory"},

		{"code after the end", body(opEnd, 1), one, "left over"},
		{"code without an end", body(opBlock, blockVoid), one, "unexpected end"},
		{"else without if", body(opElse), one, "else without if"},
		{"a second else", body(i32(1), opIf, blockVoid, opElse, opElse, opEnd), one, "else without if"},
		{"a branch to nowhere", body(opBr, 1), one, "leads 1 blocks out of 1"},
		{"a table branch to nowhere", body(i32(0), opBrTable, 1, 0, 7), one, "leads 7 blocks out of 1"},
		{"an unknown instruction", body(0x06), one, "unknown instruction 0x6"},
		{"an unknown bulk instruction", body(opPrefixMisc, 0x12), one, "unknown instruction 0xfc 0x12"},
		{"a bulk opcode not in its shortest form", body(opPrefixMisc, 0x8a, 0, 0, 0), one, "unknown instruction 0xfc 0x8a"},
		{"a vector opcode not in its shortest form", body(opPrefixVector, 0x8c, 0), one, "unknown vector instruction 0x8c"},
		{"a relaxed vector instruction", body(opPrefixVector, 0x80, 2), one, "unknown vector instruction 0x80"},
		{"an atomic instruction", body(opPrefixAtomic, 3, 0), one, "atomic instructions are not supported"},
		{"a second memory in memory.size", body(opMemorySize, 1, opDrop), one, "must be one byte 0x00"},
		{"a zero in two bytes", body(opMemorySize, 0x80, 0, opDrop), one, "must be one byte 0x00"},
		{"a second memory in a load", body(i32(0), 0x28, 0x42, 0, 0, opDrop), one, "more than one memory"},
		{"select of two types", body(0x1c, 2, typeI32, typeI32), one, "2 types instead of 1"},
		{"a block type not in its shortest form", body(opBlock, 0xff, 0x7f, opEnd), one, "block type -1"},
		{"a constant too large", body(opI32Const, 0xff, 0xff, 0xff, 0xff, 0x0f, opDrop), one, "does not fit 32 bits"},
		{"a long constant too large", body(opI64Const, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, opDrop), one, "does not fit 64 bits"},
		{"too many locals", built(func(b *builder) { b.function("", "", maxLocals+1, nil) }), one, "local variables"},
		{"blocks too deep", body(code(bytes.Repeat(asm(opBlock, blockVoid), maxDepth))), one, "nested more than"},
		{"loops too deep", body(code(bytes.Repeat(asm(opLoop, blockVoid), maxLoops+1))), one, "nested more than"},
		{"many functions", code(header + "\x01\x04\x01\x60\x00\x00\x03\x84\x80\xc0\x00\x81\x80\x40" +
			strings.Repeat("\x00", maxItems+1)), one, "1048577 items are more than"},

		{"no reservation", body(), Options{}, "ReservePages is 0; the module's memory needs 1 to 65536"},
		{"a reservation too large", body(), Options{ReservePages: maxPages + 1}, "ReservePages is 65537"},
		{"no such stack pointer", body(), Options{ReservePages: 1, StackPointer: "sp"}, `no export "sp"`},
		{"a function as stack pointer", body(), Options{ReservePages: 1, StackPointer: "run"}, "not a mutable i32 global"},
		{"a stack pointer of 64 bits", built(func(b *builder) {
			b.globals.add(asm(typeI64, 1, i64(0), opEnd)...)
			b.export("sp", kindGlobal, 0)
		}), Options{StackPointer: "sp"}, "not a mutable i32 global"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := Instrument(test.module, test.opt)
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *Error
			if out != nil || !errors.As(err, &e) || !strings.Contains(e.Reason, test.want) {
				t.Errorf("got %d bytes and error %v, want one with %q", len(out), err, test.want)
			}
		})
	}
}

func TestErrorNamesThePlace(t *testing.T) {
	_, err := Instrument([]byte("\x00asm\x01\x00\x00\x00\x0d\x00"), Options{})
	if got, want := err.Error(), "meter: byte 0xa of the module: section 13 is not supported"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSegments(t *testing.T) {
	var b builder
	b.memory(1, 0)
	b.imports.add(1, 'm', 1, 'g', kindGlobal, typeI32, 0)
	b.data(100, "hello")
	b.passiveData("left out")
	b.datas.add(0, opGlobalGet, 0, opEnd, 1, 0)
	b.datas.add(asm(0, i32(1), i32(2), opI32Add, opEnd, 1, 0)...)
	b.datas.add(asm(2, 0, i32(7), opEnd, 1, 0)...)
	b.data(-1, "")
	want := []Segment{{100, 5}, {7, 1}, {1<<32 - 1, 0}}
	for name, module := range map[string][]byte{
		"plain":   b.module(),
		"metered": instrument(t, b.module(), Options{ReservePages: 1}),
	} {
		got, err := Segments(module)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v, error %v", name, got, want, err)
		}
	}
	if _, err := Segments([]byte("no module")); err == nil {
		t.Error("no error for what is no module")
	}
}
