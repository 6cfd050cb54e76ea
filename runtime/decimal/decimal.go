// Package decimal holds the numbers of JSON exactly as they are written, and compares them by value.
//
// The package imports nothing of ours. Decimals are plain values.
package decimal

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// Decimal is an exact number: its digits as an integer, times ten to the exponent. Zero has no digits; others begin and end
// with one that is not 0, so that equal numbers are equal Decimals, by == too. The zero value is 0.
type Decimal struct {
	negative bool
	digits   string
	exponent int64
}

// maxExponent stands for all that are larger: numbers that differ in nothing else are alike.
const maxExponent = 1 << 61

// Parse reads a number that is written as JSON has it; of other texts the result means nothing.
func Parse(literal string) Decimal {
	var d Decimal
	mantissa := literal
	if i := Exponent(literal); i >= 0 {
		mantissa = literal[:i]
		exponent, _ := strconv.ParseInt(literal[i+1:], 10, 64) // out of range: the nearest that is within
		d.exponent = max(min(exponent, maxExponent), -maxExponent)
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	trimmed := strings.TrimRight(digits, "0")
	d.exponent += int64(len(digits) - len(trimmed) - len(fraction))
	d.digits = strings.TrimLeft(trimmed, "0")
	if d.digits == "" {
		return Decimal{}
	}
	return d
}

// Exponent returns where in a number the letter stands that its exponent follows, less than 0 when it has none.
func Exponent(literal string) int {
	return max(strings.IndexByte(literal, 'e'), strings.IndexByte(literal, 'E'))
}

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// IsInteger reports whether d is an integer, however it was written.
func (d Decimal) IsInteger() bool { return d.exponent >= 0 }

// Compare is negative when d is less than e, positive when it is more.
func (d Decimal) Compare(e Decimal) int {
	if d.Sign() != e.Sign() {
		return cmp.Compare(d.Sign(), e.Sign())
	}
	order := cmp.Or(
		cmp.Compare(int64(len(d.digits))+d.exponent, int64(len(e.digits))+e.exponent),
		strings.Compare(d.digits, e.digits),
	)
	return order * d.Sign()
}

// Int64 is d as an integer; false when it is none, or does not fit.
func (d Decimal) Int64() (int64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if !d.IsInteger() || int64(len(d.digits))+d.exponent > 19 {
		return 0, false
	}
	text := d.digits + strings.Repeat("0", int(d.exponent))
	if d.negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// MultipleOf reports whether d is a whole multiple of e, which nothing but 0 is of 0. Large exponents cost nothing; digits
// cost what math/big takes for them, so bound their number before.
func (d Decimal) MultipleOf(e Decimal) bool {
	zeros := d.exponent - e.exponent
	switch {
	case d.digits == "":
		return true
	case e.digits == "" || zeros < 0: // the last digit of d, which is not 0, stands behind that of e
		return false
	case int64(len(d.digits))+zeros <= 18 && len(e.digits) <= 18:
		return small(d.digits, zeros)%small(e.digits, 0) == 0
	}
	by := whole(e.digits)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(zeros), by)
	return power.Rem(power.Mul(power, whole(d.digits)), by).Sign() == 0
}

// small is an integer of at most 18 digits and zeros.
func small(digits string, zeros int64) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	for range zeros {
		n *= 10
	}
	return n
}

func whole(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

// Append appends the one spelling of d, such as -15e-1.
func (d Decimal) Append(text []byte) []byte {
	if d.digits == "" {
		return append(text, '0')
	}
	if d.negative {
		text = append(text, '-')
	}
	return strconv.AppendInt(append(append(text, d.digits...), 'e'), d.exponent, 10)
}

// String is the one spelling of d.
func (d Decimal) String() string { return string(d.Append(nil)) }
