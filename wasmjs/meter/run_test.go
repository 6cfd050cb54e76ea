package meter

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall

var (
	errFuel      = errors.New("the budget is used up")
	errNotNeeded = errors.New("fuel was asked for while some was left")
)

// host grants fuel up to a budget, as a real one would.
type host struct {
	budget, quantum int64
	granted         int64
}

func (h *host) refill(fuel int64) int64 {
	if fuel >= 0 {
		panic(errNotNeeded)
	}
	if h.granted-fuel > h.budget {
		panic(errFuel)
	}
	grant := min(max(h.quantum, -fuel), h.budget-h.granted)
	h.granted += grant
	return fuel + grant
}

// instance is a running module, metered or not.
type instance struct {
	host
	t       testing.TB
	library []byte // a module that is there as "library", if not nil
	api.Module
}

// start instantiates a module. A module that is metered can use budget.
func start(t testing.TB, module []byte, budget int64) *instance {
	t.Helper()
	in := &instance{t: t, host: host{budget: budget, quantum: 5000}}
	if err := in.instantiate(module, 0); err != nil {
		t.Fatal(err)
	}
	return in
}

// instantiate tries to start a module. Zero pages set no limit to its memory.
func (in *instance) instantiate(module []byte, pages uint32) error {
	ctx := context.Background()
	config := wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features)
	if pages > 0 {
		config = config.WithMemoryLimitPages(pages)
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	in.t.Cleanup(func() {
		if err := r.Close(ctx); err != nil {
			in.t.Error(err)
		}
	})
	for name, f := range map[string]any{
		ImportModule: func(_ context.Context, fuel int64) int64 { return in.refill(fuel) },
		"env":        func(_ context.Context, v int64) int64 { return v * 3 },
	} {
		b := r.NewHostModuleBuilder(name).NewFunctionBuilder().WithFunc(f)
		if _, err := b.Export(ImportRefill).Instantiate(ctx); err != nil {
			return err
		}
	}
	if in.library != nil {
		if _, err := r.InstantiateWithConfig(ctx, in.library, wazero.NewModuleConfig().WithName("library")); err != nil {
			return err
		}
	}
	mod, err := r.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions())
	in.Module = mod
	return err
}

// metered instruments a module and starts it.
func metered(t testing.TB, module []byte, opt Options, budget int64) *instance {
	t.Helper()
	return start(t, instrument(t, module, opt), budget)
}

func instrument(t testing.TB, module []byte, opt Options) []byte {
	t.Helper()
	out, err := Instrument(module, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// run calls the export "run".
func (in *instance) run(args ...uint64) ([]uint64, error) {
	return in.ExportedFunction("run").Call(context.Background(), args...)
}

// result runs and gives the one i32 result.
func (in *instance) result(args ...uint64) int32 {
	in.t.Helper()
	results, err := in.run(args...)
	if err != nil {
		in.t.Fatal(err)
	}
	return int32(results[0])
}

func (in *instance) used() int64 {
	return in.granted - int64(in.ExportedGlobal(ExportFuel).Get())
}

func (in *instance) set(global string, v uint64) {
	in.ExportedGlobal(global).(api.MutableGlobal).Set(v)
}

// trap gives the kind of a trap, without the stack trace.
func trap(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
