package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/wasmjs"
)

// stats is what a run used, in the form people and scripts see.
type stats struct {
	Fuel            uint64   `json:"fuel"`
	WallMs          float64  `json:"wallMs"`
	PeakMemoryBytes uint64   `json:"peakMemoryBytes"`
	HostCalls       int      `json:"hostCalls"` // those that count towards the limit
	APIs            []apiUse `json:"apis,omitempty"`
}

func newStats(s wasmjs.Stats, uses []hostapi.Use) stats {
	return stats{s.Fuel, milliseconds(s.Wall), s.PeakMemoryBytes, s.HostCalls, sumUses(uses)}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

// String words the stats for people, without the APIs.
func (s stats) String() string {
	return fmt.Sprintf("fuel %d, wall %.3f ms, peak memory %s, host calls %d", s.Fuel, s.WallMs, size(s.PeakMemoryBytes), s.HostCalls)
}

// apiUse is what a run did with one operation of an API, with one outcome.
type apiUse struct {
	API       string  `json:"api"`
	Operation string  `json:"operation"`
	Outcome   string  `json:"outcome"` // ok or a code
	Seeded    bool    `json:"seeded,omitempty"`
	Count     int     `json:"count"`
	BytesIn   int64   `json:"bytesIn"`  // to the tool
	BytesOut  int64   `json:"bytesOut"` // from the tool
	TimeMs    float64 `json:"timeMs"`   // all together, also of what went on at once
}

// sumUses adds up the uses of a kind, in the order in which the kinds came first.
func sumUses(uses []hostapi.Use) []apiUse {
	var sums []apiUse
	for _, u := range uses {
		at := slices.IndexFunc(sums, func(s apiUse) bool {
			return s.API == u.API && s.Operation == u.Op && s.Outcome == u.Outcome && s.Seeded == u.Seeded
		})
		if at < 0 {
			at = len(sums)
			sums = append(sums, apiUse{API: u.API, Operation: u.Op, Outcome: u.Outcome, Seeded: u.Seeded})
		}
		sum := &sums[at]
		sum.Count += u.Count
		sum.BytesIn += u.BytesIn
		sum.BytesOut += u.BytesOut
		sum.TimeMs += milliseconds(u.Duration)
	}
	return sums
}

// String words the use for people.
func (u apiUse) String() string {
	what := u.API
	if !strings.HasSuffix(what, u.Operation) {
		what += " " + u.Operation
	}
	if u.Seeded {
		what += ", repeatable"
	}
	return fmt.Sprintf("%s: %d %s, %s in, %s out, %.3f ms", what, u.Count, u.Outcome, size(u.BytesIn), size(u.BytesOut), u.TimeMs)
}

// sayStats says what a run used.
func (f *face) sayStats(s stats) {
	f.sayf("%s", s)
	for _, use := range s.APIs {
		f.sayf("%s", use)
	}
}
