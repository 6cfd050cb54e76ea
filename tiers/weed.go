package tiers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// weeding remembers when tools were last looked over.
type weeding struct {
	mu   sync.Mutex
	last time.Time
}

// weedEvery is how often Tend looks over all tools.
const weedEvery = time.Hour

// due reports whether it is time; from then on it is not, for a while.
func (w *weeding) due(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.last.IsZero() && now.Sub(w.last) < weedEvery && !now.Before(w.last) {
		return false
	}
	w.last = now
	return true
}

// Stale returns the tools of the agent tier that can be called and that nobody has used for as long as Rules.StaleAfter, by id.
// A tool that was never used ages from when it rose.
func (s *Shelf) Stale(ctx context.Context, tenant string) ([]*tool.Record, error) {
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	list, err := s.List(ctx, tenant, Filter{Tier: tool.AgentTier})
	now := s.opt.Now()
	return slices.DeleteFunc(list, func(r *tool.Record) bool { return !s.opt.Rules.stale(r, now) }), err
}

func (r Rules) stale(t *tool.Record, now time.Time) bool {
	return t.Tier == tool.AgentTier && t.Callable() == nil && now.Sub(lastNeeded(t)) >= r.StaleAfter
}

// lastNeeded is when somebody last used a tool or let it rise.
func lastNeeded(t *tool.Record) time.Time {
	last := t.CreatedAt.Time
	for _, at := range []*tool.Time{t.PromotedAt, t.UsageStats.LastUsedAt} {
		if at != nil && at.After(last) {
			last = at.Time
		}
	}
	return last
}

// outlived says why a tool is to be demoted; "" when it is not.
func (r Rules) outlived(t *tool.Record, now time.Time) string {
	u := t.UsageStats
	switch {
	case t.Callable() != nil:
		return ""
	case u.TotalUses >= r.DemoteAfterUses && u.SuccessRate() < r.DemoteBelowSuccessRate:
		return fmt.Sprintf("%.0f%% of its %d uses succeeded, %.0f%% are needed", 100*u.SuccessRate(), u.TotalUses, 100*r.DemoteBelowSuccessRate)
	case r.DemoteStale && r.stale(t, now):
		return fmt.Sprintf("nobody has used it for %.0f days", now.Sub(lastNeeded(t)).Hours()/24)
	}
	return ""
}

// weed demotes the tools that fail too often and, if the rules want that, those that nobody uses: once an hour.
func (s *Shelf) weed(ctx context.Context) error {
	rules := s.opt.Rules
	if !rules.DemoteStale && rules.DemoteBelowSuccessRate == 0 || !s.weeding.due(s.opt.Now()) {
		return nil
	}
	tenants, err := s.Tenants(ctx)
	for _, tenant := range tenants {
		list, listErr := s.Current(ctx, tenant)
		err = errors.Join(err, listErr)
		list = slices.DeleteFunc(list, func(r *tool.Record) bool { return rules.outlived(r, s.opt.Now()) == "" })
		by := tool.Actor{Caller: tool.Caller{Tenant: tenant}, Name: hostName}
		for some := range slices.Chunk(list, loadChunk) {
			err = errors.Join(err, s.change(ctx, by, func(e *edit) error { return e.weed(some) }))
		}
	}
	return err
}

// weed demotes those of some records that are still to be demoted.
func (e *edit) weed(list []*tool.Record) error {
	for _, listed := range list {
		r, err := findRecord(e, e.by.Tenant, listed.ID)
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		reason := e.shelf.opt.Rules.outlived(r, e.now)
		if reason == "" {
			continue
		}
		if err := errors.Join(e.demote(r, reason), e.save(r)); err != nil {
			return err
		}
	}
	return nil
}
