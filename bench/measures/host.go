package measures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/toolsmith/bench/programs"
)

// host is the host command, built for this run.
type host struct {
	path  string
	tool  string // file of the small tool
	cache string // folder of compiled code
}

// buildHost builds the host command into the folder.
func buildHost(ctx context.Context, dir string) (*host, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "example.com/toolsmith").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the project's root: %w", err)
	}
	h := &host{path: filepath.Join(dir, "host"), tool: filepath.Join(dir, "slug.js"), cache: filepath.Join(dir, "cache")}
	build := exec.CommandContext(ctx, "go", "build", "-o", h.path, "./cmd/host") //nolint:gosec // the project's own command
	build.Dir = strings.TrimSpace(string(root))
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/host: %w: %s", err, bytes.TrimSpace(out))
	}
	return h, os.WriteFile(h.tool, []byte(programs.Slug.Source), 0o600)
}

// run runs the small tool once, in a process of its own, and returns the nanoseconds that took from start to end.
func (h *host) run(ctx context.Context) (float64, error) {
	cmd := exec.CommandContext(ctx, h.path, "run", h.tool, "--input", programs.Slug.Input) //nolint:gosec // the program built above
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+h.cache)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	begin := time.Now()
	out, err := cmd.Output()
	took := float64(time.Since(begin).Nanoseconds())
	if err != nil {
		return 0, fmt.Errorf("host run: %w: %s", err, complaint.Bytes())
	}
	var compact bytes.Buffer
	if json.Compact(&compact, out) != nil || compact.String() != programs.Slug.Want {
		return 0, errors.New("host run printed " + string(out) + ", want " + programs.Slug.Want)
	}
	return took, nil
}
