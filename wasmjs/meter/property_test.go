package meter

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMeteringChangesNothing generates modules and checks that each does the same with and without the meter.
func TestMeteringChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		module := generate(rt)
		in := &instance{t: t, host: host{budget: 300_000, quantum: rapid.Int64Range(1, 5000).Draw(rt, "quantum")}}
		if err := in.instantiate(instrument(t, module, Options{ReservePages: generatedPages, StackPointer: "g0"}), 0); err != nil {
			rt.Fatal("the metered module does not start: ", err)
		}
		args := []uint64{rapid.Uint64Range(0, math.MaxUint32).Draw(rt, "a"), rapid.Uint64Range(0, math.MaxUint32).Draw(rt, "b")}
		got, meteredErr := in.run(args...)
		if errors.Is(meteredErr, errFuel) {
			return
		}
		plain := start(t, module, 0)
		want, plainErr := plain.run(args...)
		if trap(meteredErr) != trap(plainErr) {
			rt.Fatalf("metered: %v, plain: %v", meteredErr, plainErr)
		}
		if plainErr == nil && got[0] != want[0] {
			rt.Fatalf("metered gives %d, plain %d", got[0], want[0])
		}
		compareState(rt, in, plain)
	})
}

// compareState compares globals and memories.
func compareState(rt *rapid.T, in, plain *instance) {
	for _, name := range []string{"g0", "g1"} {
		if got, want := in.ExportedGlobal(name).Get(), plain.ExportedGlobal(name).Get(); got != want {
			rt.Fatalf("%s is %d metered, %d plain", name, got, want)
		}
	}
	size := plain.Memory().Size()
	if got := in.ExportedGlobal(ExportPages).Get() << 16; got != uint64(size) {
		rt.Fatalf("the memory has %d bytes metered, %d plain", got, size)
	}
	got, _ := in.Memory().Read(0, size)
	want, _ := plain.Memory().Read(0, size)
	for i := range want {
		if got[i] != want[i] {
			rt.Fatalf("byte %d is %d metered, %d plain", i, got[i], want[i])
		}
	}
}

const (
	generatedPages = 9 // reserved, more than two pieces; the module starts with one less
	variables      = 4 // i32 locals of a generated function that statements use
	loopDepth      = 3 // locals behind them that count loops
)

// generator writes the body of one function: statements that leave nothing on the stack, and expressions that
// leave an i32. Loops are bounded and calls go to functions that are done, so everything ends.
type generator struct {
	*rapid.T
	done   uint32 // functions that can be called: (i32, i32) -> i32
	tables uint32 // of them, those in the table
	labels []byte // open blocks, outermost first; loops cannot be branched to
	loops  int
}

func generate(rt *rapid.T) []byte {
	var b builder
	b.memory(generatedPages-1, generatedPages)
	b.export("g0", kindGlobal, b.global(0x7000))
	b.export("g1", kindGlobal, b.global(0))
	n := rapid.IntRange(1, 5).Draw(rt, "functions")
	var inTable []uint32
	for i := range n {
		g := &generator{T: rt, done: uint32(i), tables: min(uint32(i), 2)}
		body := asm(g.statements(4), g.expression(3))
		f := b.function("ii", "i", variables-2+loopDepth, body)
		if i < 2 {
			inTable = append(inTable, f)
		}
		if i == n-1 {
			b.export("run", kindFunction, f)
		}
	}
	b.table(4, 0)
	b.fillTable(inTable...)
	return b.module()
}

func (g *generator) number(label string, n int) int { return rapid.IntRange(0, n-1).Draw(g.T, label) }

func (g *generator) variable() code { return get(uint32(g.number("variable", variables))) }

func (g *generator) statements(depth int) code {
	var c code
	for range g.number("statements", 5) {
		c.bytes(g.statement(depth)...)
	}
	return c
}

func (g *generator) statement(depth int) code {
	if depth == 0 {
		return g.simple(0)
	}
	switch g.number("statement", 8) {
	case 0:
		return g.block(opIf, asm(g.expression(depth-1)), depth)
	case 1:
		return g.block(opBlock, nil, depth)
	case 2:
		return g.loop(depth)
	case 3:
		return g.branch(depth)
	case 4:
		return g.bulk(depth)
	case 5:
		return asm(g.expression(depth), opDrop)
	}
	return g.simple(depth)
}

// simple is an assignment or a store.
func (g *generator) simple(depth int) code {
	value := g.expression(min(depth, 2))
	switch g.number("simple", 4) {
	case 0:
		return asm(value, opGlobalSet, g.number("global", 2))
	case 1:
		return asm(g.address(), value, 0x36, 0, g.number("offset", 100)) // i32.store
	case 2:
		return asm(g.address(), value, 0x3a, 0, 0) // i32.store8
	}
	return asm(value, set(uint32(g.number("variable", variables))))
}

// address is one within the first page, or one that no memory here has.
func (g *generator) address() code {
	if g.number("wild", 100) == 0 {
		return asm(g.variable(), i32(-1<<31), 0x72) // i32.or
	}
	return asm(g.variable(), i32(0xffff-200), 0x71) // i32.and
}

// block is an if with two arms, or a block.
func (g *generator) block(op byte, before code, depth int) code {
	g.labels = append(g.labels, op)
	c := asm(before, int(op), blockVoid, g.statements(depth-1))
	if op == opIf && g.number("else", 2) == 1 {
		c.bytes(asm(opElse, g.statements(depth-1))...)
	}
	g.labels = g.labels[:len(g.labels)-1]
	return append(c, opEnd)
}

// loop counts down from up to 7, with a step back from within or from its end.
func (g *generator) loop(depth int) code {
	if g.loops == loopDepth {
		return nil
	}
	counter := uint32(variables + g.loops)
	g.loops++
	g.labels = append(g.labels, opLoop)
	c := asm(i32(int32(1+g.number("times", 7))), set(counter), countdown(counter, g.statements(depth-1)))
	g.labels = g.labels[:len(g.labels)-1]
	g.loops--
	return c
}

// branch leaves blocks, perhaps, or by a table.
func (g *generator) branch(depth int) code {
	var targets []int
	for i, op := range g.labels {
		if op != opLoop {
			targets = append(targets, len(g.labels)-1-i)
		}
	}
	if len(targets) == 0 {
		return nil
	}
	to := func() int { return targets[g.number("label", len(targets))] }
	switch g.number("branch", 4) {
	case 0:
		return asm(opBr, to())
	case 1:
		return asm(g.expression(depth-1), opBrTable, 2, to(), to(), to())
	case 2:
		return asm(g.expression(depth-1), opReturn)
	}
	return asm(g.expression(depth-1), opBrIf, to())
}

// bulk copies, fills or grows. Lengths go up to nearly all of the memory, and far beyond it.
func (g *generator) bulk(depth int) code {
	length := i32(int32(rapid.SampledFrom([]int{0, 1, 100, pieceBytes, pieceBytes + 1, 7<<16 - 3, 1 << 30}).Draw(g.T, "length")))
	switch g.number("bulk", 3) {
	case 0:
		return asm(g.address(), g.address(), length, opPrefixMisc, miscMemoryCopy, 0, 0)
	case 1:
		return asm(g.address(), g.expression(depth-1), length, opPrefixMisc, miscMemoryFill, 0)
	}
	return asm(i32(int32(g.number("pages", 3))), opMemoryGrow, 0, set(0))
}

func (g *generator) expression(depth int) code {
	if depth <= 0 {
		return g.leaf()
	}
	switch g.number("expression", 7) {
	case 0:
		return asm(g.address(), 0x28, 0, g.number("offset", 100)) // i32.load
	case 1:
		return g.call(depth)
	case 2:
		return asm(g.expression(depth-1), g.expression(depth-1), g.expression(depth-1), opSelect)
	case 3:
		return asm(g.expression(depth-1), opIf, typeI32, g.leaf(), opElse, g.leaf(), opEnd)
	case 4:
		return g.leaf()
	}
	// Comparisons and arithmetic, division included.
	return asm(g.expression(depth-1), g.expression(depth-1), rapid.SampledFrom([]int{
		0x46, 0x48, 0x4d, 0x6a, 0x6b, 0x6c, 0x6d, 0x70, 0x71, 0x72, 0x73, 0x74, 0x76, 0x78,
	}).Draw(g.T, "operation"))
}

func (g *generator) call(depth int) code {
	args := asm(g.expression(depth-1), g.expression(depth-1))
	if g.done == 0 {
		return asm(args, opI32Add)
	}
	if g.number("indirect", 3) == 0 && g.tables > 0 {
		return asm(args, i32(int32(g.number("element", int(g.tables)+1))), opCallIndirect, 0, 0)
	}
	return asm(args, call(uint32(g.number("callee", int(g.done)))))
}

func (g *generator) leaf() code {
	switch g.number("leaf", 5) {
	case 0:
		return asm(opGlobalGet, g.number("global", 2))
	case 1:
		return asm(opMemorySize, 0)
	case 2:
		return i32(rapid.Int32().Draw(g.T, "constant"))
	}
	return g.variable()
}
