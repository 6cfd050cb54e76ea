package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// check is one thing that the doctor looked at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// broken is a check that failed.
func broken(name string, err error, hint string) check { return check{name, false, plain(err), hint} }

func (f *face) doctorCommand(place *dataFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that a host works on this machine",
		Long: "Checks the engine, whether it runs as machine code or is interpreted, the compilation cache, the memory reservation\n" +
			"and a trivial run; then the configuration, the data and who judges. It changes nothing, and asks no model. The exit status\n" +
			"is 1 when something is broken.",
		Example: f.examples("host doctor", "host doctor --output json"),
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks := append(diagnose(cmd.Context()), f.checkHost(cmd.Context(), *place)...)
			ok := true
			for _, c := range checks {
				ok = ok && c.OK
			}
			if f.format == asJSON {
				f.printJSON(struct {
					OK     bool    `json:"ok"`
					Checks []check `json:"checks"`
				}{ok, checks})
			} else {
				f.printChecks(checks)
			}
			if !ok {
				return done(1)
			}
			return nil
		},
	}
}

func (f *face) printChecks(checks []check) {
	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	for _, c := range checks {
		state := "ok"
		if !c.OK {
			state = "BROKEN"
		}
		f.printf("%-6s  %-*s  %s\n", state, width, c.Name, escape(c.Detail))
		if c.Hint != "" {
			f.printf("%-6s  %-*s  hint: %s\n", "", width, "", escape(c.Hint))
		}
	}
}

// diagnose makes all the checks that can be made.
func diagnose(ctx context.Context) []check {
	checks := []check{checkProgram(), checkAsset()}
	box, cache, err := openWatched(ctx)
	checks = append(checks, cache)
	if err != nil {
		return append(checks, broken("engine", err, "a limit of address space (ulimit -v) may be in the way"))
	}
	defer box.Close() //nolint:contextcheck,nolintlint // it ends with the runs, not the context; seen only when wasmjs is looked at too
	return append(checks, checkEngine(box), checkMemory(ctx, box), checkRun(ctx, box))
}

func checkProgram() check {
	v := readVersion()
	return check{Name: "program", OK: true, Detail: fmt.Sprintf("%s, commit %s, %s, %s/%s, wazero %s",
		v.Version, v.Commit, v.Go, goruntime.GOOS, goruntime.GOARCH, dependency("github.com/tetratelabs/wazero"))}
}

// dependency is the version of a module that the program was built with.
func dependency(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == path {
				return d.Version
			}
		}
	}
	return "unknown"
}

// checkAsset compares the embedded engine with its recorded identity.
func checkAsset() check {
	sum := sha256.Sum256(assets.QuickJS)
	if got, want := hex.EncodeToString(sum[:]), assets.QuickJSSHA256(); got != want {
		return broken("asset", fmt.Errorf("the embedded engine's sha256 is %s, not %s", got, want), "build the program again")
	}
	return check{Name: "asset", OK: true, Detail: "QuickJS-ng, sha256 " + assets.QuickJSSHA256()}
}

// openWatched opens a sandbox with the compilation cache, or without one where that is what is broken.
func openWatched(ctx context.Context) (*runtime.Sandbox, check, error) {
	dir, err := cacheDir()
	start := time.Now()
	if err == nil {
		var box *runtime.Sandbox
		if box, err = runtime.OpenSandbox(ctx, runtime.Options{Engine: wasmjs.Options{CacheDir: dir, Instances: 1}}); err == nil {
			opened := fmt.Sprintf("; the engine opened in %d ms", time.Since(start).Milliseconds())
			return box, checkCache(dir, opened), nil
		}
	}
	box, failed := runtime.OpenSandbox(ctx, runtime.Options{Engine: wasmjs.Options{Instances: 1}})
	if dir != "" && failed != nil { // then it is not the cache that is in the way
		return nil, checkCache(dir, ""), failed
	}
	return box, broken("cache", err, cacheHint(dir, err)), failed
}

func checkEngine(box *runtime.Sandbox) check {
	detail := "compiler: tools run as machine code"
	if !box.Compiled() {
		detail = "interpreter: there is no compiler for this machine, so tools run 10 to 50 times slower"
	}
	return check{Name: "engine", OK: true, Detail: detail}
}

// checkMemory lets a tool have a large buffer under the largest memory limit.
func checkMemory(ctx context.Context, box *runtime.Sandbox) check {
	const code = "function execute() { return new Uint8Array(33554432).fill(1).length }"
	return try(ctx, box, "memory", code, "33554432", "an instance reserved its address space, and a tool used 32 MiB of it")
}

func checkRun(ctx context.Context, box *runtime.Sandbox) check {
	return try(ctx, box, "run", "function execute() { return 6 * 7 }", "42", "a tool ran from source to result")
}

// try runs code and compares its result.
func try(ctx context.Context, box *runtime.Sandbox, name, code, want, fine string) check {
	limits := tool.Limits{MemoryBytes: tool.MaxLimits.MemoryBytes, Timeout: tool.MaxLimits.Timeout}
	start := time.Now()
	result, err := box.Run(ctx, runtime.Request{Code: code, Input: []byte("{}"), Limits: limits})
	switch got := strings.TrimSpace(string(result.Output)); {
	case err != nil:
		return broken(name, err, "")
	case got != want:
		return broken(name, fmt.Errorf("a tool returned %s, not %s", got, want), "")
	}
	return check{Name: name, OK: true, Detail: fmt.Sprintf("%s in %.1f ms", fine, milliseconds(time.Since(start)))}
}
