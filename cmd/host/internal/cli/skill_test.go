package cli

import (
	"strings"
	"testing"

	"example.com/toolsmith/selfimprove"
)

func TestApprovalsShowWhatChanges(t *testing.T) {
	t.Parallel()
	draft := selfimprove.SkillDraft{ID: "propose-maps-0", Kind: selfimprove.ProposeSkill, SkillID: "maps", Name: "maps", Category: selfimprove.Uncategorized, Description: "Maps.", Content: "Turn.\nFold\x1b[31m."}
	show := func(a selfimprove.SkillApproval) string {
		var out strings.Builder
		newFace("host", nil, &out, nil).showApproval(a)
		_, shown, _ := strings.Cut(out.String(), "\npropose maps\n")
		return shown
	}
	edit := selfimprove.SkillApproval{SkillDraft: draft, Current: &selfimprove.Skill{FrontMatter: "name: maps\ndisable-model-invocation: true\n", Content: "Turn.\nTear."}}
	const edited = "     ---\n    -name: maps\n    -disable-model-invocation: true\n    +name: \"maps\"\n    +description: \"Maps.\"\n     ---\n     \n" +
		"     Turn.\n    -Tear.\n    +Fold\\x1b[31m.\n"
	if got := show(edit); got != edited {
		t.Errorf("an edit: %q, want %q", got, edited)
	}
	const made = "    +---\n    +name: \"maps\"\n    +description: \"Maps.\"\n    +---\n    +\n    +Turn.\n    +Fold\\x1b[31m.\n"
	if got := show(selfimprove.SkillApproval{SkillDraft: draft}); got != made {
		t.Errorf("a new one: %q, want %q", got, made)
	}
}
