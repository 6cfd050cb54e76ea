package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// registerLog registers what tells of callers, sessions and the log.
func (s *Server) registerLog(api huma.API) {
	add(s, api, operation{
		id: "listAudit", method: http.MethodGet, path: "/v1/audit", tag: "log", about: "Read the audit log",
		more: "The entries of the tenant to an administrator, else those of the caller's persona. Unless it is the newest that are asked for, the oldest come first.",
	}, s.audit)
	add(s, api, operation{
		id: "verifyAudit", method: http.MethodGet, path: "/v1/audit/verify", tag: "log", about: "Check that no entry of the log was changed or removed",
		more: "It takes the scope admin.",
	}, s.verify)
	add(s, api, operation{
		id: "streamEvents", method: http.MethodGet, path: "/v1/events", tag: "log", about: "Follow what happens",
		more: "Events audit, with the sequence of the entry as their id, and, of this server alone, forge, with what becomes of requests, and call, with what begins and ends. The last is end, which says why.",
		answers: &document{
			"Server-sent events, until the client leaves.", map[string]func(huma.Registry) *huma.Schema{eventType: anyJSON("")},
		},
	}, s.events)
	add(s, api, operation{id: "listSessions", method: http.MethodGet, path: "/v1/sessions", tag: "log", about: "List sessions, and what they hold and have cost"}, s.sessions)
	add(s, api, operation{
		id: "endSession", method: http.MethodDelete, path: "/v1/sessions/{persona}/{session}", tag: "log", about: "End a session, and delete the tools of its tier",
		more: "The answer is what the tools were.",
	}, s.endSession)
	add(s, api, operation{
		id: "getUsage", method: http.MethodGet, path: "/v1/usage", tag: "log", about: "Show what is used of each limit",
		more: "Those of the key's persona and of the session, and to an administrator those of the tenant. Of calls it is those of this server.",
	}, s.usage)
	add(s, api, operation{id: "whoAmI", method: http.MethodGet, path: "/v1/caller", tag: "log", about: "Say who the key stands for"}, s.whoAmI)
}

type auditInput struct {
	After  uint64 `query:"after" doc:"Only entries of a higher sequence."`
	Before uint64 `query:"before" doc:"Only entries of a lower sequence."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many are looked at."`
	Newest bool   `query:"newest" doc:"The last ones instead of the first."`
	Tool   string `query:"tool" maxLength:"200" doc:"Only entries about the tool that has this id."`
}

type auditOutput struct {
	Link string `header:"Link" doc:"The next part, as rel=next."`
	Body AuditPage
}

// AuditPage is a part of the log.
type AuditPage struct {
	Items []tool.AuditEvent `json:"items" nullable:"false"`
	Last  uint64            `json:"last,omitempty" doc:"The last entry that was looked at: the next part is after it, or before it with newest, also of entries that are yet to come. Absent where there was none."`
}

func (s *Server) audit(ctx context.Context, in *auditInput) (*auditOutput, error) {
	q := tiers.AuditQuery{ToolID: in.Tool, After: in.After, Before: in.Before, Limit: in.Limit, Newest: in.Newest}
	events, last, err := visiting(ctx).desk.Audit(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &auditOutput{Body: AuditPage{append([]tool.AuditEvent{}, events...), last}}
	if last == 0 {
		return out, nil
	}
	if q.Limit = 1; in.Newest {
		q.Before = last
	} else {
		q.After = last
	}
	if _, more, err := visiting(ctx).desk.Audit(ctx, q); err != nil || more == 0 {
		return out, err
	}
	out.Link = "<" + withQuery("/v1/audit", map[string]string{
		"tool": in.Tool, "newest": ifTrue(in.Newest), "limit": strconv.Itoa(in.Limit), "after": ifAny(q.After), "before": ifAny(q.Before),
	}) + `>; rel="next"`
	return out, nil
}

func ifAny(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

// ChainReport is what became of checking the log.
type ChainReport struct {
	OK      bool        `json:"ok"`
	Entries uint64      `json:"entries"`
	Head    string      `json:"head" doc:"The hash of the last entry. Kept elsewhere, it shows later that nothing was cut off."`
	Error   *tool.Error `json:"error,omitempty" doc:"Names the first entry that is broken."`
}

type verifyOutput struct{ Body ChainReport }

func (s *Server) verify(ctx context.Context, _ *struct{}) (*verifyOutput, error) {
	chain, err := visiting(ctx).desk.VerifyAudit(ctx)
	e := tool.AsError(err)
	if e != nil && e.Code != tool.Internal {
		return nil, err
	}
	return &verifyOutput{ChainReport{e == nil, chain.Entries, chain.Head, e.Hinted()}}, nil
}

func (s *Server) sessions(ctx context.Context, in *PageInput) (*pageOutput[desk.Session], error) {
	list, err := visiting(ctx).desk.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b desk.Session) int { return cmp.Compare(sessionKey(a), sessionKey(b)) })
	return cut(list, sessionKey, *in, "/v1/sessions", map[string]string{}), nil
}

// sessionKey sorts sessions by persona and name.
func sessionKey(s desk.Session) string { return s.Persona + "\x00" + s.Caller.Session }

type sessionInput struct {
	Persona string `path:"persona" maxLength:"200"`
	Session string `path:"session" maxLength:"200"`
}

func (s *Server) endSession(ctx context.Context, in *sessionInput) (*recordsOutput, error) {
	gone, err := visiting(ctx).desk.EndSession(ctx, in.Persona, in.Session)
	if err != nil {
		return nil, err
	}
	return recordsOf(gone), nil
}

type usageOutput struct{ Body tool.Usage }

func (s *Server) usage(ctx context.Context, _ *struct{}) (*usageOutput, error) {
	u, err := visiting(ctx).desk.Usage(ctx)
	if err != nil {
		return nil, err
	}
	return &usageOutput{u}, nil
}

// CallerReport says who a key stands for.
type CallerReport struct {
	tool.Caller
	KeyName string      `json:"keyName,omitempty" doc:"Of whoever holds the key, where there are keys."`
	Scopes  tool.Scopes `json:"scopes" nullable:"false"`
}

type callerOutput struct{ Body CallerReport }

func (s *Server) whoAmI(ctx context.Context, _ *struct{}) (*callerOutput, error) {
	v := visiting(ctx)
	return &callerOutput{CallerReport{v.caller, v.principal.KeyName, v.principal.Scopes}}, nil
}
