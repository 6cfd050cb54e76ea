package report

import (
	"context"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"time"
)

// Machine is where, when and with what the figures were taken.
type Machine struct {
	CPU    string `json:"cpu"` // the model; the architecture where the model is not known
	Cores  int    `json:"cores"`
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	Go     string `json:"go"`
	Load   string `json:"load,omitempty"` // load average over one minute when the run began
	Date   string `json:"date"`           // RFC 3339, UTC
	Commit string `json:"commit,omitempty"`
}

// ThisMachine describes the machine and the source tree in the working directory.
func ThisMachine(ctx context.Context) Machine {
	return Machine{
		CPU: cpu(), Cores: goruntime.NumCPU(), GOOS: goruntime.GOOS, GOARCH: goruntime.GOARCH, Go: goruntime.Version(),
		Load: loadAverage(), Date: time.Now().UTC().Format(time.RFC3339), Commit: commit(ctx),
	}
}

func cpu() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return goruntime.GOARCH
}

func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

// commit names the commit that is checked out, with "+changes" when the tree differs from it.
func commit(ctx context.Context) string {
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(head))
	if changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changes) > 0 {
		name += "+changes"
	}
	return name
}
