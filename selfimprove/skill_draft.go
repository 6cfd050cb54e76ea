package selfimprove

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// DraftKind says what a person decides on.
type DraftKind string

// The kinds.
const (
	EnableSkill  DraftKind = "enable"  // that the persona may enable a skill
	ProposeSkill DraftKind = "propose" // that a text becomes a skill of the persona
)

// DraftState is what became of a draft.
type DraftState string

// The states.
const (
	DraftPending  DraftState = "pending"
	DraftApproved DraftState = "approved"
	DraftRefused  DraftState = "refused"
)

// SkillDraft is a request of an agent that waits for a person, or that a person decided. The id of a proposal is made of its
// text, so that what is approved is what was seen.
type SkillDraft struct {
	ID          string     `json:"id"`
	Persona     string     `json:"persona"`
	Kind        DraftKind  `json:"kind"`
	SkillID     string     `json:"skillId"`
	Name        string     `json:"name"`
	Category    string     `json:"category"`
	Reason      string     `json:"reason,omitempty"`      // the agent's
	Description string     `json:"description,omitempty"` // of a proposal
	Content     string     `json:"content,omitempty"`     // of a proposal
	Session     string     `json:"session"`               // in which it was asked
	At          tool.Time  `json:"at"`
	State       DraftState `json:"state"`
	DecidedBy   string     `json:"decidedBy,omitempty"`
	DecidedAt   *tool.Time `json:"decidedAt,omitempty"`
	Why         string     `json:"why,omitempty"` // the person's
}

// SkillApproval is a draft that waits, with what there is of its skill now.
type SkillApproval struct {
	SkillDraft
	Current *Skill `json:"current,omitempty"` // nil when the proposal is a new skill
}

// drafts returns those of a persona, by id.
func (s *Skills) drafts(ctx context.Context, c tool.Caller) (list []SkillDraft, err error) {
	err = s.shelf.Documents(ctx, persona(c, tool.SkillDrafts, ""), func(_ string, value []byte) (bool, error) {
		var d SkillDraft
		if err := decodeDocument(tool.SkillDrafts, value, &d); err != nil {
			return false, err
		}
		list = append(list, d)
		return true, nil
	})
	return list, err
}

// ownSkills are the proposals that were approved: of each skill the last one.
func ownSkills(drafts []SkillDraft) (list []Skill) {
	approved := slices.DeleteFunc(slices.Clone(drafts), func(d SkillDraft) bool {
		return d.Kind != ProposeSkill || d.State != DraftApproved || d.DecidedAt == nil
	})
	slices.SortStableFunc(approved, func(a, b SkillDraft) int {
		return cmp.Or(strings.Compare(a.SkillID, b.SkillID), b.DecidedAt.Compare(a.DecidedAt.Time))
	})
	for _, d := range slices.CompactFunc(approved, func(a, b SkillDraft) bool { return a.SkillID == b.SkillID }) {
		list = append(list, Skill{
			SkillID: d.SkillID, Name: d.Name, Category: d.Category, Description: d.Description, Content: d.Content,
			UserInvocable: true, ModelInvocable: true,
		})
	}
	return list
}

// SkillProposal is a skill that an agent drafts, or an edit of one that there is.
type SkillProposal struct {
	SkillID     string // the skill to edit; "" makes a new one
	Name        string // of a new skill: lower case letters, digits and single hyphens
	Description string // "" of an edit leaves it as it is
	Content     string // Markdown, all of it
	Reason      string
}

func (p SkillProposal) check() error {
	wrong := func(path, message, hint string) error {
		return &tool.Error{Code: tool.InvalidInput, Path: path, Message: message, Hint: hint}
	}
	switch {
	case strings.TrimSpace(p.Content) == "":
		return wrong("/content", "content is required", "write the whole text of the skill, as Markdown")
	case len(p.Content) > MaxProposalBytes:
		return wrong("/content", fmt.Sprintf("the content is longer than %d bytes", MaxProposalBytes), "say it in fewer words")
	case !utf8.ValidString(p.Content+p.Description+p.Reason) || strings.ContainsRune(p.Content+p.Description, 0):
		return wrong("/content", "the text is not UTF-8", "write plain text")
	case utf8.RuneCountInString(p.Description) > maxDescription:
		return wrong("/description", fmt.Sprintf("the description is longer than %d characters", maxDescription), "say in one sentence what the skill is for")
	case len(p.Reason) > MaxSkillReason:
		return wrong("/reason", fmt.Sprintf("the reason is longer than %d bytes", MaxSkillReason), "say it in one sentence")
	case p.SkillID != "":
		return nil
	case p.Name != skillID(p.Name) || p.Name == "" || len(p.Name) > maxSkillName:
		return wrong("/name", fmt.Sprintf("%s is no name of a skill", tool.Quote(p.Name)), "lower case letters, digits and single hyphens, at most 64: parse-invoices")
	case strings.TrimSpace(p.Description) == "":
		return wrong("/description", "description is required of a new skill", "say in one sentence what the skill is for")
	}
	return nil
}

// Propose drafts a skill, or an edit of one, for a person to decide on. Nothing changes until then.
func (s *Skills) Propose(ctx context.Context, by tool.Actor, p SkillProposal) (SkillChange, error) {
	if err := p.check(); err != nil {
		return SkillChange{}, err
	}
	v, err := s.view(ctx, by.Caller)
	if err != nil {
		return SkillChange{}, err
	}
	d, err := s.proposal(&v, p)
	if err != nil {
		return SkillChange{}, err
	}
	proposals := slices.DeleteFunc(slices.Clone(v.drafts), func(d SkillDraft) bool {
		_, gone := v.retired[d.SkillID]
		return gone || d.Kind != ProposeSkill
	})
	if len(proposals) >= MaxProposals {
		return SkillChange{}, tooMany(fmt.Sprintf("there are %d proposals already", len(proposals)), "have the operator retire skills that are no longer needed")
	}
	return s.ask(ctx, by, v.drafts, d, "a person decides on it; until then nothing changes")
}

func tooMany(message, hint string) error {
	return &tool.Error{Code: tool.Limit, Message: message, Hint: hint}
}

// proposal makes a draft of a proposal that was checked.
func (s *Skills) proposal(v *skillView, p SkillProposal) (SkillDraft, error) {
	d := SkillDraft{
		Kind: ProposeSkill, SkillID: p.Name, Name: p.Name, Category: Uncategorized, Reason: p.Reason,
		Description: strings.Join(strings.Fields(p.Description), " "), Content: strings.TrimSpace(p.Content),
	}
	k, err := v.find(cmp.Or(p.SkillID, p.Name))
	_, gone := v.retired[d.SkillID]
	switch {
	case gone:
		return d, &tool.Error{Code: tool.Collision, Path: "/name", Message: fmt.Sprintf("the skill %s was retired", tool.Quote(d.SkillID)), Hint: "choose another name"}
	case err != nil && p.SkillID != "":
		return d, err
	case err == nil:
		if meansSkill(s.opt.Locked, k) {
			return d, &tool.Error{Code: tool.Denied, Path: "/skillId", Message: fmt.Sprintf("the skill %s is locked", tool.Quote(k.SkillID)), Hint: "propose a skill of another name"}
		}
		current, err := k.load()
		if err != nil {
			return d, err
		}
		d.SkillID, d.Name, d.Category, d.Description = k.SkillID, k.Name, k.Category, cmp.Or(d.Description, k.Description)
		if d.Content == current.Content && d.Description == current.Description {
			return d, &tool.Error{Code: tool.InvalidInput, Path: "/content", Message: "the skill says that already", Hint: "propose what is to change"}
		}
	}
	sum := sha256.Sum256([]byte(d.Name + "\x00" + d.Description + "\x00" + d.Content))
	const digits = 12
	d.ID = fmt.Sprintf("%s-%s-%s", ProposeSkill, d.SkillID, hex.EncodeToString(sum[:])[:digits])
	return d, nil
}

// ask keeps a draft for a person to decide on. One that waits already stays as it is.
func (s *Skills) ask(ctx context.Context, by tool.Actor, among []SkillDraft, d SkillDraft, reason string) (SkillChange, error) {
	waits := SkillChange{Status: "requires_approval", ApprovalID: d.ID, SkillID: d.SkillID, Category: d.Category, Reason: reason}
	pending := slices.DeleteFunc(slices.Clone(among), func(d SkillDraft) bool { return d.State != DraftPending })
	if slices.ContainsFunc(pending, func(old SkillDraft) bool { return old.ID == d.ID }) {
		return waits, nil
	}
	if len(pending) >= MaxPendingDrafts {
		return SkillChange{}, tooMany(fmt.Sprintf("%d requests wait for a decision already", len(pending)), "wait until a person has decided on them")
	}
	d.Persona, d.Session, d.At, d.State = by.Persona, by.Session, s.now(), DraftPending
	ref := persona(by.Caller, tool.SkillDrafts, d.ID)
	return waits, s.shelf.EditDocument(ctx, by, ref, func(old []byte) (tool.DocumentChange, error) {
		if old != nil {
			return tool.DocumentChange{Value: old}, nil
		}
		value, err := json.Marshal(d)
		return tool.DocumentChange{Value: value, Events: []tool.DocumentEvent{{Type: tool.SkillRequested, Data: map[string]any{
			"draft": d.ID, "kind": d.Kind, "skillId": d.SkillID, "reason": d.Reason,
		}}}}, err
	})
}

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
				list = append(list, SkillApproval{d, v.current(d.SkillID)})
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

// Decide is a person's word on a draft of a persona: what is approved holds from then on, in all of its sessions. A decision on
// a request can be changed; a proposal that is refused is forgotten. by must be a person, never an agent.
func (s *Skills) Decide(ctx context.Context, by tool.Actor, tenant, persona, id string, approved bool, reason string) (SkillDraft, error) {
	if len(reason) > MaxSkillReason {
		return SkillDraft{}, tool.Errorf(tool.InvalidRequest, "the reason is longer than %d bytes", MaxSkillReason)
	}
	var d SkillDraft
	ref := tool.DocumentRef{Kind: tool.SkillDrafts, Tenant: tenant, Persona: persona, ID: id}
	err := s.shelf.EditDocument(ctx, by, ref, func(old []byte) (change tool.DocumentChange, err error) {
		if old == nil || id == "" {
			return change, &tool.Error{Code: tool.NotFound, Message: fmt.Sprintf("the persona %s has no request %s", tool.Quote(persona), tool.Quote(id)), Hint: "skill approvals lists those that wait"}
		}
		d = SkillDraft{}
		if err := decodeDocument(tool.SkillDrafts, old, &d); err != nil {
			return change, err
		}
		return s.decided(&d, by, approved, reason)
	})
	if err == nil && approved && d.Kind == ProposeSkill {
		err = s.dropOlder(ctx, by, d)
	}
	return d, err
}

// decided is what becomes of a draft's document.
func (s *Skills) decided(d *SkillDraft, by tool.Actor, approved bool, reason string) (change tool.DocumentChange, err error) {
	now := s.now()
	d.State, d.DecidedBy, d.DecidedAt, d.Why = DraftRefused, by.String(), &now, reason
	if approved {
		d.State = DraftApproved
	}
	change.Events = []tool.DocumentEvent{{Type: tool.SkillDecided, Data: map[string]any{
		"draft": d.ID, "persona": d.Persona, "kind": d.Kind, "skillId": d.SkillID, "approved": approved, "reason": reason,
	}}}
	if approved || d.Kind == EnableSkill {
		change.Value, err = json.Marshal(d)
	}
	return change, err
}

// dropOlder forgets approved proposals in whose place a later one stands.
func (s *Skills) dropOlder(ctx context.Context, by tool.Actor, last SkillDraft) error {
	owner := tool.Caller{Tenant: by.Tenant, Persona: last.Persona}
	all, err := s.drafts(ctx, owner)
	for _, d := range all {
		if err == nil && d.Kind == ProposeSkill && d.State == DraftApproved && d.SkillID == last.SkillID && d.ID != last.ID {
			err = s.shelf.EditDocument(ctx, by, persona(owner, tool.SkillDrafts, d.ID), func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{}, nil })
		}
	}
	return err
}
