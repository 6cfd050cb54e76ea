// Package desk is where callers are served: what one of them can do with a host, in this process or at a server elsewhere.
// The command line, the HTTP API and MCP all serve through it, so that each rule on who may do what stands once.
package desk

import (
	"context"
	"encoding/json"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Desk serves one caller. A tool is named as the caller sees it, or by its id, which for those who may decide reaches every
// tool of the tenant. Records come without code, except from Show. Errors are *tool.Error: Denied for what the caller may
// not do, NotFound for what it may not see. It is safe for concurrent use.
type Desk interface { //nolint:interfacebloat // it is all that a caller can do
	// Forge takes a request, in JSON as models write it, through all gates. The result is never nil.
	Forge(ctx context.Context, request []byte) (*forge.Result, error)
	// Import does so with the tool of a package, in YAML or JSON. The result is never nil.
	Import(ctx context.Context, text []byte, trust forge.Trust) (*forge.Result, error)
	// Call calls a tool, by its id only one that the caller sees, with JSON. The result is never nil. What the tool wrote to the
	// console is there for its owner alone.
	Call(ctx context.Context, name string, input json.RawMessage) (*runtime.CallResult, error)

	// Tools returns what the caller may call, by name.
	Tools(ctx context.Context) ([]runtime.Face, error)
	// Search returns the tools that the caller may call and that fit a query best, at most limit; 0 is 10.
	Search(ctx context.Context, query string, limit int) ([]runtime.Hit, error)
	// List returns forged tools, by name and owner, the newest version first.
	List(ctx context.Context, q ListQuery) ([]*tool.Record, error)
	// Show returns all there is to know of a tool.
	Show(ctx context.Context, which string) (*Whole, error)
	// Versions returns a tool and the versions before it, newest first.
	Versions(ctx context.Context, which string) ([]*tool.Record, error)
	// Diff says in what two versions differ, each a number or an id; "" is the newest for to, and the one before for from.
	Diff(ctx context.Context, which, from, to string) (*Diff, error)
	// Export packs a tool.
	Export(ctx context.Context, which string, opt toolsmith.ExportOptions) ([]byte, error)

	// Promote lets a tool rise by one tier because a person says so; the verdict is the panel's, if it was asked.
	Promote(ctx context.Context, which string, to tool.Tier, approvedBy string) (*tool.Record, *tool.PromotionVerdict, error)
	// Demote ends the life of a version, Suspend switches a tool off until Resume.
	Demote(ctx context.Context, which, reason string) (*tool.Record, error)
	Suspend(ctx context.Context, which, reason string) (*tool.Record, error)
	Resume(ctx context.Context, which string, with tiers.Resumption) (*tool.Record, error)
	// Revert makes a new version of an older one, which is a number or an id.
	Revert(ctx context.Context, which, version string) (*tool.Record, error)
	// Remove deletes a tool with its older versions, and returns what it was.
	Remove(ctx context.Context, which string) (*tool.Record, error)

	// Audit returns entries of the tenant's log: all of them to an administrator, else those of the caller's persona. Last is
	// the sequence of the last entry that was looked at, from which the next page goes on.
	Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error)
	// VerifyAudit computes the chain of the tenant anew; the error names the first entry that is broken.
	VerifyAudit(ctx context.Context) (tiers.Chain, error)

	// Sessions returns the sessions of the tenant to an administrator, else those of the caller's persona.
	Sessions(ctx context.Context) ([]Session, error)
	// EndSession ends a session: for whoever forges one of the caller's persona, which "" is, for an administrator any. It returns
	// the tools that went with it.
	EndSession(ctx context.Context, persona, session string) ([]*tool.Record, error)

	// Usage returns what is used of the limits of the caller's session and persona, and to an administrator of those of the tenant.
	Usage(ctx context.Context) (tool.Usage, error)
}

// ListQuery picks forged tools.
type ListQuery struct {
	Tier    tool.Tier // "" is all
	All     bool      // also what the caller does not see; for administrators
	History bool      // also versions whose place another has taken
}

// Whole is a record with its code, if the caller may see that and it is stored; else Missing says why it is not there.
type Whole struct {
	Record  *tool.Record `json:"tool"`
	Missing *tool.Error  `json:"missing,omitempty"`
}

// Diff is in what two versions differ.
type Diff struct {
	From        Version            `json:"from"`
	To          Version            `json:"to"`
	Differences []tiers.Difference `json:"differences"` // never nil
}

// Session is a session with the number of the tools in its tier.
type Session struct {
	tiers.Session
	Tools int `json:"tools"`
}

// Version names a version.
type Version struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}
