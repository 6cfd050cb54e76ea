package measures

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"example.com/toolsmith/bench/programs"
	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// listed is how many tools the shelf holds: ten in each of a thousand sessions, which are of ten personas. One in ten rises
// to the agent tier, and every other of these to the shared one.
const listed = 10_000

// list measures what it takes to list the tools that one caller may see, in its part "tenant" all that there are, and in its
// part "search" to search those that the caller may see.
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
	if err != nil {
		return nil, err
	}
	found, err := s.searching(ctx, shelf)
	return []report.Result{visible, whole, found}, err
}

// searching measures queries of a caller. The index is made by the first, which does not count.
func (s *Session) searching(ctx context.Context, shelf *tiers.Shelf) (report.Result, error) {
	host, err := runtime.NewHost(nil, runtime.HostOptions{Shelf: shelf}) // nothing is run
	if err != nil {
		return report.Result{}, err
	}
	n := 0
	look := func() error {
		n++
		hits, err := host.Search(ctx, maker(0).Caller, fmt.Sprintf("slug %d of a title", n%listed), 10)
		if err == nil && len(hits) == 0 {
			err = errors.New("nothing was found")
		}
		return err
	}
	if err := look(); err != nil {
		return report.Result{}, err
	}
	samples, err := s.sample(ctx, s.budget()/3, look)
	if err != nil {
		return report.Result{}, err
	}
	return report.Result{
		Measure: s.now.Name + "/search", Unit: report.Nanoseconds, Ours: report.Describe(samples), Note: fmt.Sprintf("%d tools indexed", listed),
	}, nil
}

// listing measures one way to list tools, with a third of the budget.
func (s *Session) listing(ctx context.Context, measure string, look func() ([]*tool.Record, error)) (report.Result, error) {
	n := 0
	samples, err := s.sample(ctx, s.budget()/3, func() error {
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
