package stats

import (
	"math"
	"math/bits"
	"time"
)

// classes is how many classes a histogram has: 32 for each doubling of a value.
const classes = (64 - 5) * 32

// Histogram counts times in classes whose width is at most a thirty-second of their values. The zero value is empty and ready to
// use; it is not safe for concurrent use.
type Histogram struct {
	counts [classes]int
	n      int
}

// Add counts a time; one below zero counts as zero.
func (h *Histogram) Add(took time.Duration) {
	h.counts[class(uint64(max(took, 0)))]++
	h.n++
}

// Merge adds all that another one has counted.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.n += other.n
}

// N is how many times were counted.
func (h *Histogram) N() int { return h.n }

// Percentile returns the nanoseconds, at most a thirty-second too many, that at least the share p (0 to 1) of the times do not
// exceed. It is NaN when there are none.
func (h *Histogram) Percentile(p float64) float64 {
	rank := max(int(math.Ceil(p*float64(h.n))), 1)
	for i, n := range h.counts {
		if rank -= n; rank <= 0 {
			return float64(most(i))
		}
	}
	return math.NaN()
}

// class is that of a value: values below 64 have one each.
func class(v uint64) int {
	exponent := max(bits.Len64(v)-6, 0)
	return exponent*32 + int(v>>exponent) //nolint:gosec // below 64
}

// most is the greatest value of a class.
func most(class int) uint64 {
	exponent := max(class/32-1, 0)
	return uint64(class-exponent*32+1)<<exponent - 1 //nolint:gosec // above zero
}
