package cli

import (
	"context"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/wasmjs"
)

// openSandbox opens a sandbox with the user's compilation cache. Where that cannot be used it says so and goes on without:
// compiling takes a second, no more.
func (f *face) openSandbox(ctx context.Context, engine wasmjs.Options) (*runtime.Sandbox, error) {
	dir, err := cacheDir()
	if err == nil {
		engine.CacheDir = dir
		var box *runtime.Sandbox
		if box, err = runtime.OpenSandbox(ctx, runtime.Options{Engine: engine}); err == nil || ctx.Err() != nil {
			return box, err
		}
	}
	engine.CacheDir = ""
	box, failed := runtime.OpenSandbox(ctx, runtime.Options{Engine: engine})
	if failed == nil {
		f.sayf("the compilation cache is of no use, so this start is slow: %s", escape(plain(err)))
	}
	return box, failed
}
