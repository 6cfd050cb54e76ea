//go:build linux || darwin || freebsd

package tiers_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// startHolder starts a process that holds the store of a crowd, alone, and writes.
func (c *crowd) startHolder() *exec.Cmd {
	c.t.Helper()
	c.start()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c.mu.Lock()
		child := c.children[c.holder()]
		c.mu.Unlock()
		if child != nil && c.count() > 0 {
			return child
		}
	}
	c.t.Fatal("no process holds the store")
	return nil
}

// Who shares a store whose holder is stopped is told so within seconds, and goes on when the holder does, or when it is killed.
func TestHungHolder(t *testing.T) {
	t.Parallel()
	c := &crowd{t: t, dir: t.TempDir(), children: map[int]*exec.Cmd{}, logged: map[string]int{}}
	defer c.killAll()
	holder := c.startHolder()
	open := func() (*tiers.Shelf, error) {
		return tiers.Open(t.Context(), c.dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	}
	guest, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = guest.Close() }()
	look := func(ctx context.Context) error { _, err := guest.Tenants(ctx); return err }
	if err := look(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop := func() {
		t.Helper()
		var status syscall.WaitStatus
		err := holder.Process.Signal(syscall.SIGSTOP)
		if err == nil {
			_, err = syscall.Wait4(holder.Process.Pid, &status, syscall.WUNTRACED, nil)
		}
		if err != nil || !status.Stopped() {
			t.Fatalf("it does not stop: %v, %v", status, err)
		}
	}
	stop()
	for name, do := range map[string]func() error{
		"a short look": func() error {
			short, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			return look(short)
		},
		"a look":   func() error { return look(t.Context()) },
		"a change": func() error { return guest.Log(t.Context(), as("guest", "1"), "", tool.Exported, nil) },
		"another":  func() error { _, err := open(); return err },
	} {
		if err := do(); !errors.Is(err, tool.Unavailable) || !strings.Contains(err.Error(), "held by process") || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := holder.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); look(t.Context()) != nil; {
		if time.Now().After(end) {
			t.Fatal("it did not go on")
		}
	}
	stop()
	c.killAll()
	if err := look(t.Context()); err != nil {
		t.Errorf("after it was killed: %v", err)
	}
}
