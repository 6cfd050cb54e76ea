package cli

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// quantity is a flag that takes a whole number above zero, with the suffixes that Kubernetes has: 128Mi, 50M, 4096.
type quantity uint64

var scales = map[string]uint64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}

// String is empty while the flag is not given.
func (q *quantity) String() string {
	if *q == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*q), 10)
}

// Set reads a number and its suffix.
func (q *quantity) Set(text string) error {
	suffix := strings.TrimLeft(text, "0123456789")
	number, err := strconv.ParseUint(strings.TrimSuffix(text, suffix), 10, 64)
	scale, known := scales[suffix]
	high, value := bits.Mul64(number, scale)
	switch {
	case strings.HasPrefix(text, "-") || err == nil && number == 0:
		return errAboveZero
	case err != nil && !errors.Is(err, strconv.ErrRange) || !known:
		return errors.New("write a whole number, with k, M, G, Ki, Mi or Gi behind it if need be, as in 1500k or 64Mi")
	case err != nil || high != 0:
		return errors.New("the number is too large")
	}
	*q = quantity(value)
	return nil
}

// Type is what help calls the value.
func (q *quantity) Type() string { return "N" }

var errAboveZero = errors.New("it must be above zero; nothing is unlimited: leave the flag out for the default")

// seed is a flag that takes a whole number above zero.
type seed uint64

// String is empty while the flag is not given.
func (s *seed) String() string { return (*quantity)(s).String() }

// Set reads a decimal number.
func (s *seed) Set(text string) error {
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil || number == 0 {
		return fmt.Errorf("a seed is a whole number from 1 to %d, in decimal; leave the flag out for a fresh one", uint64(math.MaxUint64))
	}
	*s = seed(number)
	return nil
}

// Type is what help calls the value.
func (s *seed) Type() string { return "N" }

// period is a flag that takes a duration above zero.
type period time.Duration

// String is empty while the flag is not given.
func (p *period) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Set reads a duration as Go writes them.
func (p *period) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return fmt.Errorf("write a number and its unit: 500ms, 5s, 1m")
	case d <= 0:
		return errAboveZero
	}
	*p = period(d)
	return nil
}

// Type is what help calls the value.
func (p *period) Type() string { return "DURATION" }

// span is a flag that takes a duration of zero or more, also in days.
type span time.Duration

// String is empty while the flag is not given.
func (s *span) String() string { return (*period)(s).String() }

// Set reads a duration as Go writes them, or a whole number of days: 30d.
func (s *span) Set(text string) error {
	const day, bits = 24 * time.Hour, 16 // so that it does not overflow
	if days, whole := strings.CutSuffix(text, "d"); whole {
		if n, err := strconv.ParseUint(days, 10, bits); err == nil {
			*s = span(time.Duration(n) * day)
			return nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("write a number and its unit: 90m, 24h, 30d")
	}
	*s = span(d)
	return nil
}

// Type is what help calls the value.
func (s *span) Type() string { return "DURATION" }
