package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// crowd is many processes on one data directory: clients of the protocol, each with a server of its own, and a shell.
type crowd struct {
	t            *testing.T
	data, config string
	verdicts     string // a script of the judge, long enough for a server's life
	common       string // the id of a tool that everybody has
	over         chan struct{}

	mu       sync.Mutex
	children map[int]*exec.Cmd // by process id
	killed   map[int]bool
	done     int // things that were acknowledged
	made     []*made
	fleeting []string      // ids of tools whose sessions have ended
	calls    int           // of the common tool that have to be counted
	retried  int           // things that were refused for a while
	slowest  time.Duration // of the takeovers
}

// made is a tool whose forging was acknowledged, with what else was.
type made struct {
	id, name, persona, session string
	calls                      int // that have to be counted
	promoted                   bool
}

// crowdConfig lets clients forge as much as they like, and promotes nothing by itself.
const crowdConfig = `emergentConfig:
  allowSandboxTools: true
  allowDuplicates: true
  maxSessionTools: 1000
  maxAgentTools: 10000
  maxForgeAttemptsPerSession: 10000
  promotionThreshold: { uses: 1000000 }
`

const crowdVerdict = `{"safety":{"passed":true},"correctness":{"passed":true},"determinism":{"likely":true},"bounded":{"likely":true},"confidence":0.9,"approved":true,"reasoning":"It multiplies."}`

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	dir := t.TempDir()
	c := &crowd{
		t: t, data: filepath.Join(dir, "data"), config: filepath.Join(dir, "config.yaml"), verdicts: filepath.Join(dir, "verdicts.json"),
		over: make(chan struct{}), children: map[int]*exec.Cmd{}, killed: map[int]bool{},
	}
	script := `{"creation": [` + strings.Repeat(crowdVerdict+",", 2000) + crowdVerdict + `]}`
	if err := errors.Join(os.WriteFile(c.config, []byte(crowdConfig), 0o600), os.WriteFile(c.verdicts, []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	c.share()
	return c
}

// share puts the common tool on the shelf, for everybody.
func (c *crowd) share() {
	c.verb("forge", "../../examples/slugify.yaml", "--approve-as", "grace")
	c.verb("tool", "promote", "slugify", "--to", "agent", "--approved-by", "grace")
	c.verb("tool", "promote", "slugify", "--to", "shared", "--approved-by", "grace", "--approve-as", "linus")
	var all []tool.Record
	if err := json.Unmarshal(c.verb("tool", "list", "--all", "--output", "json"), &all); err != nil || len(all) != 1 {
		c.t.Fatalf("%d tools, %v", len(all), err)
	}
	c.common = all[0].ID
}

// command is one of the program, in the directory of the crowd.
func (c *crowd) command(args ...string) *exec.Cmd {
	return exec.CommandContext(c.t.Context(), "host", append(args, "--data", c.data, "--config", c.config)...)
}

// verb runs a verb, and returns what it prints; nil when it was killed.
func (c *crowd) verb(args ...string) []byte {
	child := c.command(args...)
	var out, errs bytes.Buffer
	child.Stdout, child.Stderr = &out, &errs
	if err := child.Start(); err != nil {
		c.t.Error(err)
		return nil
	}
	c.enter(child)
	err := child.Wait()
	if c.leave(child) {
		return nil
	}
	if err != nil {
		c.t.Errorf("host %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	c.acknowledge(nil)
	return out.Bytes()
}

// shell runs verbs until the crowd is over.
func (c *crowd) shell() {
	for !c.isOver() {
		c.verb("tool", "list")
		if c.verb("call", "slugify", "--input", `{"text":"A b"}`) != nil {
			c.acknowledge(func() { c.calls++ })
		}
		c.verb("audit", "tail", "-n", "3")
		c.verb("audit", "verify")
		c.verb("session", "list")
	}
}

func (c *crowd) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// acknowledge takes note of something that was.
func (c *crowd) acknowledge(note func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if note != nil {
		note()
	}
}

// enter makes a process one that may be killed.
func (c *crowd) enter(child *exec.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.children[child.Process.Pid] = child
}

// leave reports whether a process was killed.
func (c *crowd) leave(child *exec.Cmd) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid := child.Process.Pid
	was := c.killed[pid]
	delete(c.children, pid)
	delete(c.killed, pid)
	return was
}

func (c *crowd) wasKilled(child *exec.Cmd) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed[child.Process.Pid]
}

// kill kills a process, if it is one of the crowd.
func (c *crowd) kill(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	child := c.children[pid]
	if child == nil || c.killed[pid] {
		return false
	}
	c.killed[pid] = true
	_ = child.Process.Kill() // it may have ended
	return true
}

// holder is the id of the process that holds the store, or did so last.
func (c *crowd) holder() int {
	text, _ := os.ReadFile(filepath.Join(c.data, "store", "LOCK"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// forged counts the tools that were.
func (c *crowd) forged() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.made)
}

// killAny kills any of them, if there is one.
func (c *crowd) killAny() bool {
	c.mu.Lock()
	pids := slices.Collect(maps.Keys(c.children))
	c.mu.Unlock()
	return slices.ContainsFunc(pids, c.kill)
}

// killHolders kills whoever holds the store, again and again, each time after tools were forged, and others now and then.
func (c *crowd) killHolders(times int) {
	end := time.Now().Add(5 * time.Minute)
	for before := 0; times > 0 && !c.t.Failed(); {
		if time.Now().After(end) {
			c.t.Fatalf("nothing goes on any more, or too slowly: %d times nobody could be killed", times)
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) //nolint:gosec // G404: any moment will do
		if old := c.holder(); c.forged() >= before+2 && c.kill(old) {
			c.takeover(old)
			before = c.forged()
			if times--; times%3 == 0 {
				c.killAny()
			}
		}
	}
}

// takeover waits for another holder, and notes how long that took.
func (c *crowd) takeover(old int) {
	began := time.Now()
	for now := old; now == old || now == 0; now = c.holder() {
		if time.Since(began) > time.Minute {
			c.t.Fatal("nobody took over within a minute")
		}
		time.Sleep(time.Millisecond)
	}
	c.slowest = max(c.slowest, time.Since(began))
}

// TestCrowd kills the process that holds a data directory again and again, while ten clients forge, call and promote tools
// through servers of their own, and a shell uses it too. Whoever was not killed meets no error, and everything that was
// acknowledged is there.
func TestCrowd(t *testing.T) {
	t.Parallel()
	if goruntime.GOOS == "windows" {
		t.Skip("a data directory is for one process here")
	}
	clients, kills := 10, 20
	if testing.Short() {
		kills = 4
	}
	c := newCrowd(t)
	var all sync.WaitGroup
	for n := range clients {
		all.Go((&driver{crowd: c, n: n}).run)
	}
	all.Go(c.shell)
	defer all.Wait()
	defer func() {
		if !c.isOver() {
			close(c.over)
		}
	}()
	c.killHolders(kills)
	close(c.over)
	all.Wait()
	c.check(kills)
}

// check looks whether everything that was acknowledged is there.
func (c *crowd) check(kills int) {
	c.verb("audit", "verify")
	shelf, err := tiers.Open(c.t.Context(), c.data, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		c.t.Fatal(err)
	}
	defer shelf.Close()
	approved := c.approved(shelf)
	for _, m := range c.made {
		if err := c.checkMade(shelf, m); err != nil {
			c.t.Errorf("%+v: %v", *m, err)
		}
		if !approved[m.session+" "+m.name] {
			c.t.Errorf("%+v: the log has no approval of it", *m)
		}
	}
	for _, id := range c.fleeting {
		if _, err := shelf.Get(c.t.Context(), "local", id); !errors.Is(err, tool.NotFound) {
			c.t.Errorf("%s is there after its session has ended: %v", id, err)
		}
	}
	shared, err := shelf.Get(c.t.Context(), "local", c.common)
	if err != nil || shared.UsageStats.TotalUses < c.calls {
		c.t.Errorf("the common tool: %v; of its calls %d have to be counted: %+v", err, c.calls, shared)
	}
	c.t.Logf("%d things were acknowledged, %d tools that stay and %d that do not among them, and %d refused for a while; of %d takeovers the slowest took %v",
		c.done, len(c.made), len(c.fleeting), c.retried, kills, c.slowest)
}

func (c *crowd) checkMade(shelf *tiers.Shelf, m *made) error {
	r, err := shelf.Get(c.t.Context(), "local", m.id)
	if err != nil {
		return err
	}
	entries, err := shelf.Audit(c.t.Context(), "local", tiers.AuditQuery{ToolID: m.id})
	if err != nil {
		return err
	}
	there := map[tool.EventType]bool{}
	for _, e := range entries {
		there[e.EventType] = true
	}
	switch {
	case r.Name != m.name || r.CreatedBy != m.persona:
		return errors.New("it is another one: " + r.Name + " of " + r.CreatedBy)
	case r.UsageStats.SuccessCount < m.calls:
		return errors.New("its uses are " + strconv.Itoa(r.UsageStats.SuccessCount))
	case m.promoted && (r.Tier != tool.AgentTier || !there[tool.Promoted]):
		return errors.New("it is not promoted")
	case !there[tool.Registered]:
		return errors.New("the log has nothing of it")
	}
	_, err = shelf.Implementation(c.t.Context(), "local", m.id)
	return err
}

// approved reads the sessions and names that were approved from the log.
func (c *crowd) approved(shelf *tiers.Shelf) map[string]bool {
	found := map[string]bool{}
	for after := uint64(0); ; {
		page, err := shelf.Audit(c.t.Context(), "local", tiers.AuditQuery{After: after, Limit: 1000})
		if err != nil {
			c.t.Fatal(err)
		}
		if len(page) == 0 {
			return found
		}
		for _, e := range page {
			after = e.Sequence
			var data struct{ Name string }
			if e.EventType == tool.ForgeApproved && json.Unmarshal(e.Data, &data) == nil {
				found[e.SessionID+" "+data.Name] = true
			}
		}
	}
}
