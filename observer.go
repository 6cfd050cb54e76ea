package toolsmith

import (
	"context"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// Observer is told what a host does while it does it, for metrics and traces. A function that is nil is told nothing; the
// others must return soon, and are called by many goroutines at once. What happens within an activity gets the context that
// the function returned, and the function that came with it is called once, with how the activity ended.
type Observer struct {
	Call  func(ctx context.Context, c tool.Caller, name string) (context.Context, func(*runtime.CallResult, error))
	Forge func(ctx context.Context, c tool.Caller) (context.Context, func(*forge.Result, error))
	Model func(ctx context.Context, purpose string) (context.Context, func(model.Reply, error))

	// Started is told of the sandbox of each call. A host that was given its sandbox leaves that to whoever opened it.
	Started func(how wasmjs.Start, took time.Duration)
	// Appended is told of each change that added entries to the audit log, once it is on disk.
	Appended func(entries int, took time.Duration)
}

// observed lets a forge be observed.
func (h *Host) observed(ctx context.Context, c tool.Caller, forge func(context.Context) (*forge.Result, error)) (*forge.Result, error) {
	if h.opt.Observer.Forge == nil {
		return forge(ctx)
	}
	within, ended := h.opt.Observer.Forge(ctx, c)
	result, err := forge(within)
	ended(result, err)
	return result, err
}
