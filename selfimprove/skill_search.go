package selfimprove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// SkillHits are skills that were found, numbered from 1.
type SkillHits struct {
	Count   int        `json:"count"` // of all that were found
	Results []SkillHit `json:"results"`
}

// SkillHit is a skill that was found.
type SkillHit struct {
	Number int `json:"number"`
	SkillBrief
	Active bool `json:"active,omitempty"` // in the session
}

// Search finds skills that an agent can enable and did not disable, by words: each stands in the name, the category or the
// description, whatever its case.
func (s *Skills) Search(ctx context.Context, c tool.Caller, query string) (SkillHits, error) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 || len(query) > maxSkillQueryBytes {
		return SkillHits{}, &tool.Error{
			Code: tool.InvalidInput, Path: "/query", Message: fmt.Sprintf("query is required, and has at most %d bytes", maxSkillQueryBytes),
			Hint: "name what the skill is about in a few words",
		}
	}
	v, err := s.sessionView(ctx, c)
	if err != nil {
		return SkillHits{}, err
	}
	var found []*Skill
	for i := range v.skills {
		if k := &v.skills[i]; s.usable(k) == nil && k.says(words) {
			found = append(found, k)
		}
	}
	found = withoutDisabled(&v, found)
	hits := SkillHits{Count: len(found), Results: []SkillHit{}}
	for i, k := range found[:min(len(found), maxSkillResults)] {
		hits.Results = append(hits.Results, SkillHit{i + 1, k.brief(), s.activeSkill(&v, k)})
	}
	return hits, nil
}

// says reports whether a skill has all of some words in lower case.
func (k *Skill) says(words []string) bool {
	text := strings.ToLower(k.SkillID + "\n" + k.Name + "\n" + k.Category + "\n" + k.Description)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// withoutDisabled leaves out what the session disabled.
func withoutDisabled(v *sessionView, list []*Skill) []*Skill {
	return slices.DeleteFunc(list, func(k *Skill) bool { return marked(v.state.Disabled, k) })
}
