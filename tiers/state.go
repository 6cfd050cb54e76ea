package tiers

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// Demote ends a version's life: it stays in its tier, is not callable, and its confidence is 0. A later version or Revert
// takes its place.
func (s *Shelf) Demote(ctx context.Context, by tool.Actor, id, reason string) (*tool.Record, error) {
	return s.edit(ctx, by, id, func(e *edit, r *tool.Record) error { return e.demote(r, reason) })
}

func (e *edit) demote(r *tool.Record, reason string) error {
	r.IsActive, r.UsageStats.ConfidenceScore = false, 0
	return e.log(r.ID, tool.Demoted, fields{"reason": reason})
}

// Suspend switches a tool off until it is resumed. What it does cannot be registered again word for word until then, by its owner in
// any session or, for a shared tool, by anybody; when the tool is gone, for 31 days.
func (s *Shelf) Suspend(ctx context.Context, by tool.Actor, id string, reason tool.SuspendReason) (*tool.Record, error) {
	return s.edit(ctx, by, id, func(e *edit, r *tool.Record) error { return e.suspend(r, reason) })
}

func (e *edit) suspend(r *tool.Record, reason tool.SuspendReason) error {
	r.Suspended = &tool.Suspension{Reason: reason, Since: tool.At(e.now)}
	if err := e.bar(r, reason); err != nil {
		return err
	}
	return e.log(r.ID, tool.SuspendedTool, fields{"reason": reason, "by": e.by.String()})
}

// Resumption is what mends the reason of a suspension.
type Resumption struct {
	Owner string // for legacy_owner: the persona that owns the tool from now on
	Code  string // for source_missing: the very code that was approved
}

// Resume switches a suspended tool on.
func (s *Shelf) Resume(ctx context.Context, by tool.Actor, id string, with Resumption) (*tool.Record, error) {
	return s.edit(ctx, by, id, func(e *edit, r *tool.Record) error {
		if r.Suspended == nil {
			return &tool.Error{Code: tool.InvalidRequest, Message: "the tool " + r.Name + " is not suspended"}
		}
		if err := e.unbar(r); err != nil {
			return err
		}
		if err := e.mend(r, with); err != nil {
			return err
		}
		return e.resume(r)
	})
}

func (e *edit) resume(r *tool.Record) error {
	reason := r.Suspended.Reason
	r.Suspended, r.FailuresInARow = nil, 0
	return e.log(r.ID, tool.ResumedTool, fields{"reason": reason, "by": e.by.String()})
}

// mend does away with what a tool was suspended for.
func (e *edit) mend(r *tool.Record, with Resumption) error {
	if with.Owner != "" {
		if err := e.giveTo(r, with.Owner); err != nil {
			return err
		}
	}
	if with.Code != "" {
		if err := e.supply(r, with.Code); err != nil {
			return err
		}
	}
	if legacyOwner(r) {
		return &tool.Error{Code: tool.Suspended, Message: "the owner of " + r.Name + " is an id of a session that is long over", Hint: "resume it with an owner"}
	}
	_, err := e.shelf.sealer.whole(e, e.by.Tenant, r)
	return err
}

// giveTo makes a persona the owner of a tool.
func (e *edit) giveTo(r *tool.Record, persona string) error {
	if r.Tier == tool.SessionTier {
		return &tool.Error{Code: tool.InvalidRequest, Message: "a tool of the session tier keeps its owner"}
	}
	if err := e.Delete(slotKey(e.by.Tenant, r, r.Name)); err != nil {
		return err
	}
	r.CreatedBy, r.PersonaID = persona, persona
	holder, err := bySlot(e, e.by.Tenant, r, r.Name)
	if err != nil {
		return err
	}
	if holder != nil && holder.ID != r.ID {
		return taken(r.Name, "another tool of "+persona)
	}
	if r.Tier == tool.AgentTier {
		if err := e.room(r, e.shelf.opt.Rules.MaxAgentTools, "Agent"); err != nil {
			return err
		}
	}
	return e.place(r)
}

// supply stores a tool's code again.
func (e *edit) supply(r *tool.Record, code string) error {
	whole := r.Implementation
	whole.Code, whole.CodeBytes, whole.Redacted, whole.Reason = code, 0, false, ""
	hash, err := whole.Hash()
	if err != nil {
		return err
	}
	if hash != r.SourceHash {
		return &tool.Error{Code: tool.Rejected, Message: "this is not the source that was approved: its hash does not match", Hint: "forge it anew to have other source approved"}
	}
	return e.shelf.sealer.keep(e, e.by.Tenant, r, whole)
}

// Remove deletes a tool with the versions whose place it took.
func (s *Shelf) Remove(ctx context.Context, by tool.Actor, id string) error {
	return s.change(ctx, by, func(e *edit) error {
		r, err := record(e, by.Tenant, id)
		if err != nil {
			return err
		}
		if err := e.remove(r); err != nil {
			return err
		}
		return e.log(id, tool.Removed, nil)
	})
}

// remove deletes a record, and those whose place it took.
func (e *edit) remove(r *tool.Record) error {
	if r.SupersededBy == "" {
		if err := e.Delete(slotKey(e.by.Tenant, r, r.Name)); err != nil {
			return err
		}
	}
	for at := r; at != nil; {
		if err := e.Delete(recordKey(e.by.Tenant, at.ID)); err != nil {
			return err
		}
		if err := e.shelf.sealer.forget(e, e.by.Tenant, at.ID); err != nil {
			return err
		}
		older, err := findRecord(e, e.by.Tenant, at.Supersedes)
		if err != nil {
			return err
		}
		if older != nil && older.SupersededBy != at.ID {
			older = nil // it lives on in a wider tier
		}
		at = older
	}
	return nil
}
