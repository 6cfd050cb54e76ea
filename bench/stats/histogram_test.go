package stats

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestClassesAreNarrowAndInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64Range(0, math.MaxInt64).Draw(t, "v")
		c := class(v)
		if c < 0 || c >= classes {
			t.Fatalf("%d is of class %d", v, c)
		}
		if m := most(c); m < v || m-v > v/32 {
			t.Fatalf("%d is of a class up to %d", v, m)
		}
		if c > 0 && most(c-1) >= v {
			t.Fatalf("%d is of class %d, and the one before goes up to %d", v, c, most(c-1))
		}
	})
}

func TestHistogramPercentiles(t *testing.T) {
	t.Parallel()
	var h, other Histogram
	if got := h.Percentile(0.5); !math.IsNaN(got) {
		t.Errorf("an empty one has the median %v", got)
	}
	for i := range 100 {
		to := &h
		if i%2 == 0 {
			to = &other
		}
		to.Add(time.Duration(i + 1))
	}
	h.Add(-time.Second)
	h.Merge(&other)
	if h.N() != 101 {
		t.Errorf("%d times were counted", h.N())
	}
	for p, want := range map[float64]float64{0: 0, 0.5: 50, 0.95: 95, 1: 101} {
		if got := h.Percentile(p); got != want {
			t.Errorf("percentile %v is %v, want %v", p, got, want)
		}
	}
}
