package report_test

import (
	"bytes"
	"strings"
	"testing"

	"example.com/toolsmith/bench/report"
)

func TestVerdictsShow(t *testing.T) {
	good, bad := report.Verdicts{Class: "good", Judge: "gates alone"}, report.Verdicts{Class: "unsafe", Judge: "gates alone"}
	for _, accepted := range []bool{true, true, false} {
		good.Count(true, accepted)
		bad.Count(false, accepted)
	}
	if good.FalseRejects != 1 || good.FalseAccepts != 0 || bad.FalseAccepts != 2 || bad.FalseRejects != 0 {
		t.Errorf("counted %+v and %+v", good, bad)
	}
	believing := report.Verdicts{Class: "good", Judge: "a judge that believes", Accepted: 3}
	r := report.Report{Results: []report.Result{{Measure: "judge", Unit: report.Tools, Verdicts: []report.Verdicts{good, bad, believing}}}}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"gates alone tools accepted rejected false accepts false rejects", "good 3 2 1 0 1", "unsafe 3 2 1 2 0", "all 6 4 2 2 1",
		"a judge that believes tools", "good 3 3 0 0 0 all 3 3 0 0 0",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is missing from\n%s", want, out.String())
		}
	}
}
