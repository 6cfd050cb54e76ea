package judge

import (
	"cmp"
	"context"
	"sync"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Panel implements Judge with two calls at once, to the models of Options.Safety and Options.Correctness. Both have to
// approve, each with the least confidence of Options.MinPanel.
func (m *Models) Panel(ctx context.Context, _ tool.Actor, r *tool.Record, whole tool.Implementation) (tool.PromotionVerdict, error) {
	v := tool.PromotionVerdict{At: tool.At(m.opt.Now())}
	members, err := m.members(&v, r, whole)
	if err != nil {
		v.SafetyAuditor.Reasoning = notJudged(err)
		v.CorrectnessReviewer.Reasoning = v.SafetyAuditor.Reasoning
		return v, nil
	}
	var all sync.WaitGroup
	for i := range members {
		all.Go(func() { members[i].answer, members[i].err = m.ask(ctx, members[i].model, members[i].prompt) })
	}
	all.Wait()
	v.Approved = true
	for i := range members {
		one := &members[i]
		if one.err != nil {
			return tool.PromotionVerdict{}, one.err
		}
		one.review()
		v.Approved = v.Approved && one.into.Approved && one.into.Confidence >= m.opt.MinPanel
		v.Spent = v.Spent.Add(one.answer.spent)
	}
	v.Confidence = min(v.SafetyAuditor.Confidence, v.CorrectnessReviewer.Confidence)
	v.JudgeModel = members[0].answer.model
	if other := members[1].answer.model; other != v.JudgeModel {
		v.JudgeModel = line(v.JudgeModel+", "+other, maxConcern)
	}
	return v, nil
}

// member is one of the panel at work.
type member struct {
	model  model.Model
	prompt prompt
	answer answer
	err    error
	into   *tool.Review
}

// members prepares the panel of a record. The error says why it cannot be judged.
func (m *Models) members(v *tool.PromotionVerdict, r *tool.Record, whole tool.Implementation) ([2]member, error) {
	all := [2]member{{model: m.opt.Safety, into: &v.SafetyAuditor}, {model: m.opt.Correctness, into: &v.CorrectnessReviewer}}
	d, err := aboutRecord(r, whole)
	if err != nil {
		return all, err
	}
	if v.SourceHash, err = sameSource(whole, r.SourceHash); err != nil {
		return all, err
	}
	if all[0].prompt, err = m.prompt(safetyRole, d); err != nil {
		return all, err
	}
	d.fact("success rate: %.3f", r.UsageStats.SuccessRate())
	all[1].prompt, err = m.prompt(correctnessRole, d)
	return all, err
}

// review is what the answer comes to.
func (m *member) review() {
	m.into.Reasoning = m.answer.why
	reply := m.answer.reply
	if reply == nil {
		return
	}
	if err := cmp.Or(reply.answer("approved"), reply.fraction("confidence")); err != nil {
		m.into.Reasoning = unreadable + err.Error()
		return
	}
	*m.into = tool.Review{
		Approved: reply.is("approved"), Confidence: reply.number("confidence"), Reasoning: words(reply.text("reasoning"), maxReasoning),
	}
}
