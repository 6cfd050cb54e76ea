package selfimprove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// skillView is what a persona sees of skills, and what was decided for it.
type skillView struct {
	skills  []Skill
	drafts  []SkillDraft
	retired map[string]retired // by id
}

// personaSkills is the document in which a persona's use of skills is counted, and what was retired for it.
type personaSkills struct {
	Uses    map[string]SkillUse `json:"uses,omitempty"`    // by id
	Retired map[string]retired  `json:"retired,omitempty"` // by id
}

// SkillUse counts how often a skill was enabled.
type SkillUse struct {
	Count  int       `json:"count"`
	LastAt tool.Time `json:"lastAt"`
}

type retired struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     tool.Time `json:"at"`
}

func (s *Skills) persona(ctx context.Context, c tool.Caller) (p personaSkills, err error) {
	return p, readDocument(ctx, s.shelf, persona(c, tool.Skills, ""), &p)
}

// readDocument puts a document into what into points to; there may be none.
func readDocument(ctx context.Context, shelf Shelf, d tool.DocumentRef, into any) error {
	value, err := shelf.Document(ctx, d)
	if err != nil || value == nil {
		return err
	}
	return decodeDocument(d.Kind, value, into)
}

func decodeDocument(kind tool.DocumentKind, value []byte, into any) error {
	if err := json.Unmarshal(value, into); err != nil {
		return tool.Errorf(tool.Internal, "a document of kind %s cannot be read: %w", kind, err)
	}
	return nil
}

// view puts together what a persona sees: its own approved proposals, then the folders, without what was retired.
func (s *Skills) view(ctx context.Context, c tool.Caller) (v skillView, err error) {
	inFolders, err := s.catalogue(ctx)
	if err != nil {
		return v, err
	}
	if v.drafts, err = s.drafts(ctx, c); err != nil {
		return v, err
	}
	p, err := s.persona(ctx, c)
	if err != nil {
		return v, err
	}
	v.retired = p.Retired
	for _, own := range ownSkills(v.drafts) {
		v.add(own)
	}
	for _, k := range inFolders {
		v.add(k)
	}
	return v, nil
}

// add adds a skill that is neither retired nor edited by a proposal of the persona's own.
func (v *skillView) add(k Skill) {
	if _, gone := v.retired[k.SkillID]; gone {
		return
	}
	if slices.ContainsFunc(v.skills, func(own Skill) bool { return own.folder == "" && own.is(foldSkill(k.SkillID)) }) {
		return
	}
	v.skills = append(v.skills, k)
}

// find returns the skill that an id or a name means: ids come first, and those that can be used before those that cannot.
func (v *skillView) find(which string) (*Skill, error) {
	folded := foldSkill(which)
	if folded == "" {
		return nil, &tool.Error{Code: tool.InvalidInput, Path: "/skillId", Message: "skillId is required", Hint: "name a skill; the action search finds one"}
	}
	for _, fits := range []func(k Skill) bool{
		func(k Skill) bool { return k.Problem == "" && foldSkill(k.SkillID) == folded },
		func(k Skill) bool { return k.Problem == "" && k.is(folded) },
		func(k Skill) bool { return k.SkillID != "" && k.is(folded) },
	} {
		if at := slices.IndexFunc(v.skills, fits); at >= 0 {
			return &v.skills[at], nil
		}
	}
	return nil, &tool.Error{
		Code: tool.NotFound, Path: "/skillId", Message: "there is no skill " + tool.Quote(which), Hint: "the action search finds those that there are",
	}
}

// usable reports why an agent cannot enable a skill; nil when it can.
func (s *Skills) usable(k *Skill) error {
	if k.Problem != "" {
		return &tool.Error{
			Code: tool.Rejected, Path: "/skillId", Message: fmt.Sprintf("the skill %s cannot be used: %s", tool.Quote(k.SkillID), k.Problem),
			Hint: "look for another skill, or have the operator mend this one",
		}
	}
	if !k.ModelInvocable {
		return &tool.Error{
			Code: tool.Denied, Path: "/skillId", Message: fmt.Sprintf("the skill %s is not for agents to enable", tool.Quote(k.SkillID)),
			Hint: "look for another skill",
		}
	}
	if lacks := k.Requires.Missing(s.opt.Have); len(lacks) > 0 {
		return &tool.Error{
			Code: tool.Unavailable, Path: "/skillId",
			Message: fmt.Sprintf("the skill %s needs what is not here: %s", tool.Quote(k.SkillID), clip(strings.Join(lacks, "; "), maxDescription)),
			Hint:    "look for another skill, or have the operator provide it",
		}
	}
	return nil
}
