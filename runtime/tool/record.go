package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Tier says how far a tool is visible. Tools rise one tier at a time.
type Tier string

// The tiers, in the order of promotion.
const (
	SessionTier Tier = "session" // the session that forged it
	AgentTier   Tier = "agent"   // every session of the persona that owns it
	SharedTier  Tier = "shared"  // every persona of the tenant
)

// Rank orders the tiers: 1, 2, 3; 0 for a tier that is not known.
func (t Tier) Rank() int {
	switch t {
	case SessionTier:
		return 1
	case AgentTier:
		return 2
	case SharedTier:
		return 3
	}
	return 0
}

// Mode says how a tool works.
type Mode string

// The two modes.
const (
	ComposeMode Mode = "compose" // a pipeline of other tools
	SandboxMode Mode = "sandbox" // JavaScript in the sandbox
)

// Implementation is what a tool does. Steps belong to compose mode; Code, Allowlist and the limits to sandbox mode.
type Implementation struct {
	Mode      Mode     `json:"mode"`
	Steps     []Step   `json:"steps,omitempty"`
	Language  string   `json:"language,omitempty"` // js or ts; "" is js
	Code      string   `json:"code,omitempty"`
	Allowlist []string `json:"allowlist,omitempty"` // fetch, fs.readFile, crypto
	TimeoutMs int64    `json:"timeoutMs,omitempty"` // 0 is the configured one
	MemoryMB  int64    `json:"memoryMB,omitempty"`  // 0 is the configured one
	// Redacted says that the code was left out; Reason why, and CodeBytes how long it is in UTF-8.
	Redacted  bool   `json:"redacted,omitempty"`
	Reason    string `json:"reason,omitempty"`
	CodeBytes int    `json:"codeBytes,omitempty"`
}

// Step is one stage of a composed tool.
type Step struct {
	Name         string                     `json:"name"`
	Tool         string                     `json:"tool"`
	InputMapping map[string]json.RawMessage `json:"inputMapping"` // argument name to literal or reference
	Condition    string                     `json:"condition,omitempty"`
}

// TestCase is an example that comes with a tool.
type TestCase struct {
	Input          json.RawMessage `json:"input"`
	ExpectedOutput json.RawMessage `json:"expectedOutput,omitempty"` // absent when only the schema counts
	Partial        bool            `json:"partial,omitempty"`        // the output may have members that the expectation lacks
}

// SourceNotPersisted is the Reason of a redacted implementation.
const SourceNotPersisted = "sandbox-source-not-persisted"

// Redact returns the implementation without its code. What has no code, or is redacted, comes back as it is.
func (i Implementation) Redact() Implementation {
	if i.Mode != SandboxMode || i.Redacted {
		return i
	}
	i.CodeBytes, i.Code = len(i.Code), ""
	i.Redacted, i.Reason = true, SourceNotPersisted
	return i
}

// Hash is the SHA-256, in hexadecimal, of the canonical JSON of the implementation with its code. It fails for a redacted
// one, and when an input mapping is not JSON.
func (i Implementation) Hash() (string, error) {
	if i.Redacted {
		return "", Errorf(InvalidRequest, "a redacted implementation has no hash")
	}
	text, err := Canonical(i)
	if err != nil {
		return "", &Error{Code: InvalidRequest, Path: "/implementation", Message: "the implementation cannot be written as JSON: " + err.Error(), Cause: err}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Suspension says why a tool is switched off.
type Suspension struct {
	Reason SuspendReason `json:"reason"`
	Since  Time          `json:"since"`
}

// SuspendReason is a stable word for why a tool is switched off.
type SuspendReason string

// The reasons.
const (
	ByAdmin         SuspendReason = "admin"             // somebody said so
	LegacyOwner     SuspendReason = "legacy_owner"      // the owner is an id of a session that is long over
	SourceMissing   SuspendReason = "source_missing"    // the code is not stored, or cannot be unsealed
	MissingTool     SuspendReason = "missing_tool"      // a step names a tool that is not there
	OverCap         SuspendReason = "over_quota"        // the owner has more tools than the cap lets be loaded
	RepeatedFailure SuspendReason = "repeated_failures" // it failed many times in a row
)

// Approval says who let a tool rise, and which implementation they saw.
type Approval struct {
	To         Tier   `json:"to"`
	By         string `json:"by"` // "" when the panel alone decided
	At         Time   `json:"at"`
	SourceHash string `json:"sourceHash"`
}

// Panels counts what the promotion panel has cost a version of a tool.
type Panels struct {
	Rejections int `json:"rejections"`
	// UsesAtLast is UsageStats.TotalUses when the panel last rejected it.
	UsesAtLast int `json:"usesAtLast"`
}

// Record is one version of a forged tool. A newer version is a record of its own, with its own id.
type Record struct {
	ID             string          `json:"id"` // emergent:<uuid>
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	InputSchema    json.RawMessage `json:"inputSchema"`
	OutputSchema   json.RawMessage `json:"outputSchema"`
	Implementation Implementation  `json:"implementation"`
	TestCases      []TestCase      `json:"testCases,omitempty"`
	Tier           Tier            `json:"tier"`
	CreatedBy      string          `json:"createdBy"` // the persona that owns it
	CreatedAt      Time            `json:"createdAt"`
	JudgeVerdicts  []Verdict       `json:"judgeVerdicts"` // oldest first
	UsageStats     UsageStats      `json:"usageStats"`
	Source         string          `json:"source"` // where it came from, for people
	IsActive       bool            `json:"isActive"`

	SessionID       string      `json:"sessionId"`
	PersonaID       string      `json:"personaId"`
	Version         int         `json:"version"`                // from 1
	Supersedes      string      `json:"supersedes"`             // the id of the version before, or ""
	SupersededBy    string      `json:"supersededBy,omitempty"` // the id of the version that took its place
	Suspended       *Suspension `json:"suspended,omitempty"`
	SourceHash      string      `json:"sourceHash"` // Implementation.Hash
	JudgeConfidence float64     `json:"judgeConfidence"`

	PromotedAt *Time      `json:"promotedAt,omitempty"` // the last time
	PromotedBy string     `json:"promotedBy,omitempty"`
	Approvals  []Approval `json:"approvals,omitempty"`
	Panels     Panels     `json:"panels"`
	// ImportedVerdicts came with the package that the tool was imported from. They count for nothing.
	ImportedVerdicts []json.RawMessage `json:"importedVerdicts,omitempty"`
	// FailuresInARow is how many of the last uses failed.
	FailuresInARow int `json:"failuresInARow,omitempty"`
}

// VisibleTo reports whether a caller of the same tenant may see and call the tool.
func (r *Record) VisibleTo(c Caller) bool {
	switch r.Tier {
	case SessionTier:
		return r.PersonaID == c.Persona && r.SessionID == c.Session
	case AgentTier:
		return r.PersonaID == c.Persona
	case SharedTier:
		return true
	}
	return false
}

// Callable returns nil, or why the tool cannot be called now: an *Error of code Inactive or Suspended.
func (r *Record) Callable() error {
	switch {
	case r.SupersededBy != "":
		return &Error{Code: Inactive, Message: "version " + r.SupersededBy + " has taken the place of this one", Hint: "call the tool by its name"}
	case !r.IsActive:
		return &Error{Code: Inactive, Message: "the tool " + r.Name + " was demoted", Hint: "revert it to a version that worked, or forge it anew"}
	case r.Suspended != nil:
		return &Error{Code: Suspended, Message: "the tool " + r.Name + " is suspended: " + string(r.Suspended.Reason), Hint: "an operator can resume it"}
	}
	return nil
}

// Limits are those that the implementation asks for; zero fields ask for nothing. The error is an *Error of code
// InvalidRequest.
func (i Implementation) Limits() (Limits, error) {
	for _, asked := range []struct {
		name        string
		value, most int64
	}{
		{"timeoutMs", i.TimeoutMs, MaxLimits.Timeout.Milliseconds()},
		{"memoryMB", i.MemoryMB, int64(MaxLimits.MemoryBytes / mib)}, //nolint:gosec // G115: 1024
	} {
		if asked.value < 0 || asked.value > asked.most {
			return Limits{}, &Error{
				Code: InvalidRequest, Path: "/implementation/" + asked.name,
				Message: fmt.Sprintf("%s is %d, which is not within 1 to %d", asked.name, asked.value, asked.most),
				Hint:    "leave it out for what is configured",
			}
		}
	}
	return Limits{Timeout: time.Duration(i.TimeoutMs) * time.Millisecond, MemoryBytes: uint64(i.MemoryMB) * mib}, nil //nolint:gosec // G115: it is within 0 to 1024
}
