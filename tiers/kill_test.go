package tiers_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

const (
	killDir    = "TIERS_TEST_KILL_DIR" // makes the test binary the child that is killed
	killRound  = "TIERS_TEST_KILL_ROUND"
	killLanes  = 4
	killRounds = 50 // per lane
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(takeoverDir); dir != "" {
		if err := logUntilKilled(context.Background(), dir, os.Getenv(killRound)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	if dir := os.Getenv(killDir); dir != "" {
		if err := forgeUntilKilled(context.Background(), dir, os.Getenv(killRound)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// forgeUntilKilled changes a shelf from several goroutines, and prints a line for everything that was acknowledged.
func forgeUntilKilled(ctx context.Context, dir, round string) error {
	s, err := tiers.Open(ctx, dir, tiers.StoreOptions{CollectEvery: 20 * time.Millisecond}, tiers.Options{
		Rules: tiers.Rules{MaxAgentTools: 1 << 30, MaxSessionTools: 1 << 30},
		Watch: func(e tool.AuditEvent) { fmt.Println("entry", e.Sequence, e.Hash) },
	})
	if err != nil {
		return err
	}
	fmt.Println("open")
	failed := make(chan error)
	for i := range 3 {
		go func() {
			for n := 0; ; n++ {
				if err := forgeOne(ctx, s, as("ann", round), fmt.Sprintf("r%s-%d-%d", round, i, n)); err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

func forgeOne(ctx context.Context, s *tiers.Shelf, by tool.Actor, name string) error {
	r, err := s.Put(ctx, by, draft("t"+name, strings.Repeat(name, 2000)))
	if err != nil {
		return err
	}
	fmt.Println("put", r.ID)
	if err := s.RecordUse(ctx, by.Tenant, r.ID, tool.Use{Success: true, At: time.Now()}); err != nil {
		return err
	}
	if _, err := s.Promote(ctx, boss, r.ID, tool.Promotion{To: tool.AgentTier, ApprovedBy: "eve"}); err != nil {
		return err
	}
	fmt.Println("approved", r.ID)
	if _, err := s.Suspend(ctx, boss, r.ID, tool.ByAdmin); err != nil {
		return err
	}
	fmt.Println("suspended", r.ID)
	if len(name)%2 == 0 {
		return nil
	}
	if err := s.Remove(ctx, boss, r.ID); err != nil {
		return err
	}
	fmt.Println("removed", r.ID)
	return nil
}

// TestKill kills a process that forges, again and again at random moments, and looks each time whether everything that
// was acknowledged is there.
func TestKill(t *testing.T) {
	t.Parallel()
	lanes, rounds := killLanes, killRounds
	if testing.Short() {
		lanes, rounds = 1, 5
	}
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var all []string
			random := rand.New(rand.NewPCG(uint64(lane), uint64(time.Now().UnixNano()))) //nolint:gosec // G404: moments to kill at
			for round := range rounds {
				lines := killOnce(t, dir, round, time.Duration(random.IntN(60_000))*time.Microsecond, round%5 == 4)
				all = append(all, lines...)
				checkAcknowledged(t, dir, lines)
			}
			checkAcknowledged(t, dir, all)
			t.Logf("killed %d times, %d things acknowledged", rounds, len(all))
			if len(all) < rounds {
				t.Error("too little was acknowledged to show anything")
			}
		})
	}
}

// killOnce runs the child and kills it some time after it opened the shelf, or after it was started. It returns what the
// child printed.
func killOnce(t *testing.T, dir string, round int, after time.Duration, early bool) (lines []string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$") //nolint:gosec // G702: the test binary itself
	child.Env = append(os.Environ(), killDir+"="+dir, fmt.Sprintf("%s=%d", killRound, round))
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	kill := func() { time.AfterFunc(after, func() { _ = child.Process.Kill() }) }
	if early {
		once.Do(kill)
	}
	for scan := bufio.NewScanner(out); scan.Scan(); {
		once.Do(kill)
		lines = append(lines, scan.Text())
	}
	_ = child.Wait() // killed
	return lines
}

func checkAcknowledged(t *testing.T, dir string, lines []string) {
	t.Helper()
	s, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		t.Fatalf("the store does not open: %v", err)
	}
	defer s.Close()
	if _, err := s.Verify(t.Context(), "acme"); err != nil {
		t.Error(err)
	}
	removed := map[string]bool{}
	for _, line := range lines {
		if id, ok := strings.CutPrefix(line, "removed "); ok {
			removed[id] = true
		}
	}
	for _, line := range lines {
		if err := checkLine(t.Context(), s, strings.Fields(line), removed); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func checkLine(ctx context.Context, s *tiers.Shelf, words []string, removed map[string]bool) error {
	switch words[0] {
	case "open":
		return nil
	case "error":
		return fmt.Errorf("the child failed")
	case "entry":
		return checkEntry(ctx, s, words)
	}
	r, err := s.Get(ctx, "acme", words[1])
	if removed[words[1]] {
		if err == nil {
			return fmt.Errorf("it is there again")
		}
		return nil
	}
	removing, auditErr := s.Audit(ctx, "acme", tiers.AuditQuery{ToolID: words[1], Newest: true, Limit: 1})
	if auditErr == nil && err != nil && len(removing) == 1 && removing[0].EventType == tool.Removed {
		return nil // removed, and killed before that was acknowledged
	}
	if err != nil {
		return err
	}
	if _, err := s.Implementation(ctx, "acme", r.ID); err != nil {
		return err
	}
	switch {
	case words[0] == "approved" && (r.Tier != tool.AgentTier || len(r.Approvals) != 1):
		return fmt.Errorf("it is of the %s tier", r.Tier)
	case words[0] == "suspended" && r.Suspended == nil:
		return fmt.Errorf("it is not suspended")
	}
	return nil
}

func checkEntry(ctx context.Context, s *tiers.Shelf, words []string) error {
	var sequence uint64
	if _, err := fmt.Sscan(words[1], &sequence); err != nil {
		return err
	}
	got, err := s.Audit(ctx, "acme", tiers.AuditQuery{After: sequence - 1, Limit: 1})
	if err == nil && (len(got) != 1 || got[0].Hash != words[2]) {
		return fmt.Errorf("it is not in the log: %v", got)
	}
	return err
}
