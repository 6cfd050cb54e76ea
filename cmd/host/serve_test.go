package main

import (
	"bufio"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// served FLAGS... runs host serve on a port of its own until the script ends, and puts its address into $SERVER. served stop ends
// it before, as an interrupt does, and served kill as nothing else does; what it wrote to standard error is then in $WORK/served.
// served hangup does what a terminal does that closes.
func served(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: served FLAGS... | stop | kill | hangup")
	}
	if len(args) == 1 && (args[0] == "stop" || args[0] == "kill" || args[0] == "hangup") {
		running, ok := servedHosts.Load(ts.Getenv("WORK"))
		p, _ := running.(*servedHost)
		if !ok {
			ts.Fatalf("nothing is served")
		}
		if args[0] == "hangup" {
			ts.Check(p.cmd.Process.Signal(syscall.SIGHUP))
			return
		}
		signal := syscall.SIGTERM
		if args[0] == "kill" {
			signal = syscall.SIGKILL
		}
		err := p.end(signal)
		if args[0] == "stop" {
			ts.Check(err)
		}
		return
	}
	cmd := exec.Command(lookPath(ts, "host"), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...) //nolint:noctx // the program under test, which the script ends
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = environment(ts)
	errors, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	p := &servedHost{cmd: cmd, done: make(chan error, 1)}
	servedHosts.Store(ts.Getenv("WORK"), p)
	lines := bufio.NewReader(errors)
	first, _ := lines.ReadString('\n')
	log, err := os.Create(ts.MkAbs("served"))
	ts.Check(err)
	go func() {
		_, _ = io.WriteString(log, first)
		_, _ = io.Copy(log, lines)
		_ = log.Close()
		p.done <- cmd.Wait()
	}()
	ts.Defer(func() { _ = p.end(syscall.SIGKILL) })
	_, address, ok := strings.Cut(strings.TrimSpace(first), "serving ")
	if !ok {
		_ = p.end(syscall.SIGKILL)
		ts.Fatalf("host serve says %q", first)
	}
	ts.Setenv("SERVER", address)
}

// secured FILE serves what everybody is told of a host over TLS, until the script ends. Its certificate is its own authority, and goes to
// a file.
func secured(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: secured FILE")
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"version":"v9"}`) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	ts.Defer(server.Close)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
	ts.Setenv("SERVER", server.URL)
}

// get URL FILE writes what an address answers to a file. It fails unless the status is 200.
func get(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: get URL FILE")
	}
	answer, err := http.Get(args[0]) //nolint:noctx // the test's own limit ends it
	ts.Check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text, 0o600))
	if answer.StatusCode != http.StatusOK {
		ts.Fatalf("status %d: %s", answer.StatusCode, text)
	}
}

// servedHosts are those that run, by the folder of the script.
var servedHosts sync.Map

// servedHost is a host serve that runs.
type servedHost struct {
	cmd   *exec.Cmd
	done  chan error
	ended bool
}

// end ends it with a signal, and waits.
func (p *servedHost) end(signal os.Signal) error {
	if p.ended {
		return nil
	}
	p.ended = true
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	return <-p.done
}

// environment is that of the commands of a script.
func environment(ts *testscript.TestScript) (list []string) {
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TOOLSMITH_DATA", "OPENAI_API_KEY", "OPENAI_BASE_URL"} {
		if value := ts.Getenv(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// lookPath finds a program on the path of a script.
func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	ts.Fatalf("there is no %s", name)
	return ""
}

// token FILE puts the key in a file into the variable that --server takes it from.
func token(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: token FILE")
	}
	ts.Setenv("TOOLSMITH_TOKEN", strings.TrimSpace(ts.ReadFile(args[0])))
}
