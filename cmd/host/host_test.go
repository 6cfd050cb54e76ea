package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"host": main, "toolsmith": main})
}

// The scripts see the examples of the repository in $EXAMPLES, and share one compilation cache.
func TestScripts(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if err := os.Chmod(cache, 0o700); err != nil { //nolint:gosec // a folder needs its x bit
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// Every example of every verb's help works from the top of the repository.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the examples are for a shell")
	}
	cache := "XDG_CACHE_HOME=" + t.TempDir()
	for _, verb := range []string{"run", "cases", "doctor", "version"} {
		help := output(t, cache, "host", verb, "--help")
		_, after, ok := strings.Cut(help, "\nExamples:\n")
		if !ok {
			t.Fatalf("%s has no examples", verb)
		}
		examples, _, _ := strings.Cut(after, "\n\n")
		for line := range strings.Lines(examples) {
			if output(t, cache, "sh", "-c", line) == "" {
				t.Errorf("%q prints nothing", line)
			}
		}
	}
}

// output runs a program at the top of the repository and returns what it prints.
func output(t *testing.T, env, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), env)
	text, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %q: %v", program, args, err)
	}
	return string(text)
}

// exits STATUS PROGRAM ARGS... runs a program and compares its exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS...")
	}
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		status = exit.ExitCode()
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}
