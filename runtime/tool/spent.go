package tool

// Spent is what models were asked on somebody's behalf.
type Spent struct {
	Calls        int64   `json:"calls"`
	InputTokens  int64   `json:"inputTokens"`
	OutputTokens int64   `json:"outputTokens"`
	CostUSD      float64 `json:"costUSD,omitempty"` // where prices are configured
}

// Less returns what is left of s without another, which is part of it.
func (s Spent) Less(part Spent) Spent {
	return s.Add(Spent{-part.Calls, -part.InputTokens, -part.OutputTokens, -part.CostUSD})
}

// Held is what was held back for models that are being asked.
type Held struct {
	Spent
	At Time // since when
}

// Add returns the sum of both.
func (s Spent) Add(more Spent) Spent {
	s.Calls += more.Calls
	s.InputTokens += more.InputTokens
	s.OutputTokens += more.OutputTokens
	s.CostUSD += more.CostUSD
	return s
}
