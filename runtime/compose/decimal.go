package compose

import (
	"cmp"
	"strconv"
	"strings"
)

// decimal is a JSON number, exactly: 0.digits times ten to the exponent. Zero has no digits.
type decimal struct {
	negative bool
	digits   string // without zeros in front and behind
	exponent int64
}

// maxExponent stands for all that are larger; nothing but their order is asked.
const maxExponent = 1 << 40

func newDecimal(number string) decimal {
	number, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := number, int64(0)
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		exponent, _ = strconv.ParseInt(number[i+1:], 10, 64) // out of range: the nearest that is within
		exponent = max(min(exponent, maxExponent), -maxExponent)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	d := decimal{negative, strings.TrimRight(significant, "0"), exponent + int64(len(whole)) - int64(len(digits)-len(significant))}
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// compare is negative when d is less than e, 0 when they are equal.
func (d decimal) compare(e decimal) int {
	if s := cmp.Compare(d.sign(), e.sign()); s != 0 {
		return s
	}
	magnitude := cmp.Or(cmp.Compare(d.exponent, e.exponent), strings.Compare(d.digits, e.digits))
	if d.negative {
		return -magnitude
	}
	return magnitude
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
