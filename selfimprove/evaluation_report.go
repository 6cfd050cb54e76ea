package selfimprove

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// Report is what evaluations gave, and what adjustments did to them.
type Report struct {
	Total       int                   `json:"totalEvaluations"`
	Remaining   int                   `json:"remainingEvaluations"`
	Average     Scores                `json:"averageScores"` // zeros when there were none
	Trend       Trend                 `json:"trend"`
	Adjustments []Outcome             `json:"adjustments"`      // of parameters
	Drift       map[string]TraitDrift `json:"personalityDrift"` // by trait
	Evaluations []Scored              `json:"evaluations"`
}

// Trend compares the last evaluations, at most three, with as many before them.
type Trend struct {
	Direction string  `json:"direction"` // improving, declining, steady, or unknown when there are fewer than two
	Change    float64 `json:"change"`    // of the mean score
}

// Outcome is an adjustment with what the scores did since.
type Outcome struct {
	Adjustment
	ScoreAfter *float64 `json:"scoreAfter"` // the mean of the first evaluations since, at most three, while it held
	// Flagged is set when three evaluations since are no better than those before: it does not help, and can be reverted.
	Flagged bool `json:"flagged"`
}

// TraitDrift is how far evaluations have moved a trait.
type TraitDrift struct {
	TotalDelta  float64   `json:"totalDelta"` // of those that have an effect
	Count       int       `json:"adjustmentCount"`
	Adjustments []Outcome `json:"adjustments"`
}

// Report says what a session's evaluations gave. It changes nothing.
func (e *Evaluation) Report(ctx context.Context, c tool.Caller) (*Report, error) {
	state, err := e.load(ctx, c)
	if err != nil {
		return nil, err
	}
	r := &Report{
		Total: len(state.Evaluations), Remaining: max(e.opt.MaxEvaluations-len(state.Evaluations), 0), Average: averageScores(state.Evaluations),
		Trend: trend(state.Evaluations), Adjustments: []Outcome{}, Drift: map[string]TraitDrift{}, Evaluations: state.Evaluations,
	}
	if r.Evaluations == nil {
		r.Evaluations = []Scored{}
	}
	for i := range state.Adjustments {
		outcome := state.outcome(&state.Adjustments[i])
		if !isTrait(outcome.Param) {
			r.Adjustments = append(r.Adjustments, outcome)
			continue
		}
		drift := r.Drift[outcome.Param]
		drift.Adjustments = append(drift.Adjustments, outcome)
		if outcome.Applied != NotApplied {
			drift.Count++
			drift.TotalDelta = rounded(drift.TotalDelta + outcome.Delta)
		}
		r.Drift[outcome.Param] = drift
	}
	return r, nil
}

// outcome compares the scores before an adjustment with those after it, as long as it held.
func (s *evaluationState) outcome(a *Adjustment) Outcome {
	end := len(s.Evaluations)
	for _, other := range s.Adjustments {
		if other.Reverts == a.ID {
			end = other.After
		}
	}
	since := s.Evaluations[a.After:min(a.After+window, end)]
	o := Outcome{Adjustment: *a, ScoreAfter: meanScore(since)}
	holds := a.Applied != NotApplied && !a.Reverted && a.Reverts == ""
	o.Flagged = holds && len(since) == window && a.ScoreBefore != nil && *o.ScoreAfter <= *a.ScoreBefore
	return o
}

func averageScores(list []Scored) (mean Scores) {
	n := float64(len(list))
	for _, one := range list {
		mean.Relevance += one.Scores.Relevance / n
		mean.Clarity += one.Scores.Clarity / n
		mean.Accuracy += one.Scores.Accuracy / n
		mean.Helpfulness += one.Scores.Helpfulness / n
	}
	return Scores{rounded(mean.Relevance), rounded(mean.Clarity), rounded(mean.Accuracy), rounded(mean.Helpfulness)}
}

func trend(list []Scored) Trend {
	const notable = 0.05 // less than that is noise
	n := min(len(list)/2, window)
	if n == 0 {
		return Trend{Direction: "unknown"}
	}
	last, before := list[len(list)-n:], list[len(list)-2*n:len(list)-n]
	t := Trend{Direction: "steady", Change: rounded(*meanScore(last) - *meanScore(before))}
	switch {
	case t.Change > notable:
		t.Direction = "improving"
	case t.Change < -notable:
		t.Direction = "declining"
	}
	return t
}
