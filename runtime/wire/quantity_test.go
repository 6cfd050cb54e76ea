package wire_test

import (
	"testing"
	"time"

	"example.com/toolsmith/runtime/wire"
)

func TestQuantity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]wire.Quantity{
		"1": 1, "128Mi": 128 << 20, "1Gi": 1 << 30, "64Ki": 64 << 10, "50M": 50e6, "2k": 2000, "10G": 10e9,
		"18446744073709551615": 1<<64 - 1,
		// What is no quantity stays zero.
		"": 0, "0": 0, "00Mi": 0, "01": 0, "-1": 0, "-1Mi": 0, "1.5Gi": 0, "1e9": 0, "Mi": 0, "1 Mi": 0, "1mi": 0, "1KiB": 0, "+1": 0,
		"1_000": 0, "0x10": 0, "1K": 0, "1MiMi": 0, "18446744073709551616": 0, "18014398509481984Ki": 0, "1m": 0, "i": 0,
	} {
		var got wire.Quantity
		if err := got.UnmarshalText([]byte(text)); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"2s": 2 * time.Second, "500ms": time.Second / 2, "1m30s": 90 * time.Second,
		"": 0, "0s": 0, "-1s": 0, "5": 0, "0": 0, "soon": 0, "1 s": 0,
	} {
		var got wire.Period
		if err := got.UnmarshalText([]byte(text)); time.Duration(got) != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v, want %v", text, time.Duration(got), err, want)
		}
	}
}

func TestQuantityString(t *testing.T) {
	t.Parallel()
	for q, want := range map[wire.Quantity]string{
		0: "0", 1: "1", 1000: "1k", 1024: "1Ki", 1500: "1500", 128 << 20: "128Mi", 50e6: "50M", 1e9: "1G", 3 << 30: "3Gi",
	} {
		if got := q.String(); got != want {
			t.Errorf("%d is written %s, want %s", uint64(q), got, want)
		}
	}
	if got := wire.Period(1500 * time.Millisecond).String(); got != "1.5s" {
		t.Errorf("1500 ms are written %s", got)
	}
}
