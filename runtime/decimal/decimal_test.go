package decimal_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/decimal"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0.00e-7": "0", "0e99999999999999999999": "0",
		"1": "1e0", "-1": "-1e0", "10": "1e1", "100.00": "1e2", "1E2": "1e2", "1e+2": "1e2", "0.10": "1e-1", "10e-2": "1e-1",
		"98.6": "986e-1", "986E-1": "986e-1", "-12.50e1": "-125e0", "0.001e3": "1e0", "1000000000000000000000": "1e21",
		"9007199254740993": "9007199254740993e0", "0.10000000000000001": "10000000000000001e-17",
		"1e99999999999": "1e99999999999", "1e99999999999999999999": "1e2305843009213693952", "1e-99999999999999999999": "1e-2305843009213693952",
	} {
		d := decimal.Parse(literal)
		if d.String() != want || decimal.Parse(want) != d {
			t.Errorf("%s: got %s, want %s", literal, d, want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	ordered := []string{
		"-1e99999999999", "-1e308", "-10.5", "-10", "-9.99", "-1", "-1e-400", "0", "1e-99999999999", "1e-400", "0.1", "0.10000000000000001", "0.5", "1",
		"9.99", "10", "10.5", "99", "100", "9007199254740992", "9007199254740993", "1e308", "1.1e308", "1e99999999998", "1e99999999999",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := min(max(i-j, -1), 1)
			if got := decimal.Parse(a).Compare(decimal.Parse(b)); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestInt64(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]struct {
		n  int64
		ok bool
	}{
		"0": {0, true}, "-0.0": {0, true}, "12e3": {12000, true}, "-1.5e1": {-15, true}, "1.5": {0, false}, "1e-1": {0, false},
		"9223372036854775807": {1<<63 - 1, true}, "-9223372036854775808": {-1 << 63, true}, "9223372036854775808": {0, false},
		"1e18": {1e18, true}, "1e19": {0, false}, "1e99999999999999999999": {0, false},
	} {
		if n, ok := decimal.Parse(literal).Int64(); n != want.n || ok != want.ok {
			t.Errorf("%s: %d, %v", literal, n, ok)
		}
	}
}

func TestMultipleOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of  string
		yes []string
		no  []string
	}{
		{"0.01", []string{"0.07", "19.99", "1e300", "0", "-0.0", "-0.03", "4.35"}, []string{"0.075", "1e-3", "1e-300"}},
		{"3", []string{"9007199254740993", "3e300", "-6", "111111111111111111"}, []string{"9007199254740992", "1e300", "1.5"}},
		{"-3", []string{"3", "-3"}, []string{"1"}},
		{"1234567890123456789012345", []string{"0", "2469135780246913578024690"}, []string{"1", "1234567890123456789012344"}},
		{"0", []string{"0", "0.00"}, []string{"1", "1e99999999999999999999"}},
		{"7", []string{"7e99999999999999999999"}, []string{"1e99999999999999999999", "1e-99999999999999999999"}},
	} {
		for i, list := range [][]string{c.yes, c.no} {
			for _, literal := range list {
				if got := decimal.Parse(literal).MultipleOf(decimal.Parse(c.of)); got != (i == 0) {
					t.Errorf("%s of %s: %v", literal, c.of, got)
				}
			}
		}
	}
}

// Large exponents cost nothing, and many digits what math/big takes for them.
func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1234567890", 2_000)
	start := time.Now()
	for _, a := range []string{long, "0." + long, long + "e999999999", "1e999999999999", "1e-999999999999", "0e999999999999"} {
		for _, b := range []string{"7", "0.3", "9e999999999999", "123456789012345678901e-999999999999", long} {
			x, y := decimal.Parse(a), decimal.Parse(b)
			x.Compare(y)
			x.MultipleOf(y)
			x.Int64()
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// moderate are numbers that math/big reads in reasonable time.
var moderate = regexp.MustCompile(`^-?[0-9.]{1,40}([eE][-+]?[0-9]{1,3})?$`)

// FuzzDecimal compares everything with math/big.
func FuzzDecimal(f *testing.F) {
	f.Add("1.50e2", "-0.03")
	f.Add("-0", "0e7")
	f.Add("9007199254740993", "9007199254740992")
	f.Add("123456789012345678901234567890", "7e-30")
	f.Add("999999999999999999", "1e18")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) || !moderate.MatchString(a) || !moderate.MatchString(b) {
			return
		}
		x, y := decimal.Parse(a), decimal.Parse(b)
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if got, want := x.Compare(y), p.Cmp(q); got != want || (x == y) != (want == 0) {
			t.Errorf("%s and %s: %d, want %d; equal: %v", a, b, got, want, x == y)
		}
		if x.Sign() != p.Sign() || x.IsInteger() != p.IsInt() {
			t.Errorf("%s: sign %d, integer %v", a, x.Sign(), x.IsInteger())
		}
		if n, ok := x.Int64(); ok != (p.IsInt() && p.Num().IsInt64()) || ok && n != p.Num().Int64() {
			t.Errorf("%s: %d, %v", a, n, ok)
		}
		if q.Sign() != 0 && x.MultipleOf(y) != new(big.Rat).Quo(p, q).IsInt() {
			t.Errorf("%s is a multiple of %s: %v", a, b, x.MultipleOf(y))
		}
		if back, ok := new(big.Rat).SetString(x.String()); !ok || back.Cmp(p) != 0 || decimal.Parse(x.String()) != x {
			t.Errorf("%s is spelled %s", a, x)
		}
	})
}
