package forge

import (
	"context"

	"example.com/toolsmith/runtime/tool"
)

// Purse is what models are paid from.
type Purse interface {
	// Hold holds back about what models will take, and refuses when nothing is left; Spend ends that, and counts what they took.
	Hold(ctx context.Context, by tool.Actor, about tool.Spent) (tool.Held, error)
	Spend(ctx context.Context, by tool.Actor, toolName string, held tool.Held, spent tool.Spent) error
}

// Estimator is a Judge and a Panel that knows about what it will take before it is asked. So much is held back meanwhile, so that of
// those who ask at once no more are let in than there is room for. Nothing is what takes no model.
type Estimator interface {
	ReviewTakes(c tool.Candidate) tool.Spent
	PanelTakes(r *tool.Record, whole tool.Implementation) tool.Spent
}

// pay asks models on somebody's behalf about a tool, when something is left for that, and books what they took, also when nothing came
// of it. What became of models that nobody waited for is not known: they are taken to have taken what was held back.
func pay(ctx context.Context, from Purse, by tool.Actor, toolName string, about tool.Spent, ask func() (tool.Spent, error)) error {
	held, err := from.Hold(ctx, by, about)
	if err != nil {
		return err
	}
	spent, err := ask()
	if err != nil && spent == (tool.Spent{}) {
		spent = held.Spent
	}
	if held.Spent != (tool.Spent{}) || spent != (tool.Spent{}) {
		if failed := from.Spend(context.WithoutCancel(ctx), by, toolName, held, spent); failed != nil {
			return failed
		}
	}
	return err
}
