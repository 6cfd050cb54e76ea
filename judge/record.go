package judge

import (
	"math"

	"example.com/toolsmith/runtime/tool"
)

// maxVerdicts is how many of the last verdicts a panel is shown.
const maxVerdicts = 10

// aboutRecord is what the panel is told. The error says why it cannot be shown.
func aboutRecord(r *tool.Record, whole tool.Implementation) (*dossier, error) {
	parts := size(r.InputSchema, r.OutputSchema) + len(r.Description) + len(r.Name)
	for _, c := range r.TestCases {
		parts += size(c.Input, c.ExpectedOutput)
	}
	if err := showable(whole, parts); err != nil {
		return nil, err
	}
	d := &dossier{}
	d.standing(r)
	d.add("name", quoted(r.Name))
	d.add("description", quoted(r.Description))
	d.json("input schema", r.InputSchema)
	d.json("output schema", r.OutputSchema)
	if err := d.implementation(whole); err != nil {
		return nil, err
	}
	d.cases(r.TestCases)
	d.verdicts(r.JudgeVerdicts)
	return d, nil
}

// standing tells how far the tool has come.
func (d *dossier) standing(r *tool.Record) {
	tier := "unknown"
	if r.Tier.Rank() > 0 {
		tier = string(r.Tier)
	}
	u := r.UsageStats
	d.fact("tier: %s; the tool asks to rise by one", tier)
	d.fact("version: %d", r.Version)
	d.fact("uses: %d, of which %d succeeded and %d failed; the last %d failed in a row", u.TotalUses, u.SuccessCount, u.FailureCount, r.FailuresInARow)
	d.fact("a use takes %.1f ms on average", u.AvgExecutionTimeMs)
	d.fact("confidence of the judge that created it: %.2f", unit(r.JudgeConfidence))
	d.fact("earlier verdicts: %d", len(r.JudgeVerdicts))
}

// unit cuts a number to 0 to 1; what is not finite is 0.
func unit(value float64) float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0
	}
	return min(max(value, 0), 1)
}

func (d *dossier) cases(cases []tool.TestCase) {
	var data []string
	for i, c := range cases {
		data = append(data, testLines(i, tool.TestResult{Input: c.Input, ExpectedOutput: c.ExpectedOutput, Success: true})...)
	}
	d.add("tests that it passed when it was forged", data...)
}

// verdicts shows the last ones: their reasoning is what models said of the author's text.
func (d *dossier) verdicts(list []tool.Verdict) {
	list = list[max(len(list)-maxVerdicts, 0):]
	var data []string
	for _, v := range list {
		data = append(data, compact(encoded(v)))
	}
	d.add("earlier verdicts, oldest first", data...)
}
