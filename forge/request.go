package forge

import (
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// Request is what an author asks for: a tool, whole and in one spelling, however it was written. Its schemas and values are
// compact JSON, with their members in order and their numbers as they were written. Its own JSON reads as the same request
// again. It is a plain value; whoever receives one owns it.
type Request struct {
	Name           string              `json:"name"`
	Description    string              `json:"description"`
	InputSchema    json.RawMessage     `json:"inputSchema"`
	OutputSchema   json.RawMessage     `json:"outputSchema"`
	Implementation tool.Implementation `json:"implementation"`
	TestCases      []tool.TestCase     `json:"testCases"`
	// Notes say, one line each, what was read otherwise than it was written, and what was not read at all.
	Notes []string `json:"-"`
}

// ReadRules bound a request. A zero field means its default.
type ReadRules struct {
	MinTestCases   int // default 2
	MaxTestCases   int // default 100
	MaxSteps       int // of a composed tool; default 20
	MaxSourceBytes int // code that is longer is not looked at, only passed on; default 64 KiB
}

// Bounds of a request's parts.
const (
	MaxDescriptionBytes = 4 << 10
	MaxCaseBytes        = 64 << 10 // the input of a test case, and its expectation
)

func (r ReadRules) withDefaults() ReadRules {
	r.MinTestCases = positive(r.MinTestCases, 2)
	r.MaxTestCases = positive(r.MaxTestCases, 100)
	r.MaxSteps = positive(r.MaxSteps, 20)
	r.MaxSourceBytes = positive(r.MaxSourceBytes, tool.DefaultLimits.SourceBytes)
	return r
}

func positive(value, fallback int) int {
	if value > 0 {
		return value
	}
	return fallback
}
