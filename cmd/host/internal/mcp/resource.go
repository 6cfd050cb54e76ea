package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// scheme begins the address of every resource. None is a file.
const scheme = "toolsmith://"

func sourceURI(id string) string   { return scheme + "tools/" + id + "/source" }
func verdictsURI(id string) string { return scheme + "tools/" + id + "/verdicts" }

func resultURI(id string, part int) string { return fmt.Sprintf("%sresults/%s/%d", scheme, id, part) }

func tooLarge(bytes int) error {
	return &tool.Error{Code: tool.OutputTooLarge, Message: fmt.Sprintf("the result has %d bytes; at most %d are kept", bytes, maxLength), Hint: "ask for less at once"}
}

// byHandle stands for the handle of a tool in a template.
const byHandle = "{+handle}"

// templates are those of the addresses of resources.
var templates = []sdk.ResourceTemplate{
	{URITemplate: sourceURI(byHandle), Name: "source", Title: "Source of a tool", Description: "The source of a forged tool, by its handle.", MIMEType: "text/plain"},
	{URITemplate: verdictsURI(byHandle), Name: "verdicts", Title: "Verdicts on a tool", Description: "What judges and people said of a forged tool.", MIMEType: "application/json"},
	{URITemplate: scheme + "audit{?after}", Name: "audit page", Title: "Page of the audit log", Description: "The audit log after a sequence.", MIMEType: "application/json"},
	{URITemplate: scheme + "results/{id}/{part}", Name: "result", Title: "Part of a result", Description: "A part of a result that was too large.", MIMEType: "text/plain"},
}

func (s *seat) addResources() {
	s.server.AddResource(&sdk.Resource{URI: scheme + "audit", Name: "audit", Title: "Audit log", Description: "The first entries of the audit log.", MIMEType: "application/json"}, s.read)
	for _, t := range templates {
		s.server.AddResourceTemplate(&t, s.read)
	}
}

// read reads a resource. What is not there and what the caller may not see are answered alike.
func (s *seat) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	const longest = 500
	if len(req.Params.URI) > longest {
		return nil, sdk.ResourceNotFoundError(req.Params.URI[:longest])
	}
	contents, err := s.contents(ctx, req)
	if err == nil && contents != nil {
		contents.URI = req.Params.URI
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{contents}}, nil
	}
	if e := tool.AsError(err); e != nil && e.Code != tool.NotFound && e.Code != tool.NotOwner {
		return nil, toProtocol(err)
	}
	return nil, sdk.ResourceNotFoundError(req.Params.URI)
}

// toProtocol is an error of ours as one of the protocol.
func toProtocol(err error) error {
	e := forModels(err)
	data, _ := json.Marshal(e) // an error of ours is always JSON
	code := int64(jsonrpc.CodeInvalidParams)
	if e.Code == tool.Internal || e.Code == tool.Unavailable {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: e.Message, Data: data}
}

// contents returns those of a resource; nil when there is none of that address.
func (s *seat) contents(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ResourceContents, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(req.Params.URI, scheme), "?")
	kind, rest, _ := strings.Cut(path, "/")
	if kind == "results" {
		return s.resultPart(rest), nil
	}
	d, err := s.desk(ctx, req.Session, req.Extra)
	if err != nil {
		return nil, err
	}
	if kind == "audit" && rest == "" {
		return auditContents(ctx, d, query)
	}
	id, part, _ := strings.Cut(rest, "/")
	if id, err = url.PathUnescape(id); err != nil || kind != "tools" || !strings.HasPrefix(id, handlePrefix) {
		return nil, nil //nolint:nilnil,nilerr // there is none of that address
	}
	whole, err := d.Show(ctx, id)
	if err != nil {
		return nil, err
	}
	switch part {
	case "source":
		return sourceContents(whole)
	case "verdicts":
		return jsonContents(map[string]any{"name": whole.Record.Name, "handle": whole.Record.ID, "verdicts": whole.Record.JudgeVerdicts, "approvals": whole.Record.Approvals})
	}
	return nil, nil //nolint:nilnil // as above
}

// resultPart is a part of a result; nil when it is not kept.
func (s *seat) resultPart(rest string) *sdk.ResourceContents {
	id, number, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil
	}
	text, of, ok := s.results.part(id, n)
	if !ok {
		return nil
	}
	meta := sdk.Meta{"toolsmith/part": n, "toolsmith/parts": of}
	if n+1 < of {
		meta["toolsmith/next"] = resultURI(id, n+1)
	}
	return &sdk.ResourceContents{MIMEType: "text/plain", Text: text, Meta: meta}
}

// auditContents is a page of the audit log.
func auditContents(ctx context.Context, d desk.Desk, query string) (*sdk.ResourceContents, error) {
	q := tiers.AuditQuery{Limit: 100}
	values, err := url.ParseQuery(query)
	if after := values.Get("after"); err == nil && after != "" {
		q.After, err = strconv.ParseUint(after, 10, 64)
	}
	if err != nil {
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: "after is the sequence of an entry", Hint: "take it from next of the page before"}
	}
	p, err := auditPage(ctx, d, q)
	if err != nil {
		return nil, err
	}
	return jsonContents(p)
}

// sourceContents is the code of a tool, or its steps.
func sourceContents(whole *desk.Whole) (*sdk.ResourceContents, error) {
	switch i := whole.Record.Implementation; {
	case whole.Missing != nil:
		return nil, whole.Missing
	case i.Mode == tool.ComposeMode:
		return jsonContents(i)
	default:
		return &sdk.ResourceContents{MIMEType: "text/plain", Text: i.Code}, nil
	}
}

func jsonContents(value any) (*sdk.ResourceContents, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, tool.Errorf(tool.Internal, "the resource cannot be written as JSON: %w", err)
	}
	if len(text) > maxLength {
		return nil, tooLarge(len(text))
	}
	return &sdk.ResourceContents{MIMEType: "application/json", Text: string(text)}, nil
}
