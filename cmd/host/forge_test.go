package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestForgingExamples forges every request in examples/requests, and compares what is said with testdata/forge. A request has
// a judge of its own when a script lies beside the golden file; all others meet one who approves.
func TestForgingExamples(t *testing.T) {
	t.Parallel()
	const requests = "../../examples/requests"
	var files []string
	for _, pattern := range []string{"*.*", "bad/*.*"} {
		found, err := filepath.Glob(filepath.Join(requests, pattern))
		if err != nil || len(found) < 12 {
			t.Fatalf("%d requests in %s: %v", len(found), pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		name, err := filepath.Rel(requests, file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join("testdata", "forge", strings.TrimSuffix(name, filepath.Ext(name)))
			script := golden + ".verdicts.json"
			if _, err := os.Stat(script); err != nil {
				script = "../../examples/verdicts.json"
			}
			compare(t, golden+".golden", forged(t, file, script))
		})
	}
}

// forged is what forging says on both streams, and the exit status.
func forged(t *testing.T, file, script string) string {
	t.Helper()
	host := exec.CommandContext(t.Context(), "host", "forge", file, "--judge", "script:"+script, "--data", ":memory:", "--config", "testdata/forge/config.yaml")
	var out, errs bytes.Buffer
	host.Stdout, host.Stderr = &out, &errs
	if err := host.Run(); host.ProcessState == nil {
		t.Fatal(err)
	}
	return measured(out.String()) + "-- standard error --\n" + measured(errs.String()) + fmt.Sprintf("-- exit status %d --\n", host.ProcessState.ExitCode())
}

// measured puts an ellipsis in place of what is another in each run.
func measured(text string) string {
	for _, pattern := range []string{`()\d+\.\d+( ms)`, `(fuel )\d+()`, `(emergent:)[0-9a-f-]{36}()`, `(got \{"roll":)\d+()`} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, "$1…$2")
	}
	return text
}

func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil { //nolint:gosec // G301: as all folders of the repository
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s; -update rewrites it (-want +got):\n%s", golden, diff)
	}
}
