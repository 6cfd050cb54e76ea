package judge_test

import (
	"context"
	"strings"
	"testing"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// measuring is a model that approves, and counts the bytes that it is sent.
type measuring struct {
	model.Model
	bytes *int
}

func (m measuring) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	*m.bytes += len(req.System) + len(req.Messages[0].Text) + len(req.JSONSchema)
	return m.Model.Chat(ctx, req)
}

// What a judge is thought to take is about a quarter of the bytes that it is sent, and an answer.
func TestWhatAJudgeTakes(t *testing.T) {
	t.Parallel()
	bytes := make([]int, 3)
	of := func(i int) model.Model { return measuring{judgetest.ApproveAll(), &bytes[i]} }
	price := model.Prices{"cheap": {Input: 1e6, Output: 2e6}, "dear": {Input: 2e6, Output: 3e6}}.Cost
	j := made(t, judge.Options{Creation: of(0), Safety: of(1), Correctness: of(2), Price: price})
	about := func(what string, got tool.Spent, calls, bytes int) {
		t.Helper()
		want := int64(bytes / 4)
		cost := float64(2*got.InputTokens + 3*got.OutputTokens)
		if got.Calls != int64(calls) || got.InputTokens < want*9/10 || got.InputTokens > want*11/10 || got.OutputTokens != int64(500*calls) || got.CostUSD != cost {
			t.Errorf("%s: %+v, of %d bytes", what, got, bytes)
		}
	}
	small, large := adder(), adder()
	large.Implementation.Code += strings.Repeat(" // more of the same\n", 1000)
	for what, c := range map[string]tool.Candidate{"small": small, "large": large} {
		bytes[0] = 0
		review(t, j, c)
		about(what, j.ReviewTakes(c), 1, bytes[0])
	}
	panel(t, j, record())
	about("the panel", j.PanelTakes(record(), record().Implementation), 2, bytes[1]+bytes[2])
	huge := adder()
	huge.Implementation.Code = strings.Repeat("x", judge.MaxSourceBytes+1) // is not shown
	if got := j.ReviewTakes(huge); got != (tool.Spent{}) {
		t.Errorf("too large: %+v", got)
	}
	none := made(t, judge.Options{})
	if got := none.ReviewTakes(small).Add(none.PanelTakes(record(), record().Implementation)); got != (tool.Spent{}) {
		t.Errorf("without a model: %+v", got)
	}
}
