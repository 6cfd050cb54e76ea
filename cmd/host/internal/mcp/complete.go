package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/cmd/host/internal/desk"
)

// maxCompleted bounds what is offered at once, as the protocol does.
const maxCompleted = 100

// complete offers handles for the addresses of sources and verdicts: those that begin with what there is so far, and those of
// tools whose names do. Nothing else is completed.
func (s *seat) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	ref, so := req.Params.Ref, req.Params.Argument.Value
	if ref == nil || req.Params.Argument.Name != "id" || ref.URI != sourceURI("{+id}") && ref.URI != verdictsURI("{+id}") {
		return result, nil
	}
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
