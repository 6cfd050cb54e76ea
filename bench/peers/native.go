package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// SourceVariable is the environment variable that says where the unpacked source of QuickJS-ng lies.
const SourceVariable = "QUICKJS_SRC"

// native returns what starts native QuickJS-ng, which is compiled into the cache the first time.
func native(ctx context.Context, cache string) (*exec.Cmd, error) {
	source, err := quickjsSource()
	if err != nil {
		return nil, err
	}
	dir, err := prepare("native", cache, source, func(dir string) error { return compile(ctx, dir, source) })
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, filepath.Join(dir, "peer")), nil //nolint:gosec // built above
}

// quickjsSource finds the source of QuickJS-ng: the folder that the environment names, or the archive that the build of
// the engine's WebAssembly has verified and left in the user's cache.
func quickjsSource() (string, error) {
	source := os.Getenv(SourceVariable)
	if source == "" {
		return cachedArchive()
	}
	if _, err := os.Stat(filepath.Join(source, "quickjs.c")); err != nil { //nolint:gosec // the folder is the user's to name
		return "", fmt.Errorf("%s: there is no quickjs.c in %s", SourceVariable, source)
	}
	return filepath.Abs(source)
}

func cachedArchive() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(cache, "toolsmith", "quickjs-ng_*.orig.tar.gz"))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("there is no source: run `go run ./wasmjs/guest -check` in the project's root, which fetches it, or set %s to its folder", SourceVariable)
	}
	return found[len(found)-1], nil
}

// compile builds the peer within dir.
func compile(ctx context.Context, dir, source string) error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return errors.New("gcc is not installed")
	}
	cmd := exec.CommandContext(ctx, "sh", "build.sh", source, "peer") //nolint:gosec // our own script
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build.sh: %w: %s", err, lastLine(string(out)))
	}
	return nil
}
