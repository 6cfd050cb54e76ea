package tool

import "time"

// UsageStats counts what became of a tool's calls.
type UsageStats struct {
	TotalUses          int     `json:"totalUses"`
	SuccessCount       int     `json:"successCount"` // calls that succeeded and whose output was valid
	FailureCount       int     `json:"failureCount"` // the rest
	AvgExecutionTimeMs float64 `json:"avgExecutionTimeMs"`
	LastUsedAt         *Time   `json:"lastUsedAt"`
	// ConfidenceScore is the judge's confidence until the first use, then the success rate; 0 after demotion.
	ConfidenceScore float64 `json:"confidenceScore"`
}

// Use is one finished call of a tool.
type Use struct {
	Success  bool // it succeeded, and its output was valid
	Duration time.Duration
	At       time.Time
}

// Count adds one use.
func (u *UsageStats) Count(use Use) {
	before := float64(u.TotalUses)
	u.TotalUses++
	if use.Success {
		u.SuccessCount++
	} else {
		u.FailureCount++
	}
	total := float64(u.TotalUses)
	u.AvgExecutionTimeMs = (u.AvgExecutionTimeMs*before + Millis(use.Duration)) / total
	at := At(use.At)
	u.LastUsedAt = &at
	u.ConfidenceScore = u.SuccessRate()
}

// SuccessRate is the part of the uses that succeeded; 0 before the first.
func (u UsageStats) SuccessRate() float64 {
	if u.TotalUses == 0 {
		return 0
	}
	return float64(u.SuccessCount) / float64(u.TotalUses)
}

// Millis is a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
