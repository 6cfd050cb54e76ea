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

// SkillDraft is a request of an agent that waits for a person, or that a person decided. Its id is made of the text that it is
// about, so that what is approved is what was seen.
type SkillDraft struct {
	ID          string    `json:"id"`
	Persona     string    `json:"persona"`
	Kind        DraftKind `json:"kind"`
	SkillID     string    `json:"skillId"`
	Name        string    `json:"name"`
	Category    string    `json:"category"`
	Reason      string    `json:"reason,omitempty"`      // the agent's
	Description string    `json:"description,omitempty"` // of a proposal
	FrontMatter string    `json:"frontMatter,omitempty"` // of a proposal, YAML; "" when it has only what stands here
	Content     string    `json:"content,omitempty"`     // of a proposal
	// SHA256 is that of the SKILL.md that is to be enabled, or that the proposal edits, in hexadecimal digits; "" for a new skill.
	SHA256     string     `json:"sha256,omitempty"`
	SourcePath string     `json:"sourcePath,omitempty"` // of that SKILL.md; "" for one that the persona proposed
	Session    string     `json:"session"`              // in which it was asked
	At         tool.Time  `json:"at"`
	State      DraftState `json:"state"`
	DecidedBy  string     `json:"decidedBy,omitempty"`
	DecidedAt  *tool.Time `json:"decidedAt,omitempty"`
	Why        string     `json:"why,omitempty"` // the person's
	// ApprovedIn are the places in which a person approved the text that is to be enabled: what lies there again is approved, also
	// when it was asked for elsewhere meanwhile.
	ApprovedIn []string `json:"approvedIn,omitempty"`
}

// Means reports whether an id is that of the draft, or what stands before the digits at the end of it.
func (d *SkillDraft) Means(id string) bool { return id == d.ID || id == d.shortID() }

func (d *SkillDraft) shortID() string { return string(d.Kind) + "-" + d.SkillID }

// Text is the SKILL.md of a proposal.
func (d *SkillDraft) Text() string {
	head := d.FrontMatter
	if head == "" {
		head = "name: " + quoteYAML(d.Name) + "\ndescription: " + quoteYAML(d.Description) + "\n"
		if d.Category != Uncategorized {
			head += "category: " + quoteYAML(d.Category) + "\n"
		}
	}
	return skillText(head, d.Content)
}

// quoteYAML is text as YAML has it, which takes strings of JSON.
func quoteYAML(text string) string {
	quoted, _ := json.Marshal(text) // text is always JSON
	return string(quoted)
}

// skill is what an approved proposal makes.
func (d *SkillDraft) skill() Skill {
	text := d.Text()
	k := ReadSkill(d.SkillID, []byte(text))
	k.SkillID, k.Name, k.Category, k.Description, k.SHA256 = d.SkillID, d.Name, d.Category, d.Description, digest(text)
	return k
}

// SkillApproval is a draft that waits, with what there is of its skill now.
type SkillApproval struct {
	SkillDraft
	Current *Skill `json:"current,omitempty"` // nil when there is none at hand
	// Problem says why the draft cannot be approved; "" when it can.
	Problem string `json:"problem,omitempty"`
	// Beware says that a person refused the skill that the draft edits, and why. Approving the edit does not change that.
	Beware string `json:"beware,omitempty"`
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
		list = append(list, d.skill())
	}
	return list
}

// ask keeps a draft for a person to decide on. One that waits already stays as it is; a request to enable what the skill was
// before gives way.
func (s *Skills) ask(ctx context.Context, by tool.Actor, among []SkillDraft, d SkillDraft, reason string) (SkillChange, error) {
	waits := SkillChange{Status: "requires_approval", ApprovalID: d.ID, SkillID: d.SkillID, Category: d.Category, Reason: reason}
	pending := slices.DeleteFunc(slices.Clone(among), func(d SkillDraft) bool { return d.State != DraftPending })
	if slices.ContainsFunc(pending, d.same) {
		return waits, nil
	}
	if d.Kind == EnableSkill {
		pending = slices.DeleteFunc(pending, func(old SkillDraft) bool { return old.Kind == EnableSkill && old.SkillID == d.SkillID })
		if err := s.dropOthers(ctx, by, by.Caller, d, DraftPending); err != nil {
			return SkillChange{}, err
		}
	}
	if len(pending) >= MaxPendingDrafts {
		return SkillChange{}, tooMany(fmt.Sprintf("%d requests wait for a decision already", len(pending)), "wait until a person has decided on them")
	}
	d.Persona, d.Session, d.At, d.State = by.Persona, by.Session, s.now(), DraftPending
	ref := persona(by.Caller, tool.SkillDrafts, d.ID)
	return waits, s.shelf.EditDocument(ctx, by, ref, func(old []byte) (tool.DocumentChange, error) {
		var kept SkillDraft
		if old != nil && decodeDocument(tool.SkillDrafts, old, &kept) == nil {
			if kept.same(d) {
				return tool.DocumentChange{Value: old}, nil
			}
			d.ApprovedIn = kept.ApprovedIn
		}
		value, err := json.Marshal(d)
		return tool.DocumentChange{Value: value, Events: []tool.DocumentEvent{{Type: tool.SkillRequested, Data: map[string]any{
			"draft": d.ID, "kind": d.Kind, "skillId": d.SkillID, "reason": d.Reason,
		}}}}, err
	})
}

// same reports whether two drafts are about the same text in the same place.
func (d *SkillDraft) same(other SkillDraft) bool {
	return d.ID == other.ID && d.SourcePath == other.SourcePath
}

// dropOthers forgets what a draft stands in the place of: proposals of its skill, or requests for it, in some states.
func (s *Skills) dropOthers(ctx context.Context, by tool.Actor, owner tool.Caller, last SkillDraft, states ...DraftState) error {
	all, err := s.drafts(ctx, owner)
	for _, d := range all {
		if err == nil && d.Kind == last.Kind && slices.Contains(states, d.State) && d.SkillID == last.SkillID && d.ID != last.ID {
			err = s.drop(ctx, by, owner, d.ID)
		}
	}
	return err
}

// drop forgets a draft.
func (s *Skills) drop(ctx context.Context, by tool.Actor, owner tool.Caller, id string) error {
	nothing := func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{}, nil }
	return s.shelf.EditDocument(ctx, by, persona(owner, tool.SkillDrafts, id), nothing)
}
