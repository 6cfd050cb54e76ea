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
	return exec.CommandContext(ctx, filepath.Join(dir, "peer")), nil
}

// quickjsSource finds the source of QuickJS-ng.
func quickjsSource() (string, error) {
	source := os.Getenv(SourceVariable)
	if source == "" {
		return "", fmt.Errorf("set %s to the unpacked source of QuickJS-ng that the engine is built from", SourceVariable)
	}
	if _, err := os.Stat(filepath.Join(source, "quickjs.c")); err != nil {
		return "", fmt.Errorf("%s: there is no quickjs.c in %s", SourceVariable, source)
	}
	return filepath.Abs(source)
}

// compile builds the peer within dir.
func compile(ctx context.Context, dir, source string) error {
	if _, err := exec.LookPath("gcc"); err != nil {
		return errors.New("gcc is not installed")
	}
	cmd := exec.CommandContext(ctx, "sh", "build.sh", source, "peer")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build.sh: %w: %s", err, lastLine(string(out)))
	}
	return nil
}
