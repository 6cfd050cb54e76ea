package tool

import (
	"context"
	"encoding/json"
)

// Draft is a tool that the gates, its tests and the judge have let through, before it is registered.
type Draft struct {
	ID             string // "" is a new one
	Name           string
	Description    string
	InputSchema    json.RawMessage
	OutputSchema   json.RawMessage
	Implementation Implementation // whole, not redacted
	TestCases      []TestCase
	Verdict        CreationVerdict // approved; its SourceHash, if set, is that of Implementation
	Source         string          // where it came from, for people; "" is a sentence that names persona and session
	Import         *Import         // the package it came in; nil when it was forged here
	// Check says what is against it when it is registered, and is asked again when the session has got another tool meanwhile; nil:
	// nothing is.
	Check func(context.Context) error
}

// Promotion asks that a tool rise by one tier.
type Promotion struct {
	To         Tier
	ApprovedBy string            // a person, by name; "" when the panel alone decides
	Verdict    *PromotionVerdict // the panel's, fresh; nil when it was not asked
	SourceHash string            // what the approver saw; "" is what is there
}
