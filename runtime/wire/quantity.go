package wire

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Quantity is a limit: a whole number above zero, with the suffixes that Kubernetes has: 128Mi, 50M, 4096. Its zero value
// is a limit that was not given.
type Quantity uint64

var scales = map[string]uint64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}

var errAboveZero = errors.New("a limit is above zero; nothing is unlimited: leave it out for the default")

// UnmarshalText reads a number and its suffix.
func (q *Quantity) UnmarshalText(text []byte) error {
	suffix := strings.TrimLeft(string(text), "0123456789")
	digits := strings.TrimSuffix(string(text), suffix)
	scale, known := scales[suffix]
	number, err := strconv.ParseUint(digits, 10, 64)
	high, value := bits.Mul64(number, scale)
	switch {
	case strings.HasPrefix(suffix, "-") || err == nil && number == 0:
		return errAboveZero
	case errors.Is(err, strconv.ErrRange) || high != 0:
		return errors.New("the number is too large")
	case err != nil || !known || digits[0] == '0':
		return errors.New("write a whole number, with Ki, Mi, Gi, k, M or G behind it if need be: 128Mi")
	}
	*q = Quantity(value)
	return nil
}

// String writes the quantity with the largest suffix that leaves it whole.
func (q Quantity) String() string {
	for _, suffix := range []string{"Gi", "G", "Mi", "M", "Ki", "k"} {
		if scale := scales[suffix]; q != 0 && uint64(q)%scale == 0 {
			return strconv.FormatUint(uint64(q)/scale, 10) + suffix
		}
	}
	return strconv.FormatUint(uint64(q), 10)
}

// Period is a limit in time, as Go writes durations: 500ms, 5s, 1m. Its zero value is a limit that was not given.
type Period time.Duration

// UnmarshalText reads a number and its unit.
func (p *Period) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	switch {
	case err == nil && d <= 0:
		return errAboveZero
	case err != nil:
		return errors.New("write a number and its unit: 500ms, 5s, 1m")
	}
	*p = Period(d)
	return nil
}

// String writes the period as Go writes durations.
func (p Period) String() string { return time.Duration(p).String() }
