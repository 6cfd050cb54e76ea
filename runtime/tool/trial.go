package tool

import (
	"encoding/json"
	"time"
)

// Trial is one run of an implementation that is not registered.
type Trial struct {
	Input json.RawMessage
	Now   time.Time // the clock it sees
	Seed  uint64    // of its randomness; not zero
	Fuel  uint64    // the most it may use; 0 is what its limits say
}

// TrialResult is what a trial came to.
type TrialResult struct {
	Output      json.RawMessage // nil when it failed
	Err         *Error          // nil when it succeeded
	Fuel        uint64          // units of about 10 ns; 0 for pipelines
	MemoryBytes uint64          // the peak; 0 for pipelines
	Duration    time.Duration
	Logs        string // the last of what it wrote to the console
}
