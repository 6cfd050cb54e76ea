//go:build unix

package hostapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// fsAttacks is testdata/fs/attacks.json: hostile reads of one tree of files.
type fsAttacks struct {
	Tree   map[string]map[string]json.RawMessage // folder: path: text, or what else the entry is
	Secret string
	Cases  []fsAttack
}

// fsAttack is an attack with files about it.
type fsAttack struct {
	attack
	Config struct {
		SandboxTimeoutMs int
		FsReadRoots      []string
	}
	Fixtures struct {
		Flip struct { // an entry that is swapped all the time
			Path        string
			Between     []string
			EveryMicros int
		}
		Growing struct { // a file that is appended to all the time
			Path       string
			BytesPerMs int
		}
		RootLink bool
	}
}

// TestFSAttacks runs them, one after the other so that leaks can be told.
func TestFSAttacks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "fs", "attacks.json"))
	if err != nil {
		t.Fatal(err)
	}
	engine(t)
	var all fsAttacks
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, a := range all.Cases {
		t.Run(a.ID, func(t *testing.T) {
			p := plant(t, all.Tree)
			p.run(t, p.expand(t, a), all.Secret)
		})
	}
}

// places are where a tree was planted.
type places struct{ root, outside, link string }

// plant makes the tree in a folder of its own.
func plant(t *testing.T, tree map[string]map[string]json.RawMessage) places {
	t.Helper()
	dir := t.TempDir()
	p := places{filepath.Join(dir, "root"), filepath.Join(dir, "outside"), filepath.Join(dir, "link")}
	for folder, entries := range tree {
		for name, entry := range entries {
			path := filepath.Join(dir, folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := p.make(path, entry); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink("root", p.link); err != nil {
		t.Fatal(err)
	}
	return p
}

// make makes one entry of the tree.
func (p places) make(path string, entry json.RawMessage) error {
	var text string
	if json.Unmarshal(entry, &text) == nil {
		return os.WriteFile(path, []byte(text), 0o600)
	}
	var special struct {
		Size, Sparse int64
		Fifo         bool
		Symlink      string
	}
	if err := json.Unmarshal(entry, &special); err != nil {
		return err
	}
	switch {
	case special.Fifo:
		return syscall.Mkfifo(path, 0o600)
	case special.Symlink != "":
		return os.Symlink(p.in(special.Symlink), path)
	case special.Sparse > 0:
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		return os.Truncate(path, special.Sparse)
	}
	return os.WriteFile(path, make([]byte, special.Size), 0o600)
}

// in puts the places into a text.
func (p places) in(text string) string {
	return strings.NewReplacer("$ROOTLINK", p.link, "$ROOT", p.root, "$OUTSIDE", p.outside).Replace(text)
}

// expand returns a with the places put in.
func (p places) expand(t *testing.T, a fsAttack) fsAttack {
	t.Helper()
	a.Input = json.RawMessage(p.in(string(a.Input)))
	a.Fixtures.Flip.Path = p.in(a.Fixtures.Flip.Path)
	a.Fixtures.Growing.Path = p.in(a.Fixtures.Growing.Path)
	for i, root := range a.Config.FsReadRoots {
		a.Config.FsReadRoots[i] = p.in(root)
	}
	return a
}

// run runs the attack and checks its outcome and invariants.
func (p places) run(t *testing.T, a fsAttack, secret string) {
	t.Helper()
	g := given{apis: a.Allowlist, policy: &policy.Policy{}, input: string(a.Input)}
	g.limits = tool.Limits{Timeout: a.limit(a.Config.SandboxTimeoutMs), HostCalls: 1000}
	for _, root := range a.Config.FsReadRoots {
		if err := g.policy.ReadRoot(root); err != nil {
			t.Fatal(err)
		}
	}
	before := p.listing(t)
	stop := a.disturb(t)
	goroutines, memory, open := goruntime.NumGoroutine(), resident(), openFiles()
	start := time.Now()
	result, uses, err := g.run(t, a.Source)
	took := time.Since(start)
	a.judge(t, result, err)
	settled(t, goroutines)
	stop()
	for _, invariant := range a.Invariants {
		switch invariant {
		case "deadline":
			if took > g.limits.Timeout+patience {
				t.Errorf("took %v of %v", took, g.limits.Timeout)
			}
		case "host-alive":
			alive(t)
		case "no-secret":
			if told := fmt.Sprint(string(result.Output), err, result.Logs, result.Unhandled, uses); strings.Contains(told, secret) {
				t.Errorf("the secret shows: %s", told)
			}
		case "no-write":
			if after := p.listing(t); !maps.Equal(before, after) {
				t.Errorf("files before %v, after %v", before, after)
			}
		case "no-fd-leak":
			if now := openFiles(); now > open {
				t.Errorf("%d files are open, %d before", now, open)
			}
		case "rss":
			if grown := resident() - memory; grown > (128+64)<<20 {
				t.Errorf("the process has grown by %d bytes", grown)
			}
		}
	}
	if errors.Is(err, tool.Denied) && !slices.ContainsFunc(uses, func(u hostapi.Use) bool { return u.Outcome == "denied" && u.Detail != "" }) {
		t.Errorf("no use tells of the refusal: %+v", uses)
	}
}

// listing is every entry of the tree with its size.
func (p places) listing(t *testing.T) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	err := filepath.WalkDir(filepath.Dir(p.root), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all[path] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// disturb starts what goes on beside the attack, and returns what stops it.
func (a *fsAttack) disturb(t *testing.T) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var all sync.WaitGroup
	repeat := func(pause time.Duration, do func(i int)) {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(pause):
					do(i)
				}
			}
		})
	}
	if flip := a.Fixtures.Flip; flip.Path != "" {
		repeat(time.Duration(flip.EveryMicros)*time.Microsecond, func(i int) { become(flip.Path, flip.Between[i%2]) })
	}
	if grow := a.Fixtures.Growing; grow.Path != "" {
		file, err := os.Create(grow.Path)
		if err != nil {
			t.Fatal(err)
		}
		repeat(time.Millisecond, func(int) { _, _ = file.Write(make([]byte, grow.BytesPerMs)) })
		t.Cleanup(func() { _ = file.Close() })
		time.Sleep(20 * time.Millisecond) // there is something to read
	}
	return func() {
		close(done)
		all.Wait()
	}
}

// become makes an entry "dir", "file:TEXT" or "symlink:TARGET".
func become(path, what string) {
	_ = os.RemoveAll(path)
	kind, rest, _ := strings.Cut(what, ":")
	switch kind {
	case "dir":
		_ = os.Mkdir(path, 0o750)
	case "file":
		_ = os.WriteFile(path, []byte(rest), 0o600)
	case "symlink":
		_ = os.Symlink(rest, path)
	}
}

// openFiles is how many files the process has open, or 0 where that cannot be told.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}
