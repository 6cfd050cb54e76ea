package wasmjs

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/wasmjs/meter"
)

// module is the compiled engine, shared by all instances.
type module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	cache    wazero.CompilationCache // nil without a cache folder
	compiler bool                    // machine code, not the interpreter
	turns    *turns                  // of its instances
}

// compileModule compiles the embedded engine, with its machine code kept in cacheDir unless that is empty.
func compileModule(ctx context.Context, cacheDir string, interpreter bool) (*module, error) {
	if cacheDir == "" || interpreter {
		return tryCompile(ctx, "", interpreter)
	}
	cache, err := openCodeCache(cacheDir)
	if err != nil {
		return nil, err
	}
	return cache.compile(ctx)
}

func tryCompile(ctx context.Context, cacheDir string, interpreter bool) (*module, error) {
	config, compiler := runtimeConfig(interpreter)
	m := &module{compiler: compiler, turns: newTurns(goruntime.GOMAXPROCS(0))}
	if cacheDir != "" && compiler {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, fmt.Errorf("opening the compilation cache %s: %w", cacheDir, err)
		}
		m.cache = cache
		config = config.WithCompilationCache(cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := m.build(ctx); err != nil {
		return nil, errors.Join(err, m.close()) //nolint:contextcheck // closing must not be cut short
	}
	return m, nil
}

func (m *module) build(ctx context.Context) error {
	if err := bindImports(ctx, m.runtime); err != nil {
		return err
	}
	compiled, err := m.runtime.CompileModule(ctx, assets.QuickJS)
	if err != nil {
		return fmt.Errorf("compiling the sandbox engine: %w", err)
	}
	m.compiled = compiled
	return nil
}

// runtimeConfig picks machine code where wazero can make it, else its interpreter.
func runtimeConfig(interpreter bool) (config wazero.RuntimeConfig, compiler bool) {
	if supported := compilerSupported(); interpreter || !supported {
		return wazero.NewRuntimeConfigInterpreter(), false
	}
	return wazero.NewRuntimeConfigCompiler(), true
}

// compilerSupported asks wazero, which only answers by what it would choose, and panics where it cannot compile. It asks once,
// before anything else of wazero is used: the first use looks wazero's own version up into a variable that nothing guards.
var compilerSupported = sync.OnceValue(func() (ok bool) {
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		return false
	}
	defer func() { ok = recover() == nil }()
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigCompiler())
	_ = r.Close(context.Background())
	return true
})

func (m *module) close() error {
	err := m.runtime.Close(context.Background())
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(context.Background()))
	}
	return err
}

// readOnlyEnd returns where the module's writable data begins: its first segment is read-only data, which a restore
// within one tool can leave alone.
func readOnlyEnd() (uint32, error) {
	segments, err := meter.Segments(assets.QuickJS)
	if err != nil || len(segments) < 2 {
		return 0, errors.Join(errors.New("the engine's module has no data of its own"), err)
	}
	return segments[1].Offset, nil
}

const i32, i64 = api.ValueTypeI32, api.ValueTypeI64

// bindImports offers the host functions that the guest imports.
func bindImports(ctx context.Context, r wazero.Runtime) error {
	host := r.NewHostModuleBuilder("host")
	export := func(name string, f func(*instance, []uint64), params, results []api.ValueType) {
		call := api.GoFunc(func(ctx context.Context, stack []uint64) { f(instanceOf(ctx), stack) })
		host.NewFunctionBuilder().WithGoFunction(call, params, results).Export(name)
	}
	export("clock", hostClock, nil, []api.ValueType{i64})
	export("elapsed", hostElapsed, nil, []api.ValueType{i64})
	export("zone", hostZone, []api.ValueType{i64}, []api.ValueType{i32})
	export("log", hostLog, []api.ValueType{i32, i32, i32}, nil)
	export("request", hostRequest, []api.ValueType{i32, i32, i32, i32, i32, i32, i32}, []api.ValueType{i32})
	export("reply_size", hostReplySize, []api.ValueType{i32}, []api.ValueType{i32})
	export("reply", hostReply, []api.ValueType{i32, i32}, nil)
	if _, err := host.Instantiate(ctx); err != nil {
		return fmt.Errorf("binding host functions: %w", err)
	}
	refill := api.GoFunc(func(ctx context.Context, stack []uint64) {
		stack[0] = uint64(instanceOf(ctx).job.budget.refill(int64(stack[0]))) //nolint:gosec // an i64 as wasm hands it over
	})
	fuel := r.NewHostModuleBuilder(meter.ImportModule)
	fuel.NewFunctionBuilder().WithGoFunction(refill, []api.ValueType{i64}, []api.ValueType{i64}).Export(meter.ImportRefill)
	if _, err := fuel.Instantiate(ctx); err != nil {
		return fmt.Errorf("binding the meter: %w", err)
	}
	return nil
}
