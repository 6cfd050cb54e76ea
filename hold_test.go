package toolsmith_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

var _ forge.Estimator = (*judge.Models)(nil)

// slowJudge approves once it is let, and tells who has come. Each answer takes 1300 tokens.
type slowJudge struct {
	asked chan struct{}
	let   chan struct{}
}

func (j slowJudge) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	j.asked <- struct{}{}
	select {
	case <-j.let:
	case <-ctx.Done():
		return model.Reply{}, ctx.Err()
	}
	reply, err := approveAll.Chat(ctx, req)
	reply.Usage = model.Usage{InputTokens: 1200, OutputTokens: 100}
	return reply, err
}

// used is what a persona has used of the tokens of today.
func (w *world) used() float64 {
	w.t.Helper()
	u, err := w.shelf().Usage(context.Background(), ann)
	w.must(err)
	for _, g := range u.Persona {
		if g.Limit == "judgeTokensPerDay" {
			return g.Used
		}
	}
	return -1
}

// Tokens are held back before the judge is asked, so that who asks at once takes no more than who asks one after the other.
func TestTokensAreHeldWhileTheJudgeThinks(t *testing.T) {
	t.Parallel()
	const all = 12
	slow := slowJudge{make(chan struct{}, all), make(chan struct{})}
	w := open(t, "", slow, func(o *toolsmith.Options) {
		o.Config.Quotas.Persona.JudgeTokensPerDay = 3000
		o.Config.EmergentConfig.MaxJudgeTokensPerPersona = 3000 // the same
	})
	var group sync.WaitGroup
	refused := make(chan error, all)
	for i := range all {
		group.Go(func() {
			of := map[string]string{
				"name": fmt.Sprintf(`"add_%d"`, i), "description": fmt.Sprintf(`"Adds two numbers, in the way of number %d."`, i),
				"implementation": fmt.Sprintf(`{"mode":"sandbox","code":"function execute(input) { return { sum: input.a + %d + input.b - %[1]d }; }"}`, i),
			}
			if _, err := w.Forge(t.Context(), session(fmt.Sprint("s", i)), request(t, of)); err != nil {
				refused <- err
			}
		})
	}
	var let int
	for range all {
		select {
		case <-slow.asked:
			let++
		case err := <-refused:
			if e := tool.AsError(err); e.Code != tool.OverQuota || e.Limit != "judgeTokensPerDay" || e.RetryAfter <= 0 {
				t.Errorf("refused: %v", err)
			}
		}
	}
	close(slow.let)
	group.Wait()
	if got := w.used(); let == 0 || let > 3 || got != float64(let)*1300 {
		t.Errorf("%d of %d were let in, used %v", let, all, got)
	}
}

// Who does not wait for the judge's answer has asked for it all the same.
func TestAJudgeThatNobodyWaitsForTookWhatWasHeld(t *testing.T) {
	t.Parallel()
	slow := slowJudge{make(chan struct{}, 4), make(chan struct{})}
	w := open(t, "", slow, nil)
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-slow.asked; leave() }()
	if _, err := w.Forge(ctx, ann, request(t, nil)); !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
	once := w.used()
	if once < 500 {
		t.Errorf("used %v", once)
	}
	close(slow.let)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	if got := w.used(); got != once+1300 {
		t.Errorf("used %v, and before %v", got, once)
	}
	_, _, err = w.Promote(t.Context(), tool.Actor{Caller: ann}, result.ToolID, tool.AgentTier, "eve")
	w.must(err)
	_, _, err = w.Promote(t.Context(), tool.Actor{Caller: ann}, result.ToolID, tool.SharedTier, "eve")
	w.must(err)
	if got := w.used(); got != once+3*1300 { // the panel is two
		t.Errorf("used %v with the panel", got)
	}
}
