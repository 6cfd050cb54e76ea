package schema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// maxNumberBytes is how long a number may be written.
const maxNumberBytes = 128

// unfit says why a number is refused, nil when it is not.
func unfit(literal string) *tool.Error {
	if len(literal) > maxNumberBytes {
		return tool.Errorf(tool.InvalidInput, "a number of %d characters is too long: %d are read", len(literal), maxNumberBytes)
	}
	if len(literal) < 16 && exponentOf(literal) < 0 {
		return nil
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f == 0 && parseDecimal(literal).digits != "" {
		return tool.Errorf(tool.InvalidInput, "the number %s fits no float64", quote(literal))
	}
	return nil
}

// decimal is an exact number: its digits as an integer, times ten to the exponent. Zero has no digits; others begin and
// end with one that is not 0, so that equal numbers are equal decimals.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal reads a number that JSON admits.
func parseDecimal(literal string) decimal {
	var d decimal
	mantissa, exponent := literal, ""
	if i := exponentOf(literal); i >= 0 {
		mantissa, exponent = literal[:i], literal[i+1:]
		d.exponent, _ = strconv.Atoi(exponent) // out of range only with a zero before it
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = whole
	if fraction != "" {
		d.digits += fraction
	}
	trimmed := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// exponentOf returns where the exponent of a number begins, less than 0 when it has none.
func exponentOf(literal string) int {
	return max(strings.IndexByte(literal, 'e'), strings.IndexByte(literal, 'E'))
}

func (v *Value) decimal() decimal { return parseDecimal(v.text) }

// whole reports whether d is an integer.
func (d decimal) whole() bool { return d.exponent >= 0 }

// compare is negative when d is less than e, positive when it is more.
func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() {
		return cmp.Compare(d.sign(), e.sign())
	}
	order := cmp.Or(
		cmp.Compare(len(d.digits)+d.exponent, len(e.digits)+e.exponent),
		strings.Compare(d.digits, e.digits),
	)
	return order * d.sign()
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// multipleOf reports whether d is a whole multiple of e, which is not zero.
func (d decimal) multipleOf(e decimal) bool {
	low := min(d.exponent, e.exponent)
	a, ok := d.small(low)
	if b, both := e.small(low); ok && both {
		return a%b == 0
	}
	return new(big.Int).Rem(d.scaled(low), e.scaled(low)).Sign() == 0
}

// small is the absolute value of d in units of ten to an exponent that is not above its own, if it is a small number.
func (d decimal) small(exponent int) (int64, bool) {
	zeros := d.exponent - exponent
	if d.digits == "" {
		return 0, true
	}
	if len(d.digits)+zeros > 18 {
		return 0, false
	}
	n, err := strconv.ParseInt(d.digits, 10, 64)
	for range zeros {
		n *= 10
	}
	return n, err == nil
}

// scaled is the absolute value of d in units of ten to an exponent that is not above its own.
func (d decimal) scaled(exponent int) *big.Int {
	if d.digits == "" {
		return new(big.Int)
	}
	i, _ := new(big.Int).SetString(d.digits, 10)
	if d.exponent == exponent {
		return i
	}
	return i.Mul(i, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil))
}

// count is d as a count of things; larger ones than can be are cut. It is -1 when d is no count.
func (d decimal) count() int {
	switch {
	case d.negative || !d.whole():
		return -1
	case len(d.digits)+d.exponent > 15:
		return 1e15
	}
	i, _ := strconv.Atoi("0" + d.digits + strings.Repeat("0", d.exponent))
	return i
}
