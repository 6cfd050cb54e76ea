package tiers

import (
	"context"
	"errors"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// Promote lets a tool rise. The agent tier takes an approving panel or a person; the shared tier takes both, and the person
// is neither the owner nor, where a person is the panel, that one. The name must be free there, or be an older version's,
// whose place the tool takes.
func (s *Shelf) Promote(ctx context.Context, by tool.Actor, id string, p tool.Promotion) (*tool.Record, error) {
	return s.edit(ctx, by, id, func(e *edit, r *tool.Record) error {
		if err := e.mayRise(r, p); err != nil {
			return err
		}
		from := r.Tier
		if err := e.rise(r, p.To); err != nil {
			return err
		}
		at := tool.At(e.now)
		r.PromotedAt, r.PromotedBy = &at, p.ApprovedBy
		r.Approvals = append(r.Approvals, tool.Approval{To: p.To, By: p.ApprovedBy, At: at, SourceHash: r.SourceHash})
		data := fields{"from": from, "to": p.To, "approvedBy": nil, "sourceHash": r.SourceHash}
		if p.ApprovedBy != "" {
			data["approvedBy"] = p.ApprovedBy
		}
		if p.Verdict != nil {
			verdict := *p.Verdict
			verdict.SourceHash = r.SourceHash
			r.JudgeVerdicts = append(r.JudgeVerdicts, tool.Verdict{Promotion: &verdict})
			data["verdict"] = verdict
		}
		return e.log(r.ID, tool.Promoted, data)
	})
}

// edit changes one record: fn changes r and logs, edit writes r.
func (s *Shelf) edit(ctx context.Context, by tool.Actor, id string, fn func(*edit, *tool.Record) error) (changed *tool.Record, err error) {
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	err = s.change(ctx, by, func(e *edit) error {
		r, err := record(e, by.Tenant, id)
		if err != nil {
			return err
		}
		if err := fn(e, r); err != nil {
			return err
		}
		changed = r
		return e.save(r)
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func (e *edit) mayRise(r *tool.Record, p tool.Promotion) error {
	if err := r.Callable(); err != nil {
		return err
	}
	if err := e.notBarred(r); err != nil {
		return err
	}
	if p.ApprovedBy != "" {
		if err := tool.CheckPersonName(p.ApprovedBy); err != nil {
			return err
		}
	}
	switch {
	case p.To.Rank() <= r.Tier.Rank():
		return wrongTier(fmt.Sprintf("target tier must be strictly higher than %s", r.Tier))
	case p.To.Rank() > r.Tier.Rank()+1:
		return wrongTier(fmt.Sprintf("a tool of the %s tier rises to the agent tier first", r.Tier))
	case p.SourceHash != "" && p.SourceHash != r.SourceHash, p.Verdict != nil && p.Verdict.SourceHash != "" && p.Verdict.SourceHash != r.SourceHash:
		return otherHash()
	}
	return e.approved(r, p)
}

func wrongTier(why string) error {
	return &tool.Error{Code: tool.InvalidRequest, Path: "/to", Message: why, Hint: "the tiers are session, agent and shared, in this order"}
}

func (e *edit) approved(r *tool.Record, p tool.Promotion) error {
	rules := e.shelf.opt.Rules
	panel := p.Verdict != nil && p.Verdict.Approved && p.Verdict.Confidence >= rules.MinPanel
	person := p.ApprovedBy != ""
	if p.To == tool.AgentTier && (panel || person) {
		return nil
	}
	switch {
	case !panel && p.To == tool.AgentTier:
		return refused("neither the panel nor a person approved", "promote with an approver's name; the panel looks at a tool by itself, after enough uses")
	case !person && !rules.SharedByPanel:
		return refused("the shared tier takes a person's approval", "promote with an approver's name")
	case sameOwner(p.ApprovedBy, r):
		return refused("the owner cannot approve its own tool for the shared tier", "let another approve it")
	case !panel:
		return refused("the shared tier takes a fresh verdict of the panel", "have the panel review it now")
	}
	return secondPerson(r, p)
}

// secondPerson checks that a person who is the panel is another than the owner and the approver.
func secondPerson(r *tool.Record, p tool.Promotion) error {
	reviewer := p.Verdict.Person()
	switch {
	case reviewer == "":
		return nil
	case sameOwner(reviewer, r):
		return refused("the owner cannot be the panel for the shared tier", "let another review it")
	case tool.SamePerson(reviewer, p.ApprovedBy):
		return refused("the approver and the panel are one person", "let another approve it, or review it")
	}
	return nil
}

// sameOwner reports whether somebody is the owner of a record. Managers and their specialists own what any of them does.
func sameOwner(who string, r *tool.Record) bool {
	return tool.SamePerson(tool.Root(who), tool.Root(r.CreatedBy))
}

func refused(why, hint string) error {
	return &tool.Error{Code: tool.Rejected, Message: "not promoted: " + why, Hint: hint}
}

// rise moves a record to a tier, where its name is free or an older version's, and there is room.
func (e *edit) rise(r *tool.Record, to tool.Tier) error {
	target := &tool.Record{Tier: to, PersonaID: r.PersonaID}
	older, err := bySlot(e, e.by.Tenant, target, r.Name)
	if err != nil {
		return err
	}
	switch {
	case older != nil:
		ours, err := e.descends(r, older.ID)
		if err != nil {
			return err
		}
		if !ours {
			return taken(r.Name, fmt.Sprintf("version %d of %s, which this one does not follow", older.Version, older.CreatedBy))
		}
		if err := e.supersede(older, r); err != nil {
			return err
		}
	case to == tool.AgentTier:
		if err := e.room(target, e.shelf.opt.Rules.MaxAgentTools, "Agent"); err != nil {
			return err
		}
		if err := e.notShared(r); err != nil {
			return err
		}
	}
	if err := e.Delete(slotKey(e.by.Tenant, r, r.Name)); err != nil {
		return err
	}
	r.Tier = to
	return e.place(r)
}

// notShared checks that no shared tool of another has the record's name.
func (e *edit) notShared(r *tool.Record) error {
	shared, err := bySlot(e, e.by.Tenant, &tool.Record{Tier: tool.SharedTier}, r.Name)
	if err != nil || shared == nil || shared.CreatedBy == r.CreatedBy {
		return err
	}
	return taken(r.Name, "a shared tool of "+shared.CreatedBy)
}

// descends reports whether a record is a later version of the one that has an id.
func (e *edit) descends(r *tool.Record, id string) (bool, error) {
	for before := r.Supersedes; before != ""; {
		if before == id {
			return true, nil
		}
		older, err := findRecord(e, e.by.Tenant, before)
		if err != nil || older == nil {
			return false, err
		}
		before = older.Supersedes
	}
	return false, nil
}

// Due reports whether the panel should look at a tool now, for the agent tier, and if not, why.
func (s *Shelf) Due(ctx context.Context, tenant, id string) (due bool, why string, err error) {
	if err := s.Settle(ctx); err != nil {
		return false, "", err
	}
	r, err := s.Get(ctx, tenant, id)
	if err != nil {
		return false, "", err
	}
	if why = s.opt.Rules.notDue(r); why != "" {
		return false, why, nil
	}
	err = s.NotBarred(ctx, tool.Caller{Tenant: tenant, Persona: r.PersonaID}, r.SourceHash)
	if errors.Is(err, tool.Suspended) {
		return false, tool.AsError(err).Message, nil
	}
	return err == nil, "", err
}

// notDue says why the panel should not look at a tool; "" when it should.
func (r Rules) notDue(t *tool.Record) string {
	u := t.UsageStats
	switch {
	case t.Tier != tool.SessionTier:
		return "it is not of the session tier"
	case t.Callable() != nil:
		return "it cannot be called"
	case u.TotalUses < r.MinUses:
		return fmt.Sprintf("%d uses, %d are needed", u.TotalUses, r.MinUses)
	case t.JudgeConfidence < r.MinConfidence:
		return fmt.Sprintf("the judge's confidence is %.2f, %.2f is needed", t.JudgeConfidence, r.MinConfidence)
	case u.SuccessRate() < r.MinSuccessRate:
		return fmt.Sprintf("the success rate is %.2f, %.2f is needed", u.SuccessRate(), r.MinSuccessRate)
	case t.Panels.Rejections >= r.MaxPanels:
		return fmt.Sprintf("the panel rejected it %d times", t.Panels.Rejections)
	case u.TotalUses < 2*t.Panels.UsesAtLast:
		return fmt.Sprintf("the panel looks again after %d uses", 2*t.Panels.UsesAtLast)
	}
	return ""
}

// RejectPromotion records that the panel did not let a tool rise.
func (s *Shelf) RejectPromotion(ctx context.Context, by tool.Actor, id string, verdict tool.PromotionVerdict) (*tool.Record, error) {
	return s.edit(ctx, by, id, func(e *edit, r *tool.Record) error {
		if verdict.SourceHash != "" && verdict.SourceHash != r.SourceHash {
			return otherHash()
		}
		verdict.SourceHash = r.SourceHash
		r.JudgeVerdicts = append(r.JudgeVerdicts, tool.Verdict{Promotion: &verdict})
		r.Panels.Rejections++
		r.Panels.UsesAtLast = r.UsageStats.TotalUses
		return e.log(r.ID, tool.PromotionRejected, fields{"verdict": verdict})
	})
}
