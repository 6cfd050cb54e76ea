package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// registerFinding registers what looks at tools.
func (s *Server) registerFinding(api huma.API) {
	add(s, api, operation{
		id: "listTools", method: http.MethodGet, path: "/v1/tools", tag: "find", about: "List forged tools",
		more: "Those that the caller sees, or with all those of every persona and session, which takes the scope approve or admin.",
	}, s.list)
	add(s, api, operation{
		id: "listCatalog", method: http.MethodGet, path: "/v1/catalog", tag: "find", about: "List what the caller may call, tools of the host included",
	}, s.catalog)
	add(s, api, operation{
		id: "searchTools", method: http.MethodGet, path: "/v1/search", tag: "find", about: "Find tools that the caller may call, by words",
	}, s.search)
	add(s, api, operation{
		id: "getTool", method: http.MethodGet, path: "/v1/tools/{tool}", tag: "find", about: "Show all there is to know of a tool",
		more: "The source is there for those who may see it, when it is stored.",
	}, s.show)
	add(s, api, operation{
		id: "listVersions", method: http.MethodGet, path: "/v1/tools/{tool}/versions", tag: "find", about: "List a tool and the versions before it",
	}, s.versions)
	add(s, api, operation{
		id: "diffVersions", method: http.MethodGet, path: "/v1/tools/{tool}/diff", tag: "find", about: "Show in what two versions of a tool differ",
	}, s.diff)
	text := func(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
	add(s, api, operation{
		id: "exportTool", method: http.MethodGet, path: "/v1/tools/{tool}/export", tag: "find", about: "Pack a tool for another host",
		more:    "Code is left out unless it is asked for. What is packed stands in the audit log.",
		answers: &document{"The package.", map[string]func(huma.Registry) *huma.Schema{yamlType: text, jsonType: anyJSON("The package.")}},
	}, s.export)
}

type listInput struct {
	PageInput
	Tier    string `query:"tier" enum:"session,agent,shared" doc:"Only tools of this tier."`
	All     bool   `query:"all" doc:"Also what the caller does not see."`
	History bool   `query:"history" doc:"Also versions whose place another has taken."`
}

func (s *Server) list(ctx context.Context, in *listInput) (*pageOutput[*tool.Record], error) {
	list, err := visiting(ctx).desk.List(ctx, desk.ListQuery{Tier: tool.Tier(in.Tier), All: in.All, History: in.History})
	if err != nil {
		return nil, err
	}
	query := map[string]string{"tier": in.Tier, "all": ifTrue(in.All), "history": ifTrue(in.History)}
	return cut(list, recordKey, in.PageInput, "/v1/tools", query), nil
}

// recordKey sorts as lists of tools do: by name and owner, the newest version first.
func recordKey(r *tool.Record) string {
	const digits = 10
	return strings.Join([]string{r.Name, r.CreatedBy, fmt.Sprintf("%0*d", digits, 1e9-r.Version), r.ID}, "\x00")
}

func ifTrue(given bool) string {
	if given {
		return "true"
	}
	return ""
}

func (s *Server) catalog(ctx context.Context, in *PageInput) (*pageOutput[runtime.Face], error) {
	all, err := visiting(ctx).desk.Tools(ctx)
	if err != nil {
		return nil, err
	}
	return cut(all, func(f runtime.Face) string { return f.Name }, *in, "/v1/catalog", map[string]string{}), nil
}

type searchInput struct {
	Query string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"Words."`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10"`
}

type searchOutput struct {
	Body struct {
		Items []runtime.Hit `json:"items" nullable:"false"`
	}
}

func (s *Server) search(ctx context.Context, in *searchInput) (*searchOutput, error) {
	hits, err := visiting(ctx).desk.Search(ctx, in.Query, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &searchOutput{}
	out.Body.Items = append([]runtime.Hit{}, hits...)
	return out, nil
}

// ToolInput names a tool.
type ToolInput struct {
	Tool string `path:"tool" maxLength:"200" doc:"By the name that the caller sees, or by its id."`
}

type showInput struct {
	ToolInput
	IfNoneMatch string `header:"If-None-Match" maxLength:"200"`
}

type showOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"Of the record as it is now; uses change it, and If-Match does not heed them."`
	Body   *desk.Whole
}

func (s *Server) show(ctx context.Context, in *showInput) (*showOutput, error) {
	whole, err := visiting(ctx).desk.Show(ctx, in.Tool)
	if err != nil {
		return nil, err
	}
	out := &showOutput{Status: http.StatusOK, ETag: etag(whole.Record), Body: whole}
	whole.Missing = public(whole.Missing).Hinted()
	if matches(in.IfNoneMatch, out.ETag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

// etag is the quoted tag of a record: a hash of what is decided on, and behind a dot one of how the tool did in use. With its code
// or without it is the same.
func etag(r *tool.Record) string {
	decided := *r
	decided.Implementation = r.Implementation.Redact()
	decided.UsageStats, decided.FailuresInARow = tool.UsageStats{}, 0
	return strconv.Quote(hashOf(&decided) + "." + hashOf(struct {
		Stats    tool.UsageStats `json:"stats"`
		Failures int             `json:"failures"`
	}{r.UsageStats, r.FailuresInARow}))
}

// hashOf is the hash of a value of our own.
func hashOf(v any) string {
	text, err := tool.Canonical(v)
	if err != nil {
		panic(err) // it was read from JSON; the guard recovers
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// matches reports whether a header that names tags names one, which only looks: so a weak tag, W/"…", counts, too.
func matches(header, tag string) bool {
	return names(header, func(given string) bool { return strings.TrimPrefix(given, "W/") == tag })
}

// names reports whether a header names a tag of which something holds, or any tag there is.
func names(header string, holds func(tag string) bool) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimSpace(part); part == "*" || holds(part) {
			return true
		}
	}
	return false
}

type recordsOutput struct {
	Body struct {
		Items []*tool.Record `json:"items" nullable:"false"`
	}
}

func recordsOf(list []*tool.Record) *recordsOutput {
	out := &recordsOutput{}
	out.Body.Items = append([]*tool.Record{}, list...)
	return out
}

func (s *Server) versions(ctx context.Context, in *ToolInput) (*recordsOutput, error) {
	list, err := visiting(ctx).desk.Versions(ctx, in.Tool)
	if err != nil {
		return nil, err
	}
	return recordsOf(list), nil
}

type diffInput struct {
	ToolInput
	From string `query:"from" maxLength:"200" doc:"A number or an id; the version before to, unless given."`
	To   string `query:"to" maxLength:"200" doc:"A number or an id; the newest, unless given."`
}

type diffOutput struct{ Body *desk.Diff }

func (s *Server) diff(ctx context.Context, in *diffInput) (*diffOutput, error) {
	diff, err := visiting(ctx).desk.Diff(ctx, in.Tool, in.From, in.To)
	return &diffOutput{diff}, err
}

type exportInput struct {
	ToolInput
	Format     string `query:"format" enum:"yaml,json" default:"yaml"`
	WithSource bool   `query:"withSource" doc:"Put the code into the package, so that it can be imported."`
}

type exportOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (s *Server) export(ctx context.Context, in *exportInput) (*exportOutput, error) {
	out := &exportOutput{ContentType: "application/" + in.Format}
	var err error
	out.Body, err = visiting(ctx).desk.Export(ctx, in.Tool, toolsmith.ExportOptions{WithSource: in.WithSource, JSON: in.Format == "json"})
	return out, err
}
