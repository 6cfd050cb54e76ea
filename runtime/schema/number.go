package schema

import (
	"strconv"

	"example.com/toolsmith/runtime/decimal"
	"example.com/toolsmith/runtime/tool"
)

// maxNumberBytes is how long a number may be written.
const maxNumberBytes = 128

// unfit says why a number is refused, nil when it is not.
func unfit(literal string) *tool.Error {
	if len(literal) > maxNumberBytes {
		return unreadable("give it as a string, or with fewer digits", "a number of %d characters is too long: %d are read", len(literal), maxNumberBytes)
	}
	if len(literal) < 16 && decimal.Exponent(literal) < 0 {
		return nil
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f == 0 && decimal.Parse(literal).Sign() != 0 {
		return unreadable("give it as a string, or one that is nearer to 0 or farther from it", "the number %s fits no float64", quote(literal))
	}
	return nil
}

func (v *Value) decimal() decimal.Decimal { return decimal.Parse(v.text) }

// maxCount is what larger counts are cut to.
const maxCount = 1e15

// count is a number as a count of things, -1 when it is none.
func (v *Value) count() int {
	d := v.decimal()
	if d.Sign() < 0 || !d.IsInteger() {
		return -1
	}
	if n, ok := d.Int64(); ok && n < maxCount {
		return int(n)
	}
	return maxCount
}
