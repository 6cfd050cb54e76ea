package stats

import (
	"math"
	"slices"
)

// Percentile returns the smallest sample that at least the share p (0 to 1) of the samples does not exceed (the
// nearest-rank method, so the result is always a sample). It is NaN when there are no samples.
func Percentile(samples []float64, p float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := int(math.Ceil(p*float64(len(sorted)))) - 1
	return sorted[min(max(rank, 0), len(sorted)-1)]
}

// Median is the 50th percentile; with an even number of samples it is the mean of the two in the middle.
func Median(samples []float64) float64 {
	n := len(samples)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// GeometricMean returns the n-th root of the product of the values, which must be positive; NaN when there are none.
func GeometricMean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
