package forge

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// review asks the judge.
func (j *job) review(ctx context.Context) error {
	j.result.Stage = StageLimit
	var verdict tool.CreationVerdict
	err := pay(ctx, j.forge.shelf, j.by, j.request.Name, j.reviewTakes(), func() (tool.Spent, error) {
		j.enter(ctx, StageJudge)
		var err error
		verdict, err = j.forge.judge.Review(ctx, j.by, j.candidate)
		return verdict.Spent, err
	})
	if err != nil {
		return err
	}
	j.result.Verdict = &verdict
	switch {
	case verdict.Approved && verdict.SourceHash != j.candidate.SourceHash:
		return &tool.Error{Code: tool.Rejected, Message: "the verdict was given for another implementation", Hint: "have this very implementation judged"}
	case verdict.Approved:
		return nil
	case strings.Contains(verdict.Reasoning, "Failed to parse"):
		j.result.Stage = StageJudgeParse
	}
	hint, after := hintFor(verdict)
	return &tool.Error{Code: tool.Rejected, Message: verdict.Reasoning, Hint: hint, RetryAfter: after}
}

// reviewTakes is about what the judge will take.
func (j *job) reviewTakes() tool.Spent {
	if e, ok := j.forge.judge.(Estimator); ok {
		return e.ReviewTakes(j.candidate)
	}
	return tool.Spent{}
}

// unjudged tells how to go on when there was no judgement, by how the reasoning begins, and after what time the same request may go
// well. The first that fits counts.
var unjudged = []struct {
	begins, hint string
	after        time.Duration
}{
	{"LLM call failed: no model", "an operator has to configure a judge; nothing is wrong with the request so far", time.Minute},
	{
		"LLM call failed",
		"try again later: the judge could not be reached, and nothing is wrong with the request so far; an operator finds more with host doctor", 10 * time.Second,
	},
	{"Failed to parse", "try again: the judge's reply could not be read, and nothing is wrong with the request so far", time.Second},
	{"Not judged", "do away with what the reason names: without that, nothing is judged", 0},
	{"nobody answered", "ask again when somebody is there to answer; nothing is wrong with the request so far", time.Minute},
	{"the answers at the terminal were neither", "ask again, and answer yes or no; nothing is wrong with the request so far", 0},
}

// hintFor says how to go on after a refusal, and after what time the same request may go well, if it may.
func hintFor(v tool.CreationVerdict) (hint string, after time.Duration) {
	for _, u := range unjudged {
		if strings.HasPrefix(v.Reasoning, u.begins) {
			return u.hint, u.after
		}
	}
	switch {
	case strings.HasPrefix(v.JudgeModel, tool.JudgedByPerson):
		return "a person said no: change what their reason names, if they gave one, and do not ask for the same again unless they say so", 0
	case len(v.Concerns) > 0:
		return "mend what the judge names: " + strings.Join(v.Concerns, "; "), 0
	}
	return "mend what the reason names, and ask again", 0
}

// register makes the tool callable. The decision is on record before the tool is.
func (j *job) register(ctx context.Context) error {
	j.enter(ctx, StageRegister)
	data := map[string]any{
		"name": j.request.Name, "verdict": j.result.Verdict, "sourceHash": j.candidate.SourceHash, "report": j.candidate.Report,
		"tests": len(j.candidate.TestResults),
	}
	if err := j.forge.shelf.Log(ctx, j.by, "", tool.ForgeApproved, data); err != nil {
		return err
	}
	record, err := j.forge.shelf.Put(ctx, j.by, tool.Draft{
		Name: j.request.Name, Description: j.request.Description, InputSchema: j.request.InputSchema, OutputSchema: j.request.OutputSchema,
		Implementation: j.request.Implementation, TestCases: j.request.TestCases, Verdict: *j.result.Verdict,
		Source: j.source(), Import: j.origin, Check: j.stillUnlike,
	})
	switch {
	case j.result.Stage == StageDuplicate:
	case errors.Is(err, tool.Suspended):
		j.result.Stage = StageDuplicate
	case errors.Is(err, tool.Collision):
		j.result.Stage = StageCollision
	case errors.Is(err, tool.Limit):
		j.result.Stage = StageLimit
	}
	if err != nil {
		return err
	}
	j.result.Success, j.result.Stage, j.result.Tool, j.result.ToolID = true, "", record, record.ID
	j.tell(Event{Kind: Approved, Confidence: j.result.Verdict.Confidence})
	return nil
}
