package mcp

import (
	"context"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// auditTool reads the audit log.
func auditTool() *metaTool {
	return &metaTool{
		name: "audit_log", title: "Audit log", readOnly: true,
		description: `What happened to tools, in order: forged, judged, promoted, demoted, suspended, removed, and powers denied. ` +
			`An administrator sees all of the tenant, others what they did themselves. Read on with the number that the result has as next.`,
		schema: `{"type":"object","additionalProperties":false,"properties":{` +
			`"after":{"type":"integer","minimum":0,"description":"Only entries of a higher sequence."},` +
			`"tool":{"type":"string","maxLength":300,"description":"Only those of the tool with this handle."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":200,"description":"At most so many; 50 unless given."},` +
			`"newest":{"type":"boolean","description":"The last entries instead of the first."}}}`,
		run: runAudit,
	}
}

func runAudit(ctx context.Context, c *call) (any, error) {
	var ask struct {
		After  uint64 `json:"after"`
		Tool   string `json:"tool"`
		Limit  int    `json:"limit"`
		Newest bool   `json:"newest"`
	}
	if err := c.arguments(&ask); err != nil {
		return nil, err
	}
	if ask.Limit == 0 {
		ask.Limit = 50
	}
	return auditPage(ctx, c.desk, tiers.AuditQuery{ToolID: ask.Tool, After: ask.After, Limit: ask.Limit, Newest: ask.Newest})
}

// auditor is who reads the audit log.
type auditor interface {
	Audit(ctx context.Context, q tiers.AuditQuery) (events []tool.AuditEvent, last uint64, err error)
}

// page is a part of the audit log.
type page struct {
	Events []tool.AuditEvent `json:"events"`
	Next   uint64            `json:"next,omitempty"` // what to read after; 0 at the end
}

func auditPage(ctx context.Context, from auditor, q tiers.AuditQuery) (*page, error) {
	events, last, err := from.Audit(ctx, q)
	if err != nil {
		return nil, err
	}
	p := &page{Events: append([]tool.AuditEvent{}, events...)}
	if !q.Newest {
		p.Next = last
	}
	return p, nil
}
