package mcp

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
)

// maxCompleted bounds what is offered at once, as the protocol does.
const maxCompleted = 100

// variables are those of a template.
var variables = regexp.MustCompile(`\{[+?]?([a-z]+)\}`)

// takes reports whether what is to be completed is an argument of the prompt, or a variable of a template.
func takes(p *sdk.CompleteParams) bool {
	if p.Ref.Type == "ref/prompt" {
		return p.Ref.Name == lesson.Name && slices.ContainsFunc(lesson.Arguments, func(a *sdk.PromptArgument) bool { return a.Name == p.Argument.Name })
	}
	named := func(v []string) bool { return v[1] == p.Argument.Name }
	return slices.ContainsFunc(templates, func(t sdk.ResourceTemplate) bool {
		return t.URITemplate == p.Ref.URI && slices.ContainsFunc(variables.FindAllStringSubmatch(p.Ref.URI, -1), named)
	})
}

var errCompletes = &fault{code: jsonrpc.CodeInvalidParams, message: "there is no such prompt and no such template of a resource, or none that takes such an argument"}

// complete offers handles for the addresses of sources and verdicts: those that begin with what there is so far, and those of
// tools whose names do. For nothing else there is an offer.
func (s *seat) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	if !takes(req.Params) {
		return nil, errCompletes.wire()
	}
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	if !strings.Contains(req.Params.Ref.URI, byHandle) {
		return result, nil
	}
	so := req.Params.Argument.Value
	d, err := s.desk(ctx, req.Session, req.Extra)
	if err != nil {
		return nil, toProtocol(err)
	}
	records, err := d.List(ctx, desk.ListQuery{})
	if err != nil {
		return nil, toProtocol(err)
	}
	c := &result.Completion
	for _, r := range records {
		if !strings.HasPrefix(r.ID, so) && !strings.HasPrefix(r.Name, so) {
			continue
		}
		if c.Total++; len(c.Values) < maxCompleted {
			c.Values = append(c.Values, r.ID)
		}
	}
	c.HasMore = c.Total > len(c.Values)
	return result, nil
}
