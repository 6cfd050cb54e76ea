package tool

// Spent is what models were asked on somebody's behalf.
type Spent struct {
	Calls        int64   `json:"calls"`
	InputTokens  int64   `json:"inputTokens"`
	OutputTokens int64   `json:"outputTokens"`
	CostUSD      float64 `json:"costUSD,omitempty"` // where prices are configured
}

// Add returns the sum of both.
func (s Spent) Add(more Spent) Spent {
	s.Calls += more.Calls
	s.InputTokens += more.InputTokens
	s.OutputTokens += more.OutputTokens
	s.CostUSD += more.CostUSD
	return s
}
