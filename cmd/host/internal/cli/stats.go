package cli

import (
	"fmt"
	"time"

	"example.com/toolsmith/wasmjs"
)

// stats is what a run used, in the form people and scripts see.
type stats struct {
	Fuel            uint64  `json:"fuel"`
	WallMs          float64 `json:"wallMs"`
	PeakMemoryBytes uint64  `json:"peakMemoryBytes"`
	HostCalls       int     `json:"hostCalls"`
}

func newStats(s wasmjs.Stats) stats {
	wall := float64(s.Wall.Round(time.Microsecond)) / float64(time.Millisecond)
	return stats{s.Fuel, wall, s.PeakMemoryBytes, s.HostCalls}
}

// String words the stats for people.
func (s stats) String() string {
	return fmt.Sprintf("fuel %d, wall %.3f ms, peak memory %s, host calls %d", s.Fuel, s.WallMs, size(s.PeakMemoryBytes), s.HostCalls)
}
