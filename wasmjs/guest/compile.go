package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The compiler's flags. EMSCRIPTEN makes the interpreter dispatch through a switch, which wasm compiles better than
// computed gotos.
var compileFlags = []string{
	"--target=wasm32-wasi", "-O3", "-fno-unroll-loops", "-DNDEBUG", "-D_GNU_SOURCE", "-DEMSCRIPTEN",
	"-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_SIGNAL",
	"-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint", "-mmutable-globals",
	"-fno-strict-aliasing", "-funsigned-char", "-fwrapv", "-w", "-Isrc",
}

// The linker puts the C stack at the bottom of memory, so that running off its end traps. It is called directly: the
// compiler's driver would run wasm-opt where that happens to be installed, and the bytes would depend on it.
var linkFlags = []string{
	"-m", "wasm32", "-L/usr/lib/wasm32-wasi", "/usr/lib/wasm32-wasi/crt1-reactor.o",
	"shim.o", "libregexp.o", "libunicode.o", "dtoa.o", "stubs.o", "-lc", "BUILTINS",
	"--entry", "_initialize", "--stack-first", "-z", "stack-size=524288",
	"--export=__stack_pointer", "--gc-sections", "--strip-all", "-o", "quickjs.wasm",
}

// compile builds the unmetered module in work, where the engine's source lies in src.
func compile(recipe, work string) ([]byte, error) {
	recipe, err := filepath.Abs(recipe)
	if err != nil {
		return nil, err
	}
	units := map[string]string{
		"shim.o": filepath.Join(recipe, "shim.c"), "stubs.o": filepath.Join(recipe, "stubs.c"),
		"libregexp.o": "src/libregexp.c", "libunicode.o": "src/libunicode.c", "dtoa.o": "src/dtoa.c",
	}
	for object, unit := range units {
		if err := command(work, "clang-19", append(append([]string{}, compileFlags...), "-c", unit, "-o", object)...); err != nil {
			return nil, err
		}
	}
	resources, err := exec.Command("clang-19", "--target=wasm32-wasi", "-print-resource-dir").Output() //nolint:noctx // a short question
	if err != nil {
		return nil, fmt.Errorf("asking clang-19 for its resources: %w", err)
	}
	builtins := filepath.Join(strings.TrimSpace(string(resources)), "lib/wasi/libclang_rt.builtins-wasm32.a")
	link := make([]string, len(linkFlags))
	for i, flag := range linkFlags {
		link[i] = strings.Replace(flag, "BUILTINS", builtins, 1)
	}
	if err := command(work, "wasm-ld-19", link...); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(work, "quickjs.wasm"))
}

// command runs a program in a folder and shows what it says only when it fails.
func command(folder, name string, args ...string) error {
	cmd := exec.Command(name, args...) //nolint:noctx // a build step
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
