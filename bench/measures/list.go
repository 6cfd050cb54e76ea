package measures

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// listed is how many tools the shelf holds: ten in each of a thousand sessions, which are of ten personas. One in ten rises
// to the agent tier, and every other of these to the shared one.
const listed = 10_000

// list measures what it takes to list the tools that one caller may see, and in its part "tenant" all that there are.
func list(ctx context.Context, s *Session) (results []report.Result, err error) {
	shelf, err := stocked(ctx, listed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, shelf.Close()) }()
	visible, err := s.listing(ctx, s.now.Name, func() ([]*tool.Record, error) { return shelf.Visible(ctx, maker(0).Caller) })
	if err != nil {
		return nil, err
	}
	whole, err := s.listing(ctx, s.now.Name+"/tenant", func() ([]*tool.Record, error) { return shelf.List(ctx, "acme", tiers.Filter{}) })
	return []report.Result{visible, whole}, err
}

// listing measures one way to list tools, with half of the budget.
func (s *Session) listing(ctx context.Context, measure string, look func() ([]*tool.Record, error)) (report.Result, error) {
	n := 0
	samples, err := s.sample(ctx, s.budget()/2, func() error {
		found, err := look()
		n = len(found)
		return err
	})
	if err != nil {
		return report.Result{}, err
	}
	return report.Result{
		Measure: measure, Unit: report.Nanoseconds, Ours: report.Describe(samples), Note: fmt.Sprintf("%d tools of %d", n, listed),
	}, nil
}

// stocked is a shelf in memory with n tools.
func stocked(ctx context.Context, n int) (*tiers.Shelf, error) {
	shelf, err := tiers.Open(ctx, "", tiers.StoreOptions{}, tiers.Options{Rules: tiers.Rules{MaxAgentTools: n}})
	if err != nil {
		return nil, err
	}
	for i := range n {
		if err := stock(ctx, shelf, i); err != nil {
			return nil, errors.Join(err, shelf.Close())
		}
	}
	return shelf, nil
}

// maker is who made tool number i.
func maker(i int) tool.Actor {
	return tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: strconv.Itoa(i / 10 % 10), Session: strconv.Itoa(i / 10)}}
}

// stock puts tool number i onto the shelf, and lets it rise if it is one of those.
func stock(ctx context.Context, shelf *tiers.Shelf, i int) error {
	made, err := shelf.Put(ctx, maker(i), tool.Draft{
		Name: "slug_" + strconv.Itoa(i), Description: slugDescription, InputSchema: []byte(slugInput), OutputSchema: []byte(slugOutput),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: programs.Slug.Variant(strconv.Itoa(i)).Source},
		Verdict:        tool.CreationVerdict{Approved: true, Confidence: 0.9, Safety: 1, Correctness: 1, Reasoning: "nothing speaks against it"},
	})
	rise := tool.Promotion{To: tool.AgentTier, ApprovedBy: "boss"}
	if err == nil && i%10 == 0 {
		_, err = shelf.Promote(ctx, maker(i), made.ID, rise)
	}
	rise.To, rise.Verdict = tool.SharedTier, &tool.PromotionVerdict{Approved: true, Confidence: 0.9}
	if err == nil && i%20 == 0 {
		_, err = shelf.Promote(ctx, maker(i), made.ID, rise)
	}
	return err
}
