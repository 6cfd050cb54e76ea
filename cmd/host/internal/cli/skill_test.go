package cli

import (
	"strings"
	"testing"

	"example.com/toolsmith/selfimprove"
)

func TestApprovalsShowWhatChanges(t *testing.T) {
	t.Parallel()
	draft := selfimprove.SkillDraft{ID: "propose-maps-0", Kind: selfimprove.ProposeSkill, SkillID: "maps", Description: "Maps.", Content: "Turn.\nFold\x1b[31m."}
	show := func(a selfimprove.SkillApproval) string {
		var out strings.Builder
		newFace("host", nil, &out, nil).showApproval(a)
		_, shown, _ := strings.Cut(out.String(), "\npropose maps\n")
		return shown
	}
	edit := selfimprove.SkillApproval{SkillDraft: draft, Current: &selfimprove.Skill{Description: "Maps.", Content: "Turn.\nTear."}}
	if got, want := show(edit), "     description: Maps.\n     \n     Turn.\n    -Tear.\n    +Fold\\x1b[31m.\n"; got != want {
		t.Errorf("an edit: %q, want %q", got, want)
	}
	if got, want := show(selfimprove.SkillApproval{SkillDraft: draft}), "    +description: Maps.\n    +\n    +Turn.\n    +Fold\\x1b[31m.\n"; got != want {
		t.Errorf("a new one: %q, want %q", got, want)
	}
}
