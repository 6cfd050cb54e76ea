package selfimprove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// skillState is the document of what a session enabled and disabled.
type skillState struct {
	Enabled  []skillMark `json:"enabled,omitempty"`
	Disabled []skillMark `json:"disabled,omitempty"`
}

type skillMark struct {
	SkillID string    `json:"skillId"`
	Name    string    `json:"name"`
	At      tool.Time `json:"at"`
	Through string    `json:"through,omitempty"` // the skill that has opened its category
}

// enabled is the mark of a skill that the session enabled; the zero mark when it did not.
func (s *skillState) enabled(k *Skill) skillMark {
	for _, m := range s.Enabled {
		if m.SkillID == k.SkillID {
			return m
		}
	}
	return skillMark{}
}

// maxDisabledMarks bounds what a session remembers; the oldest mark goes.
const maxDisabledMarks = 200

func marked(list []skillMark, k *Skill) bool {
	return slices.ContainsFunc(list, func(m skillMark) bool { return m.SkillID == k.SkillID })
}

func unmark(list []skillMark, k *Skill) []skillMark {
	return slices.DeleteFunc(list, func(m skillMark) bool { return m.SkillID == k.SkillID })
}

// sessionView is what a session sees of skills.
type sessionView struct {
	skillView
	state skillState
}

func (s *Skills) sessionView(ctx context.Context, c tool.Caller) (v sessionView, err error) {
	if err := c.Validate(); err != nil {
		return v, err
	}
	if v.skillView, err = s.view(ctx, c); err != nil {
		return v, err
	}
	return v, readDocument(ctx, s.shelf, session(c, tool.Skills, ""), &v.state)
}

// activeSkill reports whether a session has a skill: it enabled it and still may, or began with it and did not disable it.
func (s *Skills) activeSkill(v *sessionView, k *Skill) bool {
	switch {
	case s.usable(k) != nil:
		return false
	case meansSkill(s.opt.Locked, k):
		return true
	case marked(v.state.Enabled, k):
		return s.holds(&v.skillView, v.state.enabled(k), k)
	}
	return !v.refused(k) && meansSkill(s.opt.Active, k) && !marked(v.state.Disabled, k)
}

// active returns the skills of a session: in the order in which it enabled them, after those that it began with.
func (s *Skills) active(v *sessionView) (list []*Skill) {
	for i := range v.skills {
		if k := &v.skills[i]; !marked(v.state.Enabled, k) && s.activeSkill(v, k) {
			list = append(list, k)
		}
	}
	for _, m := range v.state.Enabled {
		for i := range v.skills {
			if k := &v.skills[i]; k.SkillID == m.SkillID && s.activeSkill(v, k) {
				list = append(list, k)
			}
		}
	}
	return list
}

// disabled returns what a session must not rely on: what it disabled, and what it enabled and no longer may.
func (s *Skills) disabled(v *sessionView) (list []*Skill) {
	for i := range v.skills {
		k := &v.skills[i]
		if k.Problem == "" && (marked(v.state.Disabled, k) || marked(v.state.Enabled, k) && !s.activeSkill(v, k)) {
			list = append(list, k)
		}
	}
	return list
}

// SkillChange is what became of a request.
type SkillChange struct {
	Status        string      `json:"status"` // enabled, disabled or requires_approval
	AlreadyActive bool        `json:"alreadyActive,omitempty"`
	Skill         *SkillBrief `json:"skill,omitempty"`
	Content       string      `json:"content,omitempty"` // of what was enabled
	SkillID       string      `json:"skillId,omitempty"`
	Category      string      `json:"category,omitempty"`
	Reason        string      `json:"reason,omitempty"`
	ApprovalID    string      `json:"approvalId,omitempty"` // of the draft that waits
}

func changed(status string, k *Skill) SkillChange {
	brief := k.brief()
	return SkillChange{Status: status, Skill: &brief}
}

// Enable enables a skill for a session, or makes a request of it. Whether it may is decided by what the catalogue says of the
// skill, before the skill is loaded.
func (s *Skills) Enable(ctx context.Context, by tool.Actor, which, reason string) (SkillChange, error) {
	v, err := s.sessionView(ctx, by.Caller)
	if err != nil {
		return SkillChange{}, err
	}
	k, err := v.find(which)
	if err != nil {
		return SkillChange{}, err
	}
	if err := s.usable(k); err != nil {
		return SkillChange{}, err
	}
	if s.activeSkill(&v, k) {
		already := changed("enabled", k)
		already.AlreadyActive = true
		return already, nil
	}
	if permit, through := s.permit(&v, k); permit != "" {
		return s.enable(ctx, by, k, permit, through)
	}
	return s.refuseOrAsk(ctx, by, &v, k, clip(reason, MaxSkillReason))
}

// refuseOrAsk is what happens to a request that is not permitted.
func (s *Skills) refuseOrAsk(ctx context.Context, by tool.Actor, v *sessionView, k *Skill, reason string) (SkillChange, error) {
	denied := &tool.Error{Code: tool.Denied, Path: "/skillId", Message: fmt.Sprintf("the skill %s is not permitted", tool.Quote(k.SkillID)), Hint: "look for another skill, or do without"}
	waits := fmt.Sprintf("skills of the category %s are new here: a person decides", tool.Quote(k.Category))
	if v.wasApproved(k) {
		waits = "it has changed since a person approved it: a person decides anew"
		denied.Message += ": it has changed since a person approved it"
	}
	switch {
	case v.refused(k):
		denied.Message = fmt.Sprintf("the skill %s is not permitted: a person refused it", tool.Quote(k.SkillID))
		if why := v.decision(k.SkillID).Why; why != "" {
			denied.Message += ", saying " + tool.Quote(why)
		}
		return SkillChange{}, denied
	case !s.opt.RequireApproval:
		return SkillChange{}, denied
	}
	d := enabling(k)
	d.Reason = reason
	return s.ask(ctx, by, v.drafts, d, waits)
}

// enabling is the draft of a request to enable a skill as it is now.
func enabling(k *Skill) SkillDraft {
	return SkillDraft{
		ID: k.ApprovalID(), Kind: EnableSkill, SkillID: k.SkillID, Name: k.Name, Category: k.Category, SHA256: k.SHA256, SourcePath: k.SourcePath,
	}
}

// enable loads a skill, and remembers that a session has it.
func (s *Skills) enable(ctx context.Context, by tool.Actor, k *Skill, permit, through string) (SkillChange, error) {
	loaded, err := k.load()
	if err != nil {
		return SkillChange{}, err
	}
	if permit == byApproval && loaded.SHA256 != k.SHA256 {
		s.forget()
		return SkillChange{}, &tool.Error{
			Code: tool.Denied, Path: "/skillId", Message: fmt.Sprintf("the skill %s has changed since a person approved it", tool.Quote(k.SkillID)),
			Hint: "enable it once more, which asks a person anew",
		}
	}
	if err := s.usable(&loaded); err != nil {
		return SkillChange{}, err
	}
	if err := s.countUse(ctx, by, k.SkillID); err != nil {
		return SkillChange{}, err
	}
	err = s.editState(ctx, by, tool.SkillEnabled, k, permit, func(state *skillState) error {
		state.Disabled, state.Enabled = unmark(state.Disabled, k), unmark(state.Enabled, k)
		if len(state.Enabled) >= MaxSessionSkills {
			return tooMany(fmt.Sprintf("the session has %d skills already", len(state.Enabled)), "disable one that is no longer needed")
		}
		state.Enabled = append(state.Enabled, skillMark{k.SkillID, k.Name, s.now(), through})
		return nil
	})
	done := changed("enabled", &loaded)
	done.Content = clip(loaded.Content, MaxProposalBytes)
	return done, err
}

// countUse counts that a skill is enabled, for those who look for skills that nobody uses.
func (s *Skills) countUse(ctx context.Context, by tool.Actor, id string) error {
	return s.editPersona(ctx, by, by.Persona, func(p *personaSkills) ([]tool.DocumentEvent, error) {
		if _, known := p.Uses[id]; !known && len(p.Uses) >= 2*MaxSkills {
			return nil, nil
		}
		if p.Uses == nil {
			p.Uses = map[string]SkillUse{}
		}
		p.Uses[id] = SkillUse{p.Uses[id].Count + 1, s.now()}
		return nil, nil
	})
}

func (s *Skills) editPersona(ctx context.Context, by tool.Actor, name string, fn func(*personaSkills) ([]tool.DocumentEvent, error)) error {
	ref := persona(tool.Caller{Tenant: by.Tenant, Persona: name}, tool.Skills, "")
	return s.shelf.EditDocument(ctx, by, ref, func(old []byte) (change tool.DocumentChange, err error) {
		var p personaSkills
		if old != nil {
			if err := decodeDocument(tool.Skills, old, &p); err != nil {
				return change, err
			}
		}
		if change.Events, err = fn(&p); err != nil {
			return change, err
		}
		change.Value, err = json.Marshal(p)
		return change, err
	})
}

// editState changes what a session remembers, and tells of it.
func (s *Skills) editState(ctx context.Context, by tool.Actor, what tool.EventType, k *Skill, permit string, fn func(*skillState) error) error {
	return s.shelf.EditDocument(ctx, by, session(by.Caller, tool.Skills, ""), func(old []byte) (change tool.DocumentChange, err error) {
		var state skillState
		if old != nil {
			if err := decodeDocument(tool.Skills, old, &state); err != nil {
				return change, err
			}
		}
		if err := fn(&state); err != nil {
			return change, err
		}
		data := map[string]string{"skillId": k.SkillID, "name": k.Name, "category": k.Category}
		if permit != "" {
			data["permittedBy"] = permit
		}
		change.Events = []tool.DocumentEvent{{Type: what, Data: data}}
		change.Value, err = json.Marshal(state)
		return change, err
	})
}

// Disable disables a skill that is active in a session.
func (s *Skills) Disable(ctx context.Context, by tool.Actor, which string) (SkillChange, error) {
	v, err := s.sessionView(ctx, by.Caller)
	if err != nil {
		return SkillChange{}, err
	}
	k, err := v.find(which)
	if err != nil {
		return SkillChange{}, err
	}
	if meansSkill(s.opt.Locked, k) {
		return SkillChange{}, &tool.Error{Code: tool.Denied, Path: "/skillId", Message: fmt.Sprintf("the skill %s is locked", tool.Quote(k.SkillID)), Hint: "it stays enabled"}
	}
	if !s.activeSkill(&v, k) {
		return SkillChange{}, &tool.Error{
			Code: tool.Inactive, Path: "/skillId", Message: fmt.Sprintf("the skill %s is not currently active", tool.Quote(k.SkillID)),
			Hint: "the action list has those that are",
		}
	}
	err = s.editState(ctx, by, tool.SkillDisabled, k, "", func(state *skillState) error {
		state.Enabled = unmark(state.Enabled, k)
		state.Disabled = append(unmark(state.Disabled, k), skillMark{SkillID: k.SkillID, Name: k.Name, At: s.now()})
		state.Disabled = state.Disabled[max(0, len(state.Disabled)-maxDisabledMarks):]
		return nil
	})
	return changed("disabled", k), err
}

// SkillList is what a session has of skills.
type SkillList struct {
	Skills   []SkillBrief `json:"skills"`   // active
	Disabled []SkillBrief `json:"disabled"` // in this session, or no longer permitted
}

// List returns what is active in a session, and what it disabled.
func (s *Skills) List(ctx context.Context, c tool.Caller) (SkillList, error) {
	v, err := s.sessionView(ctx, c)
	if err != nil {
		return SkillList{}, err
	}
	list := SkillList{Skills: []SkillBrief{}, Disabled: []SkillBrief{}}
	for _, k := range s.active(&v) {
		list.Skills = append(list.Skills, k.brief())
	}
	for _, k := range s.disabled(&v) {
		list.Disabled = append(list.Disabled, k.brief())
	}
	return list, nil
}
