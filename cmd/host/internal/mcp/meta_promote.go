package mcp

import (
	"context"
	"fmt"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

// promoteTool has a person decide that a tool stays.
func promoteTool() *metaTool {
	return &metaTool{
		name: "promote_tool", title: "Promote a tool", asks: true,
		description: `Ask a person to let a tool rise: to agent, so that it outlives this session, or from there to shared, for everybody. ` +
			`Promote what has proved itself. When nobody can be asked here, the result says how a person does it.`,
		schema: `{"type":"object","additionalProperties":false,"required":["tool","to"],"properties":{"tool":` + toolArgument + `,` +
			`"to":{"enum":["agent","shared"],"description":"One tier up from where the tool is."}}}`,
		run: runPromote,
	}
}

// promoted is a tool that has risen.
type promoted struct {
	Handle     string    `json:"handle"`
	Name       string    `json:"name"`
	Tier       tool.Tier `json:"tier"`
	ApprovedBy string    `json:"approvedBy,omitempty"`
}

func runPromote(ctx context.Context, c *call) (any, error) {
	var ask struct {
		Tool string `json:"tool"`
		To   string `json:"to"`
	}
	if err := c.arguments(&ask); err != nil {
		return nil, err
	}
	whole, err := c.desk.Show(ctx, ask.Tool)
	if err != nil {
		return nil, err
	}
	r, to := whole.Record, tool.Tier(ask.To)
	if err := c.rises(r, to); err != nil {
		return nil, err
	}
	if c.person != "" || c.face.opt.AskAll {
		if err := c.asked(ctx, r, to); err != nil {
			return nil, c.line.declined(err)
		}
	}
	risen, _, err := c.desk.Promote(ctx, r.ID, to, c.person)
	if err != nil {
		return nil, c.line.declined(err)
	}
	return promoted{risen.ID, risen.Name, risen.Tier, risen.PromotedBy}, nil
}

// rises returns nil when the caller can let a tool rise to a tier: nobody is asked in vain.
func (c *call) rises(r *tool.Record, to tool.Tier) error {
	if err := c.who.Scopes.Require(tool.ScopeApprove); err != nil {
		return err
	}
	if err := r.Callable(); err != nil {
		return err
	}
	if to.Rank() != r.Tier.Rank()+1 {
		return &tool.Error{
			Code: tool.InvalidInput, Path: "/to", Message: fmt.Sprintf("%s is of the tier %s, and rises by one at a time", r.Name, r.Tier),
			Hint: "session tools rise to agent, agent tools to shared",
		}
	}
	return nil
}

// asked returns nil when the client's user lets a tool rise, having seen the whole of it.
func (c *call) asked(ctx context.Context, r *tool.Record, to tool.Tier) error {
	question := fmt.Sprintf("May this tool rise to the tier %s?", to)
	by := tool.Actor{Caller: tool.Caller{Tenant: c.who.Tenant, Persona: c.who.Persona, Session: r.SessionID}}
	sheet, err := judge.Sheet(question, by, r, r.Implementation)
	if err != nil {
		return err
	}
	approved, reason, err := Ask(ctx, by, question, sheet)
	if err != nil || approved {
		return err
	}
	return &tool.Error{
		Code: tool.Rejected, Message: fmt.Sprintf("%s stays in the tier %s: %s", r.Name, r.Tier, reason),
		Hint: fmt.Sprintf("a person can do it at a shell: host tool promote %s --to %s --approved-by WHO", r.ID, to),
	}
}
