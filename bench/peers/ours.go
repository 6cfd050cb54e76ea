package peers

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// ours is the sandbox engine of this project. It knows no kept context: every call starts from the pristine image.
type ours struct {
	context context.Context //nolint:containedctx // of the process that serves the engine
	engine  *wasmjs.Engine
}

// mostInstances and mostImageBytes are large enough for whatever the measure of density holds.
const (
	mostInstances  = 4096
	mostImageBytes = 4 << 30
)

// openOurs makes the engine, with its compiled code kept in the cache.
func openOurs(ctx context.Context, cache string) (Engine, error) {
	engine, err := wasmjs.New(ctx, wasmjs.Options{
		CacheDir: filepath.Join(cache, "ours"), Instances: mostInstances, ImageCacheBytes: mostImageBytes,
	})
	if err != nil {
		return nil, err
	}
	return &ours{context: ctx, engine: engine}, nil
}

// Version implements Engine. It names the module by the beginning of its hash.
func (o *ours) Version() string {
	how := "interpreted"
	if o.engine.Stats().Compiler {
		how = "compiled"
	}
	return fmt.Sprintf("%.12s, %s by wazero %s", assets.QuickJSSHA256(), how, moduleVersion("github.com/tetratelabs/wazero"))
}

// Close implements Engine.
func (o *ours) Close() error { return o.engine.Close() }

// Load implements Engine. Both modes are the same: a call costs its pristine image whether one asks for it or not.
func (o *ours) Load(source string, _ Mode) (Function, error) {
	program, err := o.engine.Load(o.context, wasmjs.Source{Code: source}, tool.Limits{})
	if err != nil {
		return nil, err
	}
	return func(input string, timeout time.Duration) (string, error) {
		options := wasmjs.CallOptions{Limits: tool.Limits{Timeout: timeout}}
		result, err := program.Call(o.context, []byte(input), options)
		if err != nil {
			return "", tool.AsError(err).Code
		}
		return string(result.Output), nil
	}, nil
}

// Hold implements Holder: n calls wait for each other within a host function, so that each has an instance.
func (o *ours) Hold(source, input string, n int) error {
	var met sync.WaitGroup
	met.Add(n)
	meet := func(context.Context, wasmjs.Request) (wasmjs.Reply, error) {
		met.Done()
		met.Wait()
		return wasmjs.Reply{}, nil
	}
	program, err := o.engine.Load(o.context, wasmjs.Source{Code: meeting(source), APIs: []wasmjs.API{{Name: "meet"}}}, tool.Limits{})
	if err != nil {
		return err
	}
	var calls errgroup.Group
	for range n {
		calls.Go(func() error {
			_, err := program.Call(o.context, []byte(input), wasmjs.CallOptions{Funcs: map[string]wasmjs.Func{"meet": meet}})
			return err
		})
	}
	return calls.Wait()
}

// meeting makes a program's calls wait for each other before they return.
func meeting(source string) string {
	return source + `
const alone = execute;
globalThis.execute = async (input) => { const output = alone(input); await meet(); return output; };
`
}
