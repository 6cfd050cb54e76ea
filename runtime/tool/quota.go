package tool

import "fmt"

// Quota bounds what a tenant, or a persona within it, may use. A zero field is the default of whoever applies it; nothing
// means unlimited.
type Quota struct {
	ConcurrentCalls   int     `json:"concurrentCalls,omitempty"`   // running at once, steps of pipelines not counted
	CallsPerMinute    int     `json:"callsPerMinute,omitempty"`    //
	FuelPerMinute     int64   `json:"fuelPerMinute,omitempty"`     // metered units, about 10 ns each
	MemoryMB          int     `json:"memoryMB,omitempty"`          // MiB, the memory limits of all running calls together
	Tools             int     `json:"tools,omitempty"`             // that are stored
	ToolBytes         int64   `json:"toolBytes,omitempty"`         // of what is stored of tools
	Sessions          int     `json:"sessions,omitempty"`          // that have something of their own, until they end
	ForgesPerDay      int     `json:"forgesPerDay,omitempty"`      // attempts, by day in UTC
	JudgeTokensPerDay int64   `json:"judgeTokensPerDay,omitempty"` // of models, input and output, by day in UTC
	JudgeCostPerDay   float64 `json:"judgeCostPerDay,omitempty"`   // US dollars, by day in UTC
}

// maxQuota is the largest number that a Quota may hold: sums of such fit an int64 and are exact in JSON.
const maxQuota = 1e15

// Validate returns an *Error of code InvalidRequest that names the first field out of its range, from 0 to 1e15.
func (q Quota) Validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"concurrentCalls", float64(q.ConcurrentCalls)},
		{"callsPerMinute", float64(q.CallsPerMinute)},
		{"fuelPerMinute", float64(q.FuelPerMinute)},
		{"memoryMB", float64(q.MemoryMB)},
		{"tools", float64(q.Tools)},
		{"toolBytes", float64(q.ToolBytes)},
		{"sessions", float64(q.Sessions)},
		{"forgesPerDay", float64(q.ForgesPerDay)},
		{"judgeTokensPerDay", float64(q.JudgeTokensPerDay)},
		{"judgeCostPerDay", q.JudgeCostPerDay},
	} {
		if !(f.value >= 0 && f.value <= maxQuota) { // NaN is neither
			return &Error{
				Code: InvalidRequest, Path: "/" + f.name, Message: fmt.Sprintf("the quota %s is %v, not from 0 to 1e15", f.name, f.value),
				Hint: "give a number within the range; 0 is the default of the configuration",
			}
		}
	}
	return nil
}

// WithDefaults returns q with every zero field replaced by that of d.
func (q Quota) WithDefaults(d Quota) Quota {
	q.ConcurrentCalls = orDefault(q.ConcurrentCalls, d.ConcurrentCalls)
	q.CallsPerMinute = orDefault(q.CallsPerMinute, d.CallsPerMinute)
	q.FuelPerMinute = orDefault(q.FuelPerMinute, d.FuelPerMinute)
	q.MemoryMB = orDefault(q.MemoryMB, d.MemoryMB)
	q.Tools = orDefault(q.Tools, d.Tools)
	q.ToolBytes = orDefault(q.ToolBytes, d.ToolBytes)
	q.Sessions = orDefault(q.Sessions, d.Sessions)
	q.ForgesPerDay = orDefault(q.ForgesPerDay, d.ForgesPerDay)
	q.JudgeTokensPerDay = orDefault(q.JudgeTokensPerDay, d.JudgeTokensPerDay)
	q.JudgeCostPerDay = orDefault(q.JudgeCostPerDay, d.JudgeCostPerDay)
	return q
}
