package selfimprove

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Approvals returns what waits for a person in a tenant: by persona, the oldest first.
func (s *Skills) Approvals(ctx context.Context, tenant string) ([]SkillApproval, error) {
	personas, err := s.shelf.Personas(ctx, tenant, tool.SkillDrafts)
	if err != nil {
		return nil, err
	}
	list := []SkillApproval{}
	for _, name := range personas {
		v, err := s.view(ctx, tool.Caller{Tenant: tenant, Persona: name})
		if err != nil {
			return nil, err
		}
		for _, d := range v.drafts {
			if d.State == DraftPending {
				current := v.current(d.SkillID)
				a := SkillApproval{SkillDraft: d, Current: current, Beware: v.refusal(d.SkillID)}
				if e := tool.AsError(d.covers(current)); e != nil {
					a.Problem = e.Message
				}
				list = append(list, a)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b SkillApproval) int {
		return cmp.Or(strings.Compare(a.Persona, b.Persona), a.At.Compare(b.At.Time))
	})
	return list, nil
}

// current is what there is of a skill; nil when there is nothing, or it cannot be loaded.
func (v *skillView) current(id string) *Skill {
	k, err := v.find(id)
	if err != nil {
		return nil
	}
	loaded, err := k.load()
	if err != nil {
		return nil
	}
	return &loaded
}

// covers returns nil when a draft is about what there is of its skill now, so that it can be approved.
func (d *SkillDraft) covers(current *Skill) error {
	wrong := func(message, hint string) error {
		return &tool.Error{Code: tool.Collision, Message: fmt.Sprintf("the skill %s %s", tool.Quote(d.SkillID), message), Hint: hint}
	}
	switch {
	case d.Kind == ProposeSkill && d.SHA256 == "":
		if current != nil {
			return wrong("is there already", "have the agent propose an edit of it")
		}
	case current == nil:
		return wrong("is not at hand: what it says cannot be seen", "name the folder in which it lies with --skills DIR")
	case d.isOf(current):
	case d.Kind == ProposeSkill:
		return wrong("has changed since the edit of it was proposed", "have the agent propose it anew")
	default:
		return wrong("has changed since it was asked for", "look at it as it is now: as that it is asked for as "+current.ApprovalID())
	}
	return nil
}

// Decide is a person's word on a draft of a persona: what is approved holds from then on, in all of its sessions, as long as the
// skill is what it was; a refusal holds until it is changed, whatever the skill becomes. The id may be of a skill for which
// nobody has asked, as Skill.ApprovalID has it. The digits at its end may be left out where the rest means one request, those that
// wait before those that were decided. A decision can be changed; of the proposals that were refused the last MaxRefusedDrafts are
// kept. by must be a person, never an agent.
func (s *Skills) Decide(ctx context.Context, by tool.Actor, tenant, persona, id string, approved bool, reason string) (SkillDraft, error) {
	if len(reason) > MaxSkillReason {
		return SkillDraft{}, tool.Errorf(tool.InvalidRequest, "the reason is longer than %d bytes", MaxSkillReason)
	}
	if by.Tenant != tenant {
		return SkillDraft{}, noRequest(persona, id)
	}
	owner := tool.Caller{Tenant: tenant, Persona: persona}
	v, err := s.view(ctx, owner)
	if err != nil {
		return SkillDraft{}, err
	}
	d, err := v.meant(persona, id, approved)
	d.SourcePath = v.place(&d)
	switch {
	case err != nil:
		return d, err
	case approved && d.State != DraftApproved:
		if err := d.covers(v.current(d.SkillID)); err != nil {
			return d, err
		}
	}
	if d, err = s.decide(ctx, by, owner, d, approved, reason); err != nil {
		return d, err
	}
	switch {
	case d.Kind == EnableSkill:
		err = s.dropOthers(ctx, by, owner, d, DraftPending, DraftApproved, DraftRefused)
	case approved:
		err = s.dropOthers(ctx, by, owner, d, DraftApproved)
	default:
		err = s.dropRefused(ctx, by, owner)
	}
	return d, err
}

// meant is the draft that an id means: one that there is, or a new one of a skill for which nobody has asked.
func (v *skillView) meant(persona, id string, approved bool) (SkillDraft, error) {
	isWhole := func(d SkillDraft) bool { return d.ID == id }
	if at := slices.IndexFunc(v.drafts, isWhole); at >= 0 {
		return v.drafts[at], nil
	}
	if d, ok := v.unasked(persona, isWhole); ok {
		return d, nil
	}
	isShort := func(d SkillDraft) bool { return d.shortID() == id }
	list := v.shortlist(isShort)
	switch {
	case len(list) == 1 || len(list) > 1 && list[0].Kind == EnableSkill && !approved: // a refusal is of the skill, whatever it says
		return list[0], nil
	case len(list) > 1:
		return SkillDraft{}, ambiguous(id, list)
	case !approved:
		if d, ok := v.unasked(persona, isShort); ok {
			return d, nil
		}
	}
	return SkillDraft{}, noRequest(persona, id)
}

// place is where the skill of a request lies: now, when the request was decided before and the text is the same.
func (v *skillView) place(d *SkillDraft) string {
	if k, err := v.find(d.SkillID); err == nil && d.Kind == EnableSkill && d.State != DraftPending && d.SHA256 == k.SHA256 {
		return k.SourcePath
	}
	return d.SourcePath
}

// shortlist is the drafts that may be meant: those that wait or, when there are none, those that were decided.
func (v *skillView) shortlist(is func(SkillDraft) bool) (waits []SkillDraft) {
	var decided []SkillDraft
	for _, d := range v.drafts {
		switch {
		case !is(d):
		case d.State == DraftPending:
			waits = append(waits, d)
		default:
			decided = append(decided, d)
		}
	}
	if len(waits) == 0 {
		return decided
	}
	return waits
}

// unasked is the request of a skill for which nobody has asked.
func (v *skillView) unasked(persona string, is func(SkillDraft) bool) (SkillDraft, bool) {
	for i := range v.skills {
		if d := enabling(&v.skills[i]); v.skills[i].Problem == "" && is(d) {
			d.Persona = persona
			return d, true
		}
	}
	return SkillDraft{}, false
}

func ambiguous(id string, list []SkillDraft) error {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf("%s means %d requests", tool.Quote(id), len(list)), Hint: "give one with its digits: " + someNames(ids),
	}
}

func noRequest(persona, id string) error {
	return &tool.Error{Code: tool.NotFound, Message: fmt.Sprintf("the persona %s has no request %s", tool.Quote(persona), tool.Quote(id)), Hint: "skill approvals lists those that wait"}
}

// decide writes a decision down. The same decision again changes nothing.
func (s *Skills) decide(ctx context.Context, by tool.Actor, owner tool.Caller, d SkillDraft, approved bool, reason string) (SkillDraft, error) {
	state, now := DraftRefused, s.now()
	if approved {
		state = DraftApproved
	}
	ref := persona(owner, tool.SkillDrafts, d.ID)
	err := s.shelf.EditDocument(ctx, by, ref, func(old []byte) (change tool.DocumentChange, err error) {
		kept := d
		if old != nil {
			kept = SkillDraft{}
			if err := decodeDocument(tool.SkillDrafts, old, &kept); err != nil {
				return change, err
			}
		}
		if kept.State == d.State && kept.State != DraftPending {
			kept.SourcePath = d.SourcePath
		}
		switch {
		case old == nil && d.State != "" || !kept.same(d):
			return change, noRequest(d.Persona, d.ID) // it was decided or asked anew meanwhile
		case kept.State == state && (state == DraftRefused || kept.Kind == ProposeSkill || slices.Contains(kept.ApprovedIn, kept.SourcePath)):
			d = kept
			return tool.DocumentChange{Value: old}, nil
		}
		kept.State, kept.DecidedBy, kept.DecidedAt, kept.Why = state, by.String(), &now, reason
		if kept.At.IsZero() {
			kept.At = now
		}
		kept.approveIn(approved)
		d = kept
		change.Events = []tool.DocumentEvent{{Type: tool.SkillDecided, Data: map[string]any{
			"draft": d.ID, "persona": d.Persona, "kind": d.Kind, "skillId": d.SkillID, "approved": approved, "reason": reason,
		}}}
		change.Value, err = json.Marshal(d)
		return change, err
	})
	return d, err
}

// approveIn remembers where a text lies that is approved, the last places of several; a refusal is of all of them.
func (d *SkillDraft) approveIn(approved bool) {
	const most = 20
	switch {
	case d.Kind != EnableSkill:
	case !approved:
		d.ApprovedIn = nil
	case !slices.Contains(d.ApprovedIn, d.SourcePath):
		d.ApprovedIn = append(d.ApprovedIn, d.SourcePath)
		d.ApprovedIn = d.ApprovedIn[max(0, len(d.ApprovedIn)-most):]
	}
}

// dropRefused forgets the proposals that were refused before the last ones.
func (s *Skills) dropRefused(ctx context.Context, by tool.Actor, owner tool.Caller) error {
	all, err := s.drafts(ctx, owner)
	if err != nil {
		return err
	}
	refused := slices.DeleteFunc(all, func(d SkillDraft) bool {
		return d.Kind != ProposeSkill || d.State != DraftRefused || d.DecidedAt == nil
	})
	slices.SortStableFunc(refused, func(a, b SkillDraft) int { return b.DecidedAt.Compare(a.DecidedAt.Time) })
	for _, d := range refused[min(len(refused), MaxRefusedDrafts):] {
		if err := s.drop(ctx, by, owner, d.ID); err != nil {
			return err
		}
	}
	return nil
}
