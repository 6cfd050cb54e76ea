package cli

import (
	"context"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/wasmjs"
)

func engineOptions(cacheDir string, instances int) runtime.Options {
	return runtime.Options{Engine: wasmjs.Options{CacheDir: cacheDir, Instances: instances}}
}

// openSandbox opens a sandbox with up to the given number of instances; 0 is the engine's default. Where the cache cannot be
// used it says so and goes on without: compiling takes a second, no more.
func (f *face) openSandbox(ctx context.Context, instances int) (*runtime.Sandbox, error) {
	dir, err := cacheDir()
	if err == nil {
		var box *runtime.Sandbox
		if box, err = runtime.OpenSandbox(ctx, engineOptions(dir, instances)); err == nil || ctx.Err() != nil {
			return box, err
		}
	}
	box, failed := runtime.OpenSandbox(ctx, engineOptions("", instances))
	if failed == nil {
		f.sayf("the compilation cache is of no use, so this start is slow: %s", escape(plain(err)))
	}
	return box, failed
}
