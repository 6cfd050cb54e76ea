package selfimprove

import (
	"slices"
	"strings"
)

// What a session may enable a skill by.
const (
	byAllowlist = "allowlist"
	byOperator  = "operator" // whose program has every session begin with it
	byApproval  = "approval" // of a person, who saw what it says
	byCategory  = "category" // of a skill that the session has
)

// permit says by what a session may enable a skill, "" when it may not; and, where that is its category, which skill opens it.
func (s *Skills) permit(v *sessionView, k *Skill) (by, through string) {
	if own := s.ownPermit(&v.skillView, k); own != "" || v.refused(k) || k.Category == Uncategorized {
		return own, ""
	}
	for _, other := range s.active(v) {
		if !strings.EqualFold(other.Category, k.Category) || other.SkillID == k.SkillID {
			continue
		}
		if s.ownPermit(&v.skillView, other) != "" {
			return byCategory, other.SkillID
		}
		return byCategory, v.state.enabled(other).Through
	}
	return "", ""
}

// ownPermit says by what a skill may be enabled, whatever else a session has. A person's refusal is above all but what the
// program has locked.
func (s *Skills) ownPermit(v *skillView, k *Skill) string {
	switch {
	case meansSkill(s.opt.Locked, k):
		return byOperator
	case v.refused(k):
		return ""
	case s.allowlisted(k):
		return byAllowlist
	case meansSkill(s.opt.Active, k):
		return byOperator
	case v.approved(k):
		return byApproval
	}
	return ""
}

func (s *Skills) allowlisted(k *Skill) bool {
	for _, entry := range s.opt.Allowlist {
		category, isCategory := strings.CutPrefix(strings.ToLower(strings.TrimSpace(entry)), "category:")
		if entry == "*" || isCategory && strings.TrimSpace(category) == strings.ToLower(k.Category) || !isCategory && k.is(foldSkill(entry)) {
			return true
		}
	}
	return false
}

// holds reports whether a skill that a session enabled still may be: a permit that is withdrawn ends it, and what it has opened.
func (s *Skills) holds(v *skillView, m skillMark, k *Skill) bool {
	if s.ownPermit(v, k) != "" {
		return true
	}
	at := slices.IndexFunc(v.skills, func(other Skill) bool { return other.Problem == "" && other.SkillID == m.Through })
	if m.Through == "" || at < 0 || v.refused(k) {
		return false
	}
	opens := &v.skills[at]
	return strings.EqualFold(opens.Category, k.Category) && s.ownPermit(v, opens) != ""
}

// refused reports whether the last word of a person on a skill was a refusal, whatever the skill said then.
func (v *skillView) refused(k *Skill) bool {
	last := v.decision(k.SkillID)
	return last != nil && last.State == DraftRefused
}

// refusal words the refusal of a skill for the person who decides on an edit of it; "" when it was not refused.
func (v *skillView) refusal(id string) string {
	last := v.decision(id)
	switch {
	case last == nil || last.State != DraftRefused:
		return ""
	case last.Why == "":
		return "a person refused this skill"
	}
	return "a person refused this skill: " + last.Why
}

// decision is the last decision on whether a skill may be enabled; nil when there was none.
func (v *skillView) decision(id string) (last *SkillDraft) {
	for i := range v.drafts {
		d := &v.drafts[i]
		if d.Kind == EnableSkill && d.SkillID == id && d.DecidedAt != nil && (last == nil || d.DecidedAt.After(last.DecidedAt.Time)) {
			last = d
		}
	}
	return last
}

// approved reports whether a person approved a skill as it is now, and where it lies now.
func (v *skillView) approved(k *Skill) bool {
	return slices.ContainsFunc(v.drafts, func(d SkillDraft) bool {
		switch {
		case d.SkillID != k.SkillID:
			return false
		case d.Kind == ProposeSkill:
			return d.State == DraftApproved && k.folder == ""
		}
		return d.State == DraftApproved && d.isOf(k) || d.SHA256 == k.SHA256 && slices.Contains(d.ApprovedIn, k.SourcePath)
	})
}

// wasApproved reports whether a person approved what a skill was once.
func (v *skillView) wasApproved(k *Skill) bool {
	return slices.ContainsFunc(v.drafts, func(d SkillDraft) bool {
		return d.Kind == EnableSkill && d.SkillID == k.SkillID && (d.State == DraftApproved || len(d.ApprovedIn) > 0)
	})
}

// isOf reports whether a draft is about a skill as it is now, and where it lies now.
func (d *SkillDraft) isOf(k *Skill) bool {
	return d.SHA256 != "" && d.SHA256 == k.SHA256 && d.SourcePath == k.SourcePath
}
