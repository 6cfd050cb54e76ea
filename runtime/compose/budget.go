package compose

import (
	"context"
	"sync/atomic"

	"example.com/toolsmith/runtime/tool"
)

// budget is shared by a run and by the pipelines that its steps call, through the context.
type budget struct {
	depth int           // of the run that has it
	calls *atomic.Int64 // that are left
}

type budgetKey struct{}

// spend returns the budget of a run, which is one level below that of the context, and the context for its calls.
func spend(ctx context.Context, opt Options) (context.Context, budget, error) {
	b, nested := ctx.Value(budgetKey{}).(budget)
	if !nested {
		b.calls = new(atomic.Int64)
		b.calls.Store(int64(opt.MaxCalls))
	}
	b.depth++
	if b.depth > opt.MaxDepth {
		return ctx, b, tool.Errorf(tool.Limit, "composed tools call each other more than %d deep", opt.MaxDepth)
	}
	return context.WithValue(ctx, budgetKey{}, b), b, nil
}

// call takes one call.
func (b budget) call() error {
	if b.calls.Add(-1) < 0 {
		return &tool.Error{
			Code: tool.Limit, Message: "the pipeline, with the composed tools within it, makes more calls than it may",
			Hint: "call fewer composed tools from composed tools",
		}
	}
	return nil
}
