package meter

import (
	"bytes"
	"testing"
)

// straight is code of the given weight, which is even.
func straight(weight int) code { return bytes.Repeat(asm(get(0), set(0)), weight/2) }

// TestWays runs code in which ways part and meet. Two stretches of half together are not charged in between,
// three are. Each function pays one unit at its entry.
func TestWays(t *testing.T) {
	const halfWeight = chargeEvery/2 - 8
	half := straight(halfWeight)
	tests := []struct {
		name string
		body code
		arg  uint64
		want int64
	}{
		{"two halves", asm(half, half), 0, 1},
		{"three halves", asm(half, half, half), 0, 2},
		{"over a branch", asm(opBlock, blockVoid, half, half, opBr, 0, opEnd, half), 0, 2},
		{"over a branch further out", asm(opBlock, blockVoid, opBlock, blockVoid, half, half, opBr, 1, opEnd, opEnd, half), 0, 2},
		{"over a branch that is taken", asm(opBlock, blockVoid, half, half, get(0), opBrIf, 0, opUnreachable, opEnd, half), 1, 2},
		{"over a table", asm(opBlock, blockVoid, opBlock, blockVoid, half, half, get(0), opBrTable, 1, 0, 1, opEnd, opUnreachable, opEnd, half), 5, 2},
		{"past an arm that leaves", asm(opBlock, blockVoid, half, half, get(0), opIf, blockVoid, opBr, 1, opEnd, half, opEnd), 0, 2},
		{"out by the arm that leaves", asm(opBlock, blockVoid, half, half, get(0), opIf, blockVoid, opBr, 1, opEnd, half, opEnd), 1, 1},
		{"behind a short arm", asm(get(0), opIf, blockVoid, half, half, opElse, opEnd, half), 0, 2},
		{"the second of two arms", asm(half, get(0), opIf, blockVoid, half, opElse, half, opEnd), 0, 1},
		{"behind a return", asm(half, half, get(0), opIf, blockVoid, opReturn, opEnd, half), 0, 2},
		{"behind code that is dead", asm(opBlock, blockVoid, opBr, 0, half, half, half, opEnd, half), 0, 1},
		{"behind a loop", asm(half, half, i32(1), set(0), countdown(0, nil), half, half), 0, 2},
		{"a loop in one arm", asm(half, half, get(0), opIf, blockVoid, i32(2), set(0), countdown(0, nil), opElse, opEnd, half), 0, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b builder
			b.exported("i", "", 0, test.body)
			in := metered(t, b.module(), Options{}, 1<<40)
			if _, err := in.run(test.arg); err != nil {
				t.Fatal(err)
			}
			if in.used() != test.want {
				t.Errorf("%d units used, want %d", in.used(), test.want)
			}
		})
	}
}

func TestManyLoopsInARow(t *testing.T) {
	var b builder
	b.exported("", "", 0, bytes.Repeat(asm(opLoop, blockVoid, opEnd), 2*maxLoops))
	in := metered(t, b.module(), Options{}, 1<<40)
	if _, err := in.run(); err != nil || in.used() != 1+2*maxLoops {
		t.Errorf("%d units used, error %v", in.used(), err)
	}
}
