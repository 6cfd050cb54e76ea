package stats_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"example.com/toolsmith/bench/stats"
)

func TestPercentile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i) // 100 down to 1: the order must not matter
	}
	for _, c := range []struct {
		name    string
		samples []float64
		p, want float64
	}{
		{"one sample", []float64{7}, 0.99, 7},
		{"lowest", hundred, 0, 1},
		{"p10", hundred, 0.10, 10},
		{"p50", hundred, 0.50, 50},
		{"p99", hundred, 0.99, 99},
		{"highest", hundred, 1, 100},
		{"p99 of few is the highest", []float64{1, 2, 3}, 0.99, 3},
		{"p50 of two is the lower", []float64{2, 1}, 0.5, 1},
	} {
		if got := stats.Percentile(c.samples, c.p); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if hundred[0] != 100 {
		t.Error("Percentile changed its argument")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{[]float64{3}, 3},
		{[]float64{4, 2}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 7}, 6},
	} {
		if got := stats.Median(c.samples); got != c.want {
			t.Errorf("Median(%v) = %v, want %v", c.samples, got, c.want)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{5}, 5},
		{[]float64{2, 8}, 4},
		{[]float64{0.5, 2}, 1},
		{[]float64{1, 10, 100}, 10},
	} {
		if got := stats.GeometricMean(c.values); math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("GeometricMean(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestNothingIsNaN(t *testing.T) {
	var none stats.Pairs
	for name, got := range map[string]float64{
		"Percentile": stats.Percentile(nil, 0.5), "Median": stats.Median(nil),
		"GeometricMean": stats.GeometricMean(nil), "Ratio": none.Ratio(),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s of nothing = %v, want NaN", name, got)
		}
	}
}

func TestPairsCancelSharedNoise(t *testing.T) {
	var p stats.Pairs
	for i := range 100 {
		speed := 1 + float64(i%7) // the machine changes its speed for both
		p.Add([]float64{10 * speed}, []float64{40 * speed})
	}
	p.Add([]float64{1, 1}, []float64{4}) // the second of ours has no partner
	if got := p.Ratio(); got != 0.25 {
		t.Errorf("Ratio = %v, want 0.25", got)
	}
	if len(p.Ours) != 101 || len(p.Peer) != 101 {
		t.Errorf("%d and %d samples, want 101 of each", len(p.Ours), len(p.Peer))
	}
}

func TestFiguresLieWithinTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(1e-3, 1e9), 1, 50).Draw(t, "samples")
		low, high := stats.Percentile(samples, 0), stats.Percentile(samples, 1)
		last := low
		for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
			got := stats.Percentile(samples, p)
			if got < last || got > high {
				t.Fatalf("percentile %v = %v is not within %v..%v", p, got, last, high)
			}
			last = got
		}
		if m := stats.Median(samples); m < low || m > high {
			t.Fatalf("median %v is not within %v..%v", m, low, high)
		}
		if g := stats.GeometricMean(samples); g < low*(1-1e-9) || g > high*(1+1e-9) {
			t.Fatalf("geometric mean %v is not within %v..%v", g, low, high)
		}
	})
}
