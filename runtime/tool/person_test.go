package tool_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestCheckPersonName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"eve", "Eve Ö. Müller", "DOMAIN\\eve", strings.Repeat("é", 100)} {
		if err := tool.CheckPersonName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", " eve", "eve ", "eve\u00a0", "\x1b[31m evil\nname", "e\u200bve", "\u202eeve", "e\xffve", "e\u034fve", strings.Repeat("a", 201),
	} {
		if err := tool.CheckPersonName(name); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPerson(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{"human:eve": "eve", "openai/gpt": "", "": ""} {
		if got := (&tool.PromotionVerdict{JudgeModel: model}).Person(); got != want {
			t.Errorf("%q: %q", model, got)
		}
	}
	if got := (*tool.PromotionVerdict)(nil).Person(); got != "" {
		t.Error(got)
	}
	if !tool.SamePerson("Éve", "éVE") || tool.SamePerson("eve", "eva") {
		t.Error("cases do not count as the same, or letters do")
	}
}
