package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/toolsmith/selfimprove"
)

func TestShowSessionReport(t *testing.T) {
	t.Parallel()
	half := 0.5
	outcome := func(id, param, to string, more selfimprove.Outcome) selfimprove.Outcome {
		more.ID, more.Change, more.Applied = id, selfimprove.Change{Param: param, New: json.RawMessage(to)}, selfimprove.AppliedToSession
		return more
	}
	r := sessionReport{
		Parameters: map[string]json.RawMessage{"verbosity": json.RawMessage(`"concise"`), "temperature": json.RawMessage(`0.4`)},
		Evaluations: &selfimprove.Report{
			Total: 3, Remaining: 7, Average: selfimprove.Scores{Relevance: 1, Clarity: 0.5}, Trend: selfimprove.Trend{Direction: "steady"},
			Adjustments: []selfimprove.Outcome{
				outcome("a1", "temperature", `0.4`, selfimprove.Outcome{Adjustment: selfimprove.Adjustment{ScoreBefore: &half}, ScoreAfter: &half, Flagged: true}),
				outcome("a2", "temperature", `0.6`, selfimprove.Outcome{Adjustment: selfimprove.Adjustment{Reverted: true}}),
				outcome("a4", "temperature", `0.4`, selfimprove.Outcome{Adjustment: selfimprove.Adjustment{Reverts: "a2"}}),
			},
			Drift: map[string]selfimprove.TraitDrift{"openness": {Adjustments: []selfimprove.Outcome{outcome("a3", "openness", `0.6`, selfimprove.Outcome{})}}},
		},
	}
	var out strings.Builder
	(&face{out: &checkedWriter{w: &out}}).showSessionReport(r)
	const want = `temperature 0.4
verbosity "concise"
3 evaluations, 7 left, trend steady
on average: relevance 1.00, clarity 0.50, accuracy 0.00, helpfulness 0.00
ID  PARAM        FROM  TO   APPLIED  SCORE BEFORE  SCORE AFTER  STATE
a1  temperature  -     0.4  session  0.50          0.50         does not help
a2  temperature  -     0.6  session  -             -            reverted
a3  openness     -     0.6  session  -             -            holds
a4  temperature  -     0.4  session  -             -            reverts a2
`
	if out.String() != want {
		t.Errorf("printed\n%s", out.String())
	}
}
