package cli

import (
	"context"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
)

// skillRow is a skill, with what a person, a session and a machine have to say about it.
type skillRow struct {
	selfimprove.Skill
	Active   bool          `json:"active"`
	Disabled bool          `json:"disabled"`
	Missing  []string      `json:"missing,omitempty"` // of what it requires
	Refused  *skillRefusal `json:"refused,omitempty"` // by a person, for the persona
}

// skillRefusal says who refused a skill, and why.
type skillRefusal struct {
	By     string     `json:"by"`
	At     *tool.Time `json:"at"`
	Reason string     `json:"reason,omitempty"`
}

func (r *skillRow) state() string {
	switch {
	case r.Problem != "":
		return r.Problem
	case !r.ModelInvocable:
		return "not for agents"
	case r.Refused != nil:
		return strings.TrimSuffix("refused: "+r.Refused.Reason, ": ")
	case len(r.Missing) > 0:
		return "needs " + strings.Join(r.Missing, "; ")
	case r.Active:
		return "enabled"
	case r.Disabled:
		return "disabled"
	}
	return ""
}

// rows are skills as the persona and the session of the desk have them.
func (d *skillDesk) rows(ctx context.Context, skills ...selfimprove.Skill) ([]skillRow, error) {
	has, err := d.skills.List(ctx, d.by.Caller)
	if err != nil {
		return nil, err
	}
	refused, err := d.skills.Refusals(ctx, d.by.Tenant, d.by.Persona)
	if err != nil {
		return nil, err
	}
	active, disabled := idsOf(has.Skills), idsOf(has.Disabled)
	rows := make([]skillRow, 0, len(skills))
	for _, k := range skills {
		row := skillRow{Skill: k}
		if k.Problem == "" {
			row.Active, row.Disabled, row.Missing = active[k.SkillID], disabled[k.SkillID], d.skills.Missing(k)
		}
		if r, ok := refused[k.SkillID]; ok && k.Problem == "" {
			row.Refused = &skillRefusal{r.DecidedBy, r.DecidedAt, r.Why}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func idsOf(list []selfimprove.SkillBrief) map[string]bool {
	ids := map[string]bool{}
	for _, k := range list {
		ids[k.SkillID] = true
	}
	return ids
}
