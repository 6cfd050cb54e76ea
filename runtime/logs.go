package runtime

import (
	"context"

	"example.com/toolsmith/wasmjs"
)

// logsKey is the key under which a context says who is told of what a tool writes to its console.
type logsKey struct{}

// WithLogs returns a context in which a call tells of what the tool writes to its console, as it comes. Of a tool that is not the
// caller's own, and of the steps of a composed one, it tells nothing. The function must return soon; it is called by the goroutine of
// the call.
func WithLogs(ctx context.Context, tell func(wasmjs.Log)) context.Context {
	return context.WithValue(ctx, logsKey{}, tell)
}

// logsOf is who is told of the lines of a call, and the context of what happens within it, whose lines are told to nobody.
func logsOf(ctx context.Context, of Face) (within context.Context, tell func(wasmjs.Log)) {
	tell, _ = ctx.Value(logsKey{}).(func(wasmjs.Log))
	if tell == nil {
		return ctx, nil
	}
	if !of.Own() {
		tell = nil
	}
	return WithLogs(ctx, nil), tell
}
