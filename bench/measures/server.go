package measures

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/toolsmith/bench/load"
	"example.com/toolsmith/bench/programs"
)

// server is a host that is served over HTTP, with keys of its tenants.
type server struct {
	address string // host:port
	keys    []string
	dir     string    // of one that was started here
	cmd     *exec.Cmd // nil for one that was there
}

// Variables of the environment that name a server that is there, and the keys of its tenants, with commas between them.
const (
	ServerVariable = "TOOLSMITH_BENCH_SERVER"
	KeysVariable   = "TOOLSMITH_BENCH_KEYS"
)

// tenants are those of a server that is started here.
var tenants = []string{"acme", "bolt", "cord"}

// wide is a configuration whose caps a benchmark does not meet.
const wide = `emergent: true
emergentConfig:
  allowSandboxTools: true
  allowDuplicates: true
  maxSessionTools: 1000
  maxForgeAttemptsPerSession: 10000
  maxCallsPerMinute: 1000000
  maxFailuresInARow: 1000
quotas:
  tenant: {concurrentCalls: 10000, callsPerMinute: 10000000, fuelPerMinute: 1000000G, memoryMB: 1048576}
  persona: {concurrentCalls: 10000, callsPerMinute: 10000000, fuelPerMinute: 1000000G, memoryMB: 1048576}
`

// approval is what the judge of a server says to whatever it is shown.
var approval = map[string]any{
	"approved": true, "confidence": 0.9, "reasoning": "nothing speaks against it",
	"safety": passes, "correctness": passes, "determinism": likely, "bounded": likely,
}

var passes, likely = map[string]bool{"passed": true}, map[string]bool{"likely": true}

// openServer takes the server that the environment names, or starts one of this tree on data of its own. The caller closes it.
func openServer(ctx context.Context) (s *server, err error) {
	if base := os.Getenv(ServerVariable); base != "" {
		return namedServer(base, os.Getenv(KeysVariable))
	}
	s = &server{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.dir, err = os.MkdirTemp("", "toolsmith-bench-"); err != nil {
		return s, err
	}
	h, err := buildHost(ctx, s.dir)
	if err != nil {
		return s, err
	}
	if err := s.furnish(ctx, h); err != nil {
		return s, err
	}
	return s, s.start(ctx, h)
}

func namedServer(base, keys string) (*server, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" || u.Host == "" || keys == "" {
		return nil, fmt.Errorf("%s has to be http://HOST:PORT, and %s keys that may call and forge", ServerVariable, KeysVariable)
	}
	return &server{address: u.Host, keys: strings.Split(keys, ",")}, nil
}

// furnish makes the tenants and what the server reads.
func (s *server) furnish(ctx context.Context, h *host) error {
	approvals, err := json.Marshal(map[string]any{"creation": slices.Repeat([]any{approval}, 64)})
	if err == nil {
		err = errors.Join(os.WriteFile(s.file("config.yaml"), []byte(wide), 0o600), os.WriteFile(s.file("judge.json"), approvals, 0o600)) //nolint:gosec // in a folder of our own
	}
	for _, tenant := range tenants {
		if err != nil {
			return err
		}
		var key []byte
		key, err = s.command(ctx, h, "tenant", "create", tenant, "--scopes", "call,forge").Output()
		s.keys = append(s.keys, strings.TrimSpace(string(key)))
	}
	return err
}

func (s *server) file(name string) string { return filepath.Join(s.dir, name) }

// command is the host command on the data of the server.
func (s *server) command(ctx context.Context, h *host, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.path, append(args, "--config", s.file("config.yaml"), "--data", s.file("data"))...) //nolint:gosec // the program built above
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+h.cache)
	return cmd
}

// start starts the server and waits until it says where it serves.
func (s *server) start(ctx context.Context, h *host) error {
	cmd := s.command(ctx, h, "serve", "--listen", "127.0.0.1:0", "--judge", "script:"+s.file("judge.json"))
	yield(cmd)
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "serving http://"); ok {
			s.address = address
			go func() {
				for lines.Scan() { // so that it never waits for a reader
				}
			}()
			return nil
		}
	}
	return fmt.Errorf("host serve ended before it served: %w", cmd.Wait())
}

// yield makes a command run at a lower priority than this process, where the system has the program for it: a generator that waits for
// the server it loads sends its requests too late, and measures itself.
func yield(cmd *exec.Cmd) {
	if nice, err := exec.LookPath("nice"); err == nil {
		cmd.Args = append([]string{nice, "-n", "5", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = nice
	}
}

// tick is the unit of the times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// cpu is the processor time that the server has used until now; 0 where it is not known.
func (s *server) cpu() time.Duration {
	if s.cmd == nil {
		return 0
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid)) // there is none elsewhere than on Linux
	_, after, _ := strings.Cut(string(text), ") ")
	var user, system int
	if fields := strings.Fields(after); len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
	}
	return time.Duration(user+system) * tick
}

// close ends the server, if it was started here, and deletes its data.
func (s *server) close() error {
	if s.dir == "" {
		return nil
	}
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
		defer timer.Stop()
		_ = s.cmd.Wait() // it has nothing to lose
	}
	return os.RemoveAll(s.dir)
}

// forge makes code that passes the tests of the small tool a tool of every tenant that has none of the name.
func (s *server) forge(ctx context.Context, name, code string) error {
	tested := programs.Slug
	tested.Source = code
	text, err := request(name, tested)
	if err != nil {
		return err
	}
	for _, key := range s.keys {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/v1/forge", strings.NewReader(string(text)))
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		said, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusConflict {
			return fmt.Errorf("forging %s: %s, %w: %s", name, answer.Status, err, said)
		}
	}
	return nil
}

// calls are those of a tool by all tenants in turn.
func (s *server) calls(name string, p programs.Program) load.Target {
	to := load.Target{Address: s.address, Want: []byte(p.Want)}
	for _, key := range s.keys {
		to.Requests = append(to.Requests, s.call(name, key, p.Input))
	}
	return to
}

func (s *server) call(name, key, input string) []byte {
	return load.Post(s.address, "/v1/tools/"+name+"/call", key, []byte(input))
}
