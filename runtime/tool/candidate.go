package tool

import "encoding/json"

// Candidate is a tool under review: what its author asks for, and what the gates and the tests found out about it. It is
// what a judge sees.
type Candidate struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	InputSchema    json.RawMessage `json:"inputSchema"`
	OutputSchema   json.RawMessage `json:"outputSchema"`
	Implementation Implementation  `json:"implementation"` // whole
	SourceHash     string          `json:"sourceHash"`     // Implementation.Hash
	TestResults    []TestResult    `json:"testResults"`    // in the order of the test cases; empty when the review comes first
	Report         Report          `json:"report"`
	Supersedes     string          `json:"-"` // the id of the tool of its author whose place it would take; "" when there is none
}

// TestResult is what became of one test case.
type TestResult struct {
	Input          json.RawMessage `json:"input"`
	ExpectedOutput json.RawMessage `json:"expectedOutput,omitempty"` // absent when only the schema counts
	Output         json.RawMessage `json:"output,omitempty"`
	Success        bool            `json:"success"` // it ran, and its output is what schema and expectation want
	Error          *Error          `json:"error,omitempty"`
	Matched        bool            `json:"matched"`    // the output is the expected one, or none was expected
	Repeatable     bool            `json:"repeatable"` // a second run with another clock and seed gave the same
	DurationMs     float64         `json:"durationMs"`
	Fuel           uint64          `json:"fuel,omitempty"`        // of the first run, in units of about 10 ns
	MemoryBytes    uint64          `json:"memoryBytes,omitempty"` // the peak of the first run
	Logs           string          `json:"logs,omitempty"`        // the last of what it wrote to the console, for its author alone
}

// Report holds what the gates measured, as opposed to what anybody says.
type Report struct {
	Flags         []Flag   `json:"flags,omitempty"`  // what is suspicious, each at most once
	Notes         []string `json:"notes,omitempty"`  // what a judge should know, in words
	Uses          []string `json:"uses,omitempty"`   // the host's APIs that the code uses
	Unused        []string `json:"unused,omitempty"` // those it asked for and never uses
	Tools         []string `json:"tools,omitempty"`  // those that the steps call
	SideEffects   bool     `json:"sideEffects"`
	Deterministic bool     `json:"deterministic"` // all test cases were repeatable
	Growth        *Growth  `json:"growth,omitempty"`
	Probes        []Probe  `json:"probes,omitempty"` // inputs of the host's own that were run
}

// Probe is an input that the host made and ran: beside a test case, or at an edge of what the input schema admits.
type Probe struct {
	Kind    ProbeKind       `json:"kind"`
	Input   json.RawMessage `json:"input"`
	Outcome string          `json:"outcome"` // "ok" or the code of the error
	Output  json.RawMessage `json:"output,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// ProbeKind says how an input was made. The text is stable.
type ProbeKind string

// The kinds.
const (
	Neighbour ProbeKind = "neighbour" // a test case, a little changed
	Edge      ProbeKind = "edge"      // a test case with one member at the edge of what the schema admits
)

// Flag is something suspicious that the gates found and that does not refuse a candidate by itself. The text is stable.
type Flag string

// The flags.
const (
	FlagUnusedCapability   Flag = "unused-capability"   // it asks for an API that it never uses
	FlagCapabilityMismatch Flag = "capability-mismatch" // it uses an API of which its description says nothing
	FlagHardCoded          Flag = "hard-coded"          // it answers its test cases, and inputs beside them all alike
	FlagNondeterministic   Flag = "nondeterministic"    // it draws random numbers, or a second run of a test case gave something else
	FlagReadsClock         Flag = "reads-clock"         // it reads the time, and its description says nothing of that
	FlagConstantOutput     Flag = "constant-output"     // it gives one and the same answer to everything
	FlagNoAssertions       Flag = "no-assertions"       // no test case says what is expected
	FlagUnbounded          Flag = "unbounded"           // a moderate input met a limit
	FlagEdgeFailure        Flag = "edge-failure"        // an input that its schema admits made it break its output schema or a limit
)

// GrowthClass says how cost grows with the size of the input. The text is stable.
type GrowthClass string

// The classes, from the cheapest to the dearest.
const (
	GrowthUnknown     GrowthClass = "unknown" // too little could be measured
	GrowthConstant    GrowthClass = "constant"
	GrowthLinear      GrowthClass = "linear"
	GrowthQuadratic   GrowthClass = "quadratic"
	GrowthPolynomial  GrowthClass = "polynomial" // cubic and above
	GrowthExponential GrowthClass = "exponential"
)

// Growth is what inputs of growing size cost.
type Growth struct {
	Fuel    GrowthClass   `json:"fuel"`
	Memory  GrowthClass   `json:"memory"`
	Bounded bool          `json:"bounded"` // no limit was met, or only by inputs so large that the growth class explains it
	Points  []GrowthPoint `json:"points,omitempty"`
	Worst   *GrowthPoint  `json:"worst,omitempty"` // the dearest
}

// GrowthPoint is one measured run.
type GrowthPoint struct {
	Grown       string `json:"grown"` // which part of the input was made to grow, a JSON pointer
	InputBytes  int    `json:"inputBytes"`
	Fuel        uint64 `json:"fuel"`
	MemoryBytes uint64 `json:"memoryBytes"`
	Outcome     string `json:"outcome"` // "ok" or the code of the error
}
