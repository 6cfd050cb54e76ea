package runtime

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// Tool is a tool of the host: one that was written in Go and not forged. Once registered it must not change.
type Tool struct {
	Name         string // as tool.CheckName has it
	Description  string // for models
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // empty: anything
	Tags         []string        // words that it is found by, besides those of its name and description
	// SideEffects says that a call can change something outside, or tell somebody something.
	SideEffects bool
	// Meta makes it one of the tools that change the agent itself: it may have their reserved names, and no pipeline may call it.
	Meta bool
	// Run does the work. It returns JSON that the host may keep, and soon after ctx ends; an error becomes a *tool.Error. It is
	// called from many goroutines at once. A panic ends the call as Internal.
	Run func(ctx context.Context, call *Invocation) (json.RawMessage, error)
}

// Invocation is one call of a Tool.
type Invocation struct {
	Caller tool.Caller
	Input  json.RawMessage  // fits the input schema; it belongs to the tool
	Policy *policy.Policy   // the caller's; not changed meanwhile
	Powers *hostapi.Session // what the policy grants, metered for this call
}
