package tiers

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// legacyPersona is what ids of sessions looked like when they stood in a persona's place.
var legacyPersona = regexp.MustCompile(`^gmi-instance-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func legacyOwner(r *tool.Record) bool {
	return r.Tier == tool.AgentTier && legacyPersona.MatchString(r.CreatedBy)
}

// Load looks over what is stored when the host starts: tools that cannot be called any more are suspended, with the
// reason, and those are resumed whose missing tool or key is back or whose owner has room again. Idle sessions end, and deletions
// of tenants that were cut off are finished. has reports whether the host has a tool that was not forged.
func (s *Shelf) Load(ctx context.Context, has func(name string) bool) error {
	failed := errors.Join(s.finishDeletions(ctx), s.Tend(ctx))
	tenants, err := s.Tenants(ctx)
	failed = errors.Join(failed, err)
	for _, tenant := range tenants {
		by := tool.Actor{Caller: tool.Caller{Tenant: tenant}, Name: hostName}
		list, err := s.List(ctx, tenant, Filter{})
		failed = errors.Join(failed, err)
		over := overCap(list, s.opt.Rules.MaxAgentTools)
		for some := range slices.Chunk(list, loadChunk) {
			failed = errors.Join(failed, s.change(ctx, by, func(e *edit) error { return e.look(some, over, has) }))
		}
	}
	return asError(failed)
}

// loadChunk is how many records one transaction of Load looks at.
const loadChunk = 500

// look suspends and resumes records.
func (e *edit) look(list []*tool.Record, over map[string]bool, has func(string) bool) error {
	for _, listed := range list {
		r, err := findRecord(e, e.by.Tenant, listed.ID)
		if err != nil || r == nil {
			return err
		}
		reason, err := e.wrong(r, over, has)
		if err != nil {
			return err
		}
		switch {
		case reason != "" && r.Suspended == nil:
			err = e.suspend(r, reason)
		case reason == "" && r.Suspended != nil && passing(r.Suspended.Reason):
			err = e.resume(r)
		default:
			continue
		}
		if err := errors.Join(err, e.save(r)); err != nil {
			return err
		}
	}
	return nil
}

// passing reports whether a suspension ends once its reason is gone.
func passing(reason tool.SuspendReason) bool {
	return reason == tool.MissingTool || reason == tool.OverCap || reason == tool.SourceMissing
}

// wrong says what is wrong with a record; "" when nothing is.
func (e *edit) wrong(r *tool.Record, over map[string]bool, has func(string) bool) (tool.SuspendReason, error) {
	if legacyOwner(r) {
		return tool.LegacyOwner, nil
	}
	if _, err := e.shelf.sealer.whole(e, e.by.Tenant, r); errors.Is(err, tool.Unavailable) {
		return tool.SourceMissing, nil
	} else if err != nil {
		return "", err
	}
	owner := tool.Caller{Tenant: e.by.Tenant, Persona: r.PersonaID, Session: r.SessionID}
	for _, step := range r.Implementation.Steps {
		if has(step.Tool) {
			continue
		}
		if found, err := seen(e, owner, step.Tool); err != nil {
			return "", err
		} else if found == nil {
			return tool.MissingTool, nil
		}
	}
	if over[r.ID] {
		return tool.OverCap, nil
	}
	return "", nil
}

// overCap returns the agent-tier tools beyond what each owner may have: the youngest ones.
func overCap(list []*tool.Record, most int) map[string]bool {
	byAge := slices.Clone(list)
	slices.SortStableFunc(byAge, func(a, b *tool.Record) int { return a.CreatedAt.Compare(b.CreatedAt.Time) })
	over, owned := map[string]bool{}, map[string]int{}
	for _, r := range byAge {
		if r.Tier != tool.AgentTier {
			continue
		}
		owner := tool.Root(r.PersonaID)
		owned[owner]++
		over[r.ID] = owned[owner] > most
	}
	return over
}
