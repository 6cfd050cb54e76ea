package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
	"example.com/toolsmith/tiers"
)

// decisionInput names a tool to decide on.
type decisionInput struct {
	ToolInput
	IfMatch string `header:"If-Match" maxLength:"200" doc:"Decide only while the tool is what this ETag says, however often it has been used since."`
}

// recordOutput is a tool as it is after a decision, without code.
type recordOutput struct {
	ETag string `header:"ETag"`
	Body *tool.Record
}

// Promotion is the body of promote.
type Promotion struct {
	To         tool.Tier `json:"to" enum:"agent,shared" doc:"How far the tool is to rise: one tier at a time."`
	ApprovedBy string    `json:"approvedBy" required:"false" doc:"Who approves, where there are no keys; with a key it is whoever the key is named after."`
}

// Reason is the body of demote and suspend.
type Reason struct {
	Reason string `json:"reason" required:"false" doc:"Why; it stands in the audit log."`
}

// Resumption is the body of resume.
type Resumption struct {
	Owner string `json:"owner" required:"false" doc:"The persona that owns the tool from now on, where its owner is long over."`
	Code  string `json:"code" required:"false" doc:"The very source that was approved, where it is missing."`
}

// Reversion is the body of revert.
type Reversion struct {
	Version string `json:"version" doc:"A number or an id."`
}

// PromotionReport is what became of a promotion.
type PromotionReport struct {
	Tool    *tool.Record           `json:"tool"`
	Verdict *tool.PromotionVerdict `json:"verdict,omitempty" doc:"The panel's, if it was asked."`
}

// registerDeciding registers what decides on the life of tools.
func (s *Server) registerDeciding(api huma.API) {
	post := func(id, what, about, more string, b *body, scopes ...tool.Scope) operation {
		return operation{id: id, method: http.MethodPost, path: "/v1/tools/{tool}/" + what, tag: "decide", about: about, more: more, body: b, scopes: scopes}
	}
	add(s, api, post("promoteTool", "promote", "Let a tool rise by one tier",
		"For the shared tier the promotion panel is asked first, and has to agree. It takes the scope approve.", smallBody[Promotion](), tool.ScopeApprove), s.promote)
	add(s, api, post("demoteTool", "demote", "End the life of a version", "It keeps its tier and its name, but cannot be called any more.", smallBody[Reason](), tool.ScopeForge, tool.ScopeApprove), s.demote)
	add(s, api, post("suspendTool", "suspend", "Switch a tool off until it is resumed", "", smallBody[Reason](), tool.ScopeForge, tool.ScopeApprove), s.suspend)
	resume := smallBody[Resumption]()
	resume.most = int64(2 * tool.MaxLimits.SourceBytes) // as JSON
	add(s, api, post("resumeTool", "resume", "Switch a suspended tool on", "It takes the scope approve.", resume, tool.ScopeApprove), s.resume)
	add(s, api, post("revertTool", "revert", "Take up an older version of a tool again", "Makes a new version that does what the older one did.", smallBody[Reversion](), tool.ScopeForge, tool.ScopeApprove), s.revert)
	add(s, api, operation{
		id: "removeTool", method: http.MethodDelete, path: "/v1/tools/{tool}", tag: "decide", about: "Delete a tool with its older versions",
		more: "The audit log keeps what was decided about it. The answer is what the tool was.",
	}, s.remove)
}

// read reads the body of a visit; none is the zero value.
func read[T any](ctx context.Context) (into T, err error) {
	text := visiting(ctx).body
	if len(text) == 0 {
		return into, nil
	}
	if err := wire.JSON(text, &into); err != nil {
		e := *tool.AsError(err)
		e.Snippet = "" // what was sent is not repeated
		return into, &e
	}
	return into, nil
}

// decide does something with a tool, if it is still what If-Match says; such writes of one tool come one after the other.
func (s *Server) decide(ctx context.Context, in *decisionInput, do func() (*tool.Record, error)) (*recordOutput, error) {
	v := visiting(ctx)
	if in.IfMatch != "" {
		found, err := v.desk.Show(ctx, in.Tool)
		if err != nil {
			return nil, err
		}
		defer s.writes.lock(found.Record.ID)()
		if found, err = v.desk.Show(ctx, found.Record.ID); err != nil {
			return nil, err
		}
		if err := sameAs(in.IfMatch, found.Record); err != nil {
			return nil, err
		}
	}
	r, err := do()
	if err != nil {
		return nil, err
	}
	return &recordOutput{etag(r), r}, nil
}

// sameAs refuses a tool that is not what If-Match says. How it did in use since then does not count: calls do not keep anybody from
// deciding.
func sameAs(header string, r *tool.Record) error {
	decided := decidedPart(etag(r))
	switch {
	case names(header, func(given string) bool { return decidedPart(given) == decided }):
		return nil
	case names(header, func(given string) bool { return decidedPart(given) == "W/"+decided }):
		return refuse(http.StatusPreconditionFailed, tool.Collision,
			"send the ETag as the host gave it, without W/, which something between has put before it", "If-Match takes a strong ETag, and this one is weak")
	}
	return refuse(http.StatusPreconditionFailed, tool.Collision, "look at it anew", "the tool is not what If-Match says any more")
}

// decidedPart is what a tag says of what is decided on.
func decidedPart(tag string) string {
	part, _, _ := strings.Cut(tag, ".")
	return part
}

type promoteOutput struct {
	ETag string `header:"ETag"`
	Body PromotionReport
}

func (s *Server) promote(ctx context.Context, in *decisionInput) (*promoteOutput, error) {
	body, err := read[Promotion](ctx)
	if err != nil {
		return nil, err
	}
	if body.To != tool.AgentTier && body.To != tool.SharedTier {
		return nil, &tool.Error{Code: tool.InvalidRequest, Path: "/to", Message: "a tool rises to the agent or the shared tier", Hint: `give "agent" or "shared"`}
	}
	var verdict *tool.PromotionVerdict
	out, err := s.decide(ctx, in, func() (r *tool.Record, err error) {
		r, verdict, err = visiting(ctx).desk.Promote(ctx, in.Tool, body.To, body.ApprovedBy)
		return r, err
	})
	if err != nil {
		p := s.problem(err)
		if verdict != nil {
			p.Result = PromotionReport{Verdict: verdict}
		}
		return nil, p
	}
	return &promoteOutput{out.ETag, PromotionReport{out.Body, verdict}}, nil
}

func (s *Server) demote(ctx context.Context, in *decisionInput) (*recordOutput, error) {
	body, err := read[Reason](ctx)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, in, func() (*tool.Record, error) { return visiting(ctx).desk.Demote(ctx, in.Tool, body.Reason) })
}

func (s *Server) suspend(ctx context.Context, in *decisionInput) (*recordOutput, error) {
	body, err := read[Reason](ctx)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, in, func() (*tool.Record, error) { return visiting(ctx).desk.Suspend(ctx, in.Tool, body.Reason) })
}

func (s *Server) resume(ctx context.Context, in *decisionInput) (*recordOutput, error) {
	body, err := read[Resumption](ctx)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, in, func() (*tool.Record, error) {
		return visiting(ctx).desk.Resume(ctx, in.Tool, tiers.Resumption{Owner: body.Owner, Code: body.Code})
	})
}

func (s *Server) revert(ctx context.Context, in *decisionInput) (*recordOutput, error) {
	body, err := read[Reversion](ctx)
	if err != nil {
		return nil, err
	}
	if body.Version == "" {
		return nil, &tool.Error{Code: tool.InvalidRequest, Path: "/version", Message: "it is not said which version to revert to", Hint: "give its number or its id"}
	}
	return s.decide(ctx, in, func() (*tool.Record, error) { return visiting(ctx).desk.Revert(ctx, in.Tool, body.Version) })
}

func (s *Server) remove(ctx context.Context, in *decisionInput) (*recordOutput, error) {
	return s.decide(ctx, in, func() (*tool.Record, error) { return visiting(ctx).desk.Remove(ctx, in.Tool) })
}
