package tiers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// takeoverDir makes the test binary one of the processes that share a directory and are killed.
const takeoverDir = "TIERS_TEST_TAKEOVER_DIR"

// logUntilKilled adds entries from several goroutines, and prints a line for each that was acknowledged.
func logUntilKilled(ctx context.Context, dir, child string) error {
	s, err := tiers.Open(ctx, dir, tiers.StoreOptions{}, tiers.Options{Rules: tiers.Rules{MaxForgeAttempts: 1 << 30}})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for i := range 2 {
		go func() {
			by := as("p"+child, fmt.Sprintf("%s-%d", child, i)) // a persona has so many attempts a day
			for n := 1; ; n++ {
				counted, err := s.Attempt(ctx, by, map[string]int{"n": n})
				if err == nil && counted != n {
					err = fmt.Errorf("attempt %d of %s was counted as %d", n, by.Session, counted)
				}
				if err != nil {
					failed <- err
					return
				}
				fmt.Println("logged", by.Session, n)
			}
		}()
	}
	return <-failed
}

// crowd is some processes that share a directory.
type crowd struct {
	t   *testing.T
	dir string
	all sync.WaitGroup

	mu       sync.Mutex
	children map[int]*exec.Cmd // by process id
	started  int
	logged   map[string]int // the last attempt that was acknowledged, by session
	failed   []string
	slowest  time.Duration // of the takeovers
}

func (c *crowd) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started++
	child := exec.CommandContext(c.t.Context(), os.Args[0], "-test.run=^$") //nolint:gosec // G702: the test binary itself
	child.Env = append(os.Environ(), takeoverDir+"="+c.dir, fmt.Sprintf("%s=%d", killRound, c.started))
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		c.t.Error(err)
		return
	}
	c.children[child.Process.Pid] = child
	c.all.Go(func() {
		for scan := bufio.NewScanner(out); scan.Scan(); {
			c.note(scan.Text())
		}
		_ = child.Wait() // killed
	})
}

func (c *crowd) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	words := strings.Fields(line)
	if len(words) != 3 || words[0] != "logged" {
		c.failed = append(c.failed, line)
		return
	}
	c.logged[words[1]], _ = strconv.Atoi(words[2])
}

// holder is the id of the process that holds the store, or did so last.
func (c *crowd) holder() int {
	text, _ := os.ReadFile(filepath.Join(c.dir, "store", "LOCK"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// killHolder kills the process that holds the store, and reports whether there was one.
func (c *crowd) killHolder() bool {
	pid := c.holder()
	c.mu.Lock()
	defer c.mu.Unlock()
	child := c.children[pid]
	if child == nil {
		return false
	}
	delete(c.children, pid)
	_ = child.Process.Kill()
	return true
}

// takeover waits for another holder, and notes how long that took.
func (c *crowd) takeover(old int) {
	began := time.Now()
	for now := old; now == old || now == 0; now = c.holder() {
		if time.Since(began) > time.Minute {
			c.t.Error("nobody took over within a minute")
			return
		}
		time.Sleep(time.Millisecond)
	}
	c.slowest = max(c.slowest, time.Since(began))
}

// killGuest kills any of them.
func (c *crowd) killGuest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for pid, child := range c.children {
		delete(c.children, pid)
		_ = child.Process.Kill()
		return
	}
}

func (c *crowd) killAll() {
	c.mu.Lock()
	for _, child := range c.children {
		_ = child.Process.Kill()
	}
	c.mu.Unlock()
	c.all.Wait()
}

// count is how much was acknowledged.
func (c *crowd) count() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, last := range c.logged {
		n += last
	}
	return n
}

// TestTakeover kills the process that holds the store again and again, while others use it. They meet no error, everything
// that was acknowledged is there once, and the chain is whole.
func TestTakeover(t *testing.T) {
	t.Parallel()
	kills := 60
	if testing.Short() {
		kills = 6
	}
	c := &crowd{t: t, dir: t.TempDir(), children: map[int]*exec.Cmd{}, logged: map[string]int{}}
	defer c.killAll()
	for range 4 {
		c.start()
	}
	for end := time.Now().Add(3 * time.Minute); kills > 0 && time.Now().Before(end); {
		before := c.count()
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) //nolint:gosec // G404: any moment will do
		if old := c.holder(); c.count() > before && c.killHolder() {
			c.takeover(old)
			kills--
			c.start()
			if kills%3 == 0 {
				c.killGuest()
				c.start()
			}
		}
	}
	if kills > 0 {
		t.Errorf("%d times nobody took over in time", kills)
	}
	c.killAll()
	for _, line := range c.failed {
		t.Errorf("a process says: %s", line)
	}
	c.check()
}

// check looks whether the log holds every attempt that was acknowledged, and each once.
func (c *crowd) check() {
	s, err := tiers.Open(c.t.Context(), c.dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		c.t.Fatal(err)
	}
	defer s.Close()
	chain, err := s.Verify(c.t.Context(), "acme")
	if err != nil {
		c.t.Error(err)
	}
	there := map[string]int{}
	for after := uint64(0); after < chain.Entries; {
		page, err := s.Audit(c.t.Context(), "acme", tiers.AuditQuery{After: after, Limit: 1000})
		if err != nil {
			c.t.Fatal(err)
		}
		for _, e := range page {
			after = e.Sequence
			var data struct{ N int }
			if err := json.Unmarshal(e.Data, &data); err != nil || e.EventType != tool.ForgeRequested || data.N != there[e.SessionID]+1 {
				c.t.Errorf("entry %d is attempt %d of %s, after %d: %v", e.Sequence, data.N, e.SessionID, there[e.SessionID], err)
			}
			there[e.SessionID] = data.N
		}
	}
	for session, last := range c.logged {
		if got := there[session]; got < last || got > last+1 {
			c.t.Errorf("%d attempts of %s are there, %d were acknowledged", got, session, last)
		}
	}
	c.t.Logf("%d entries of %d processes; the slowest takeover took %v", chain.Entries, c.started, c.slowest)
}
