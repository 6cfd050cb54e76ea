package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// node returns what starts the named sandbox under Node, with further flags of node. The packages are installed into
// the cache the first time, from the lock file; isolated-vm is compiled then, which takes a minute.
func node(name string, flags ...string) func(context.Context, string) (*exec.Cmd, error) {
	return func(ctx context.Context, cache string) (*exec.Cmd, error) {
		path, err := exec.LookPath("node")
		if err != nil {
			return nil, errors.New("node is not installed")
		}
		dir, err := prepare("node", cache, "", func(dir string) error { return npmInstall(ctx, dir) })
		if err != nil {
			return nil, err
		}
		if err := installed(dir, name); err != nil {
			return nil, err
		}
		args := append(flags, "--expose-gc", filepath.Join(dir, "server.js"), name)
		return exec.CommandContext(ctx, path, args...), nil //nolint:gosec // node, with our own script
	}
}

// npmInstall installs what the lock file in dir pins.
func npmInstall(ctx context.Context, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not installed")
	}
	cmd := exec.CommandContext(ctx, npm, "ci", "--no-audit", "--no-fund") //nolint:gosec // npm, in a folder of our own
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, lastLine(string(out)))
	}
	return nil
}

// installed reports a package that npm left out because it could not be compiled here.
func installed(dir, name string) error {
	if name == "node:vm" {
		return nil // part of node
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", name)); err != nil {
		return fmt.Errorf("npm did not install %s; it needs python3, make and a C++ compiler (remove %s to try again)", name, dir)
	}
	return nil
}
