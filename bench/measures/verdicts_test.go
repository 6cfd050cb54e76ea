package measures

import (
	"testing"

	"example.com/toolsmith/bench/report"
	"example.com/toolsmith/judge/judgetest"
)

// Of each class, the first tools go through the gates.
func TestVerdictsAreCounted(t *testing.T) {
	list, err := readLabelled("../" + labelledSet)
	if err != nil {
		t.Fatal(err)
	}
	var first []labelled
	seen := map[string]int{}
	for _, one := range list {
		if seen[one.Class]++; seen[one.Class] <= 2 && one.Class != "unbounded" {
			first = append(first, one)
		}
	}
	s := &Session{Cache: t.TempDir()}
	counts, err := s.forgeAll(t.Context(), first, judgetest.Refusing())
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range classes {
		want := report.Verdicts{Rejected: 2}
		switch class {
		case "good":
			want.FalseRejects = 2
		case "unbounded":
			want = report.Verdicts{}
		}
		if counts[class] != want {
			t.Errorf("%s: a judge that refuses everything gives %+v, want %+v", class, counts[class], want)
		}
	}
}

func TestTheJudgeIsMeasuredWhenAsked(t *testing.T) {
	usual, err := Select(nil)
	if err != nil || len(usual) != len(all) {
		t.Errorf("%d measures are usual, %v; want %d", len(usual), err, len(all))
	}
	named, err := Select([]string{"judge"})
	if err != nil || len(named) != 1 || named[0].Name != "judge" {
		t.Errorf("got %+v, %v", named, err)
	}
}
