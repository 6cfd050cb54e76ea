package model

// maxTokens is more than any conversation has; it keeps the sums of a Meter from overflowing.
const maxTokens = 1 << 32

// finish bounds what all providers report.
func (s source) finish(r Reply) (Reply, error) {
	if len(r.ToolCalls) > MaxToolCalls {
		return Reply{}, s.fault("asks for %d tool calls at once; at most %d are taken", len(r.ToolCalls), MaxToolCalls)
	}
	identify(r.ToolCalls)
	r.Provider = s.provider
	r.Model = line(r.Model)
	if r.Model == "" {
		r.Model = s.model
	}
	for _, n := range []*int64{&r.Usage.InputTokens, &r.Usage.OutputTokens, &r.Usage.CachedTokens} {
		*n = min(max(*n, 0), maxTokens)
	}
	return r, nil
}
