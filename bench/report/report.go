package report

import (
	"encoding/json"
	"io"
	"math"

	"example.com/toolsmith/bench/stats"
)

// Report is what one run found.
type Report struct {
	Machine    Machine           `json:"machine"`
	Contenders []Contender       `json:"contenders"`
	Results    []Result          `json:"results"`
	Failed     map[string]string `json:"failed,omitempty"` // measures that could not be taken, and why
}

// Contender says who took part, or why not.
type Contender struct {
	Name    string `json:"name"`
	What    string `json:"what"` // what a call with it is
	Version string `json:"version,omitempty"`
	Absent  string `json:"absent,omitempty"` // why it could not take part
}

// Result is one measure. A ratio is ours over the peer's, the median over pairs taken next to each other.
type Result struct {
	Measure string             `json:"measure"`
	Unit    Unit               `json:"unit"`
	Ours    Figures            `json:"ours"`
	Peers   map[string]Figures `json:"peers,omitempty"`
	Ratio   map[string]float64 `json:"ratio,omitempty"`
	Note    string             `json:"note,omitempty"`
	// Verdicts stand in place of times where it is decisions that are measured; those of one judge follow each other.
	Verdicts []Verdicts `json:"verdicts,omitempty"`
	// Load has a line for each load that a server was put under, where that is what is measured.
	Load []Load `json:"load,omitempty"`
}

// Unit is what the figures of a result count.
type Unit string

// The units. More is better of those per something, less of times.
const (
	Nanoseconds    Unit = "ns"
	CallsPerSecond Unit = "calls/s"
	PerGiB         Unit = "per GiB"
	Tools          Unit = "tools"
)

// Figures describe a set of samples. P10 and Max are given where they say something.
type Figures struct {
	P10 float64 `json:"p10,omitempty"`
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max,omitempty"`
	N   int     `json:"n,omitempty"`
	// What a call allocates on average, where that was counted.
	Bytes  float64 `json:"bytes,omitempty"`
	Allocs float64 `json:"allocs,omitempty"`
}

// Describe returns the figures of the samples, of which there must be at least one.
func Describe(samples []float64) Figures {
	return Figures{
		P10: stats.Percentile(samples, 0.10),
		P50: stats.Median(samples),
		P99: stats.Percentile(samples, 0.99),
		Max: stats.Percentile(samples, 1),
		N:   len(samples),
	}
}

// Compare enters a peer's samples and its ratio; without pairs it enters nothing.
func (r *Result) Compare(peer string, pairs *stats.Pairs) {
	if ratio := pairs.Ratio(); !math.IsNaN(ratio) {
		f := Describe(pairs.Peer)
		r.Enter(peer, Figures{P50: f.P50, P99: f.P99}, ratio)
	}
}

// Enter sets a peer's figures and ratio.
func (r *Result) Enter(peer string, figures Figures, ratio float64) {
	if r.Peers == nil {
		r.Peers, r.Ratio = map[string]Figures{}, map[string]float64{}
	}
	r.Peers[peer], r.Ratio[peer] = figures, ratio
}

// Mean sums up results of one kind as their geometric mean, figure by figure; a peer counts when it has all of them.
func Mean(measure string, parts []Result) Result {
	sum := Result{Measure: measure, Unit: parts[0].Unit, Ours: mean(parts, func(r Result) Figures { return r.Ours })}
	for peer := range parts[0].Peers {
		if !all(parts, peer) {
			continue
		}
		ratios := make([]float64, len(parts))
		for i, part := range parts {
			ratios[i] = part.Ratio[peer]
		}
		figures := mean(parts, func(r Result) Figures { return r.Peers[peer] })
		sum.Enter(peer, Figures{P50: figures.P50, P99: figures.P99}, stats.GeometricMean(ratios))
	}
	return sum
}

// all reports whether the peer took part in every result.
func all(parts []Result, peer string) bool {
	for _, part := range parts {
		if _, ok := part.Peers[peer]; !ok {
			return false
		}
	}
	return true
}

// mean is the geometric mean of the figures that pick finds; N is the least of them.
func mean(parts []Result, pick func(Result) Figures) Figures {
	over := func(figure func(Figures) float64) float64 {
		values := make([]float64, len(parts))
		for i, part := range parts {
			values[i] = figure(pick(part))
		}
		return stats.GeometricMean(values)
	}
	n := pick(parts[0]).N
	for _, part := range parts {
		n = min(n, pick(part).N)
	}
	return Figures{
		P10: over(func(f Figures) float64 { return f.P10 }),
		P50: over(func(f Figures) float64 { return f.P50 }),
		P99: over(func(f Figures) float64 { return f.P99 }),
		N:   n,
	}
}

// WriteJSON writes the report as one JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}
