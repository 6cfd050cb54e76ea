package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"example.com/toolsmith/runtime/tool"
)

// budget is what all agents of a run may use together. It is looked at before each call: those that run already are let end,
// so that tokens and cost may go beyond it by what they take. Whoever finds it used up ends the run.
type budget struct {
	limits Limits
	stop   context.CancelCauseFunc

	mu     sync.Mutex
	asked  int // calls of models, retries too
	called int // calls of tools
	used   Usage
	over   error // what was used up first
}

// ask takes one call of a model.
func (b *budget) ask() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch l := b.limits; {
	case b.asked >= int(l.MaxModelCalls):
		return b.usedUp("maxModelCalls", l.MaxModelCalls, "models were asked %d times", b.asked)
	case b.used.TotalTokens >= int64(l.MaxTokens):
		return b.usedUp("maxTokens", l.MaxTokens, "models have used %d tokens", b.used.TotalTokens)
	case b.used.CostUSD >= float64(l.MaxCostUSD):
		return b.usedUp("maxCostUSD", l.MaxCostUSD, "models have cost %.2f USD", b.used.CostUSD)
	}
	b.asked++
	return nil
}

// call takes one call of a tool.
func (b *budget) call() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.called >= int(b.limits.MaxToolCalls) {
		return b.usedUp("maxToolCalls", b.limits.MaxToolCalls, "tools were called %d times", b.called)
	}
	b.called++
	return nil
}

func (b *budget) usedUp(limit string, most any, format string, args ...any) error {
	e := tool.Errorf(tool.OverQuota, format, args...)
	e.Message += fmt.Sprintf(", and limits.%s allows %v for a run", limit, most)
	e.Hint = "raise limits." + limit + ", or ask for less at once"
	if b.over == nil {
		b.over = e
	}
	b.stop(e)
	return e
}

// add counts what a model used.
func (b *budget) add(u Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = b.used.plus(u)
}

func (b *budget) spent() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// reason is the outcome that an error stands for.
func (b *budget) reason(failed *tool.Error) Reason {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.over != nil && errors.Is(b.over, failed.Code):
		return OverBudget
	case failed.Code == tool.Timeout:
		return TimedOut
	case failed.Code == tool.Canceled:
		return Canceled
	}
	return Failed
}
