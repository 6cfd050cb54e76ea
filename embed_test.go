package toolsmith_test

import (
	"os/exec"
	"strings"
	"testing"
)

// The example of embedding runs, and runs again over what it left.
func TestEmbed(t *testing.T) {
	t.Parallel()
	const most = 60
	if n := strings.Count(read(t, "examples/embed/main.go"), "\n"); n >= most {
		t.Errorf("the example has %d lines, and is to have fewer than %d", n, most)
	}
	if testing.Short() {
		t.Skip("it is built without a race detector")
	}
	if out, err := exec.CommandContext(t.Context(), "go", "run", "./examples/embed").CombinedOutput(); err == nil || !strings.Contains(string(out), "usage: go run ./examples/embed DIR") {
		t.Errorf("without a directory it printed %s, %v", out, err)
	}
	dir := t.TempDir()
	for range 2 {
		out, err := exec.CommandContext(t.Context(), "go", "run", "./examples/embed", dir).CombinedOutput()
		if err != nil || string(out) != "{\"cents\":350}\n" {
			t.Fatalf("it printed %s, %v", out, err)
		}
	}
}
