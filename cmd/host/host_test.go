package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/tiers"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"host": main, "toolsmith": main})
}

// The scripts see the examples of the repository in $EXAMPLES, keep data and configuration in folders of their own, and use the
// user's compilation cache.
func TestScripts(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Files: scripts(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", dir)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "examples": examples, "serve": serve, "served": served, "secured": secured, "get": get, "token": token, "expand": expand, "hold": hold, "restoring": restoring,
			"shelve": shelve, "used": used, "tamper": tamper, "adapt": adapt, "tomorrow": tomorrow, "lastrun": lastrun, "await": await,
			"model": func(ts *testscript.TestScript, neg bool, args []string) { modeltest.Command(ts, neg, args) },
		},
	})
}

// scripts are all of them, and the few of shortScripts with -short: under the race detector each process takes seconds.
func scripts(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		return shortScripts
	}
	all, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	return all
}

// shortScripts go through every room.
var shortScripts = []string{
	"testdata/script/ok.txtar", "testdata/script/cases.txtar", "testdata/script/fetch_private.txtar", "testdata/script/forge.txtar",
	"testdata/script/forge_model.txtar", "testdata/script/call.txtar", "testdata/script/tool_promote.txtar", "testdata/script/package_signed.txtar",
	"testdata/script/backup.txtar", "testdata/script/day.txtar", "testdata/script/workflow.txtar", "testdata/script/skills.txtar",
	"testdata/script/agency_openai.txtar",
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

// serve starts a server on the loopback address and puts its port into $PORT. /inside redirects to a page of its own,
// /outside to another host.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: serve")
	}
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	pages := http.NewServeMux()
	pages.Handle("GET /", say("got"))
	pages.Handle("POST /", say("posted"))
	pages.Handle("GET /inside", http.RedirectHandler("/page", http.StatusFound))
	pages.Handle("GET /outside", http.RedirectHandler("http://169.254.169.254/latest", http.StatusFound))
	server := httptest.NewServer(pages)
	ts.Defer(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	ts.Check(err)
	ts.Setenv("PORT", port)
}

// expand FILE... puts values in place of $NAMES of the environment in files.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand FILE...")
	}
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// restoring DIR restores a backup into a data directory until the script ends, so that nobody else can use it.
func restoring(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: restoring DIR")
	}
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- tiers.RestoreDir(context.Background(), ts.MkAbs(args[0]), tiers.StoreOptions{}, from)
		_ = from.Close()
	}()
	_, err := io.WriteString(to, "tool") // it is read once the store is open
	ts.Check(err)
	ts.Defer(func() {
		_ = to.Close()
		ts.Logf("the backup was cut off: %v", <-done)
	})
}

// hold DIR holds the store of a data directory until the script ends, as another host would.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold DIR")
	}
	shelf, err := tiers.Open(context.Background(), ts.MkAbs(args[0]), tiers.StoreOptions{}, tiers.Options{})
	ts.Check(err)
	ts.Defer(func() { ts.Check(shelf.Close()) })
}

// examples VERB... runs every example of a verb's help; each must succeed and print something.
func examples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: examples VERB...")
	}
	ts.Check(ts.Exec("host", append(args, "--help")...))
	_, after, ok := strings.Cut(ts.ReadFile("stdout"), "\nExamples:\n")
	if !ok {
		ts.Fatalf("%s has no examples", strings.Join(args, " "))
	}
	lines, _, _ := strings.Cut(after, "\n\n")
	for line := range strings.Lines(lines) {
		ts.Check(ts.Exec("sh", "-c", line))
		if ts.ReadFile("stdout") == "" {
			ts.Fatalf("%q prints nothing", line)
		}
	}
}
