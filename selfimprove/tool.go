package selfimprove

import (
	"context"
	"encoding/json"

	"example.com/toolsmith/runtime/tool"
)

// Shelf keeps documents. What it acknowledges is on disk, with its audit entries.
type Shelf interface {
	Document(ctx context.Context, d tool.DocumentRef) ([]byte, error)
	Documents(ctx context.Context, of tool.DocumentRef, visit func(id string, value []byte) (more bool, err error)) error
	// Personas are those of a tenant that have documents of a kind of their own.
	Personas(ctx context.Context, tenant string, kind tool.DocumentKind) ([]string, error)
	EditDocument(ctx context.Context, by tool.Actor, d tool.DocumentRef, fn func(old []byte) (tool.DocumentChange, error)) error
}

// Tool is one of the tools, as an agent sees it.
type Tool struct {
	Name        string
	Description string
	InputSchema json.RawMessage
	// Run does the work for a caller; the input fits the schema.
	Run func(ctx context.Context, c tool.Caller, input json.RawMessage) (json.RawMessage, error)
}

// persona is a document of the caller's persona; session is one of its session.
func persona(c tool.Caller, kind tool.DocumentKind, id string) tool.DocumentRef {
	return tool.DocumentRef{Kind: kind, Tenant: c.Tenant, Persona: c.Persona, ID: id}
}

func session(c tool.Caller, kind tool.DocumentKind, id string) tool.DocumentRef {
	return tool.DocumentRef{Kind: kind, Tenant: c.Tenant, Persona: c.Persona, Session: c.Session, ID: id}
}
