package selfimprove

import (
	"context"
	"fmt"
	"math"

	"example.com/toolsmith/runtime/tool"
)

// SkillReport is what an operator would want to look at.
type SkillReport struct {
	Skills     int              `json:"skills"`     // that can be read
	Broken     []BrokenSkill    `json:"broken"`     // that cannot be used, with what is wrong
	Duplicates []SkillDuplicate `json:"duplicates"` // the first 200
	Pairs      int              `json:"pairs"`      // of duplicates, all of them
	Unused     []SkillBrief     `json:"unused"`     // that no persona of the tenant ever enabled
}

// BrokenSkill is a skill that cannot be used.
type BrokenSkill struct {
	SkillID    string `json:"skillId,omitempty"`
	SourcePath string `json:"sourcePath,omitempty"`
	Problem    string `json:"problem"`
}

// SkillDuplicate is a pair of skills that say the same, or nearly.
type SkillDuplicate struct {
	SkillID string  `json:"skillId"`
	Other   string  `json:"other"`
	Score   float64 `json:"score"` // share of words in common, 0 to 1
	Same    string  `json:"same"`  // description or content
}

const (
	likeSkills    = 0.8 // share of words from which skills count as duplicates
	maxDuplicates = 200
	scoreSteps    = 100
)

// Report looks over the skills that a persona can see.
func (s *Skills) Report(ctx context.Context, tenant, persona string) (SkillReport, error) {
	report := SkillReport{Broken: []BrokenSkill{}, Unused: []SkillBrief{}}
	v, err := s.view(ctx, tool.Caller{Tenant: tenant, Persona: persona})
	if err != nil {
		return report, err
	}
	used, err := s.uses(ctx, tenant)
	if err != nil {
		return report, err
	}
	var fine []Skill
	for i := range v.skills {
		k := &v.skills[i]
		if k.Problem != "" {
			report.Broken = append(report.Broken, BrokenSkill{k.SkillID, k.SourcePath, k.Problem})
			continue
		}
		fine = append(fine, *k)
		if used[k.SkillID].Count == 0 && !meansSkill(s.opt.Active, k) && !meansSkill(s.opt.Locked, k) {
			report.Unused = append(report.Unused, k.brief())
		}
	}
	report.Skills = len(fine)
	report.Duplicates, report.Pairs, err = duplicateSkills(ctx, fine)
	return report, err
}

// uses adds up how often skills were enabled by the personas of a tenant.
func (s *Skills) uses(ctx context.Context, tenant string) (map[string]SkillUse, error) {
	personas, err := s.shelf.Personas(ctx, tenant, tool.Skills)
	if err != nil {
		return nil, err
	}
	all := map[string]SkillUse{}
	for _, name := range personas {
		p, err := s.persona(ctx, tool.Caller{Tenant: tenant, Persona: name})
		if err != nil {
			return nil, err
		}
		for id, use := range p.Uses {
			sum := all[id]
			sum.Count += use.Count
			if use.LastAt.After(sum.LastAt.Time) {
				sum.LastAt = use.LastAt
			}
			all[id] = sum
		}
	}
	return all, nil
}

// duplicateSkills compares all with all, and returns the first pairs and how many there are.
func duplicateSkills(ctx context.Context, list []Skill) (pairs []SkillDuplicate, n int, err error) {
	pairs = []SkillDuplicate{}
	descriptions, contents := make([]skillSketch, len(list)), make([]skillSketch, len(list))
	for i := range list {
		if err := ctx.Err(); err != nil {
			return nil, 0, tool.AsError(err)
		}
		descriptions[i] = sketch(list[i].Description)
		if loaded, err := list[i].load(); err == nil {
			contents[i] = sketch(loaded.Content)
		}
		for j := range i {
			pair := SkillDuplicate{SkillID: list[j].SkillID, Other: list[i].SkillID, Score: contents[i].like(contents[j]), Same: "content"}
			if score := descriptions[i].like(descriptions[j]); score > pair.Score {
				pair.Score, pair.Same = score, "description"
			}
			if pair.Score < likeSkills {
				continue
			}
			if n++; n <= maxDuplicates {
				pair.Score = math.Round(pair.Score*scoreSteps) / scoreSteps
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs, n, nil
}

// Retire takes a skill out of what a persona sees, in sessions that have it enabled, too; the file stays as it is. Restore
// brings it back. by must be a person.
func (s *Skills) Retire(ctx context.Context, by tool.Actor, persona, which, reason string) (Skill, error) {
	if len(reason) > MaxSkillReason {
		return Skill{}, tool.Errorf(tool.InvalidRequest, "the reason is longer than %d bytes", MaxSkillReason)
	}
	v, err := s.view(ctx, tool.Caller{Tenant: by.Tenant, Persona: persona})
	if err != nil {
		return Skill{}, err
	}
	k, err := v.find(which)
	if err != nil {
		return Skill{}, err
	}
	err = s.editPersona(ctx, by, persona, func(p *personaSkills) ([]tool.DocumentEvent, error) {
		if len(p.Retired) >= 2*MaxSkills {
			return nil, tooMany("so many skills are retired that no more can be", "remove the folders of those that nobody needs")
		}
		if p.Retired == nil {
			p.Retired = map[string]retired{}
		}
		p.Retired[k.SkillID] = retired{by.String(), reason, s.now()}
		return []tool.DocumentEvent{{Type: tool.SkillRetired, Data: map[string]string{"persona": persona, "skillId": k.SkillID, "reason": reason}}}, nil
	})
	return *k, err
}

// Restore undoes Retire. by must be a person.
func (s *Skills) Restore(ctx context.Context, by tool.Actor, persona, which string) error {
	return s.editPersona(ctx, by, persona, func(p *personaSkills) ([]tool.DocumentEvent, error) {
		id := foldSkill(which)
		if _, ok := p.Retired[id]; !ok {
			return nil, &tool.Error{Code: tool.NotFound, Message: fmt.Sprintf("no skill %s is retired", tool.Quote(which)), Hint: "name it by its id"}
		}
		delete(p.Retired, id)
		return []tool.DocumentEvent{{Type: tool.SkillRestored, Data: map[string]string{"persona": persona, "skillId": id}}}, nil
	})
}
