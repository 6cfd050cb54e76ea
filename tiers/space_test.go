package tiers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

func TestFullDiskIsNoticedBefore(t *testing.T) {
	t.Parallel()
	var free uint64
	opt := StoreOptions{Dir: t.TempDir(), free: func(string) (uint64, error) { return free, nil }}
	free = openSpace - 1
	if _, err := OpenStore(t.Context(), opt); !isFull(err) {
		t.Errorf("opened: %v", err)
	}
	free = openSpace
	s, err := openAlone(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(Txn) error { return nil }
	free = s.space.reserve()
	if err := s.Update(t.Context(), put); err != nil {
		t.Error(err)
	}
	free--
	if err := s.Update(t.Context(), put); err != nil {
		t.Errorf("looked again at once: %v", err)
	}
	s.space.next = time.Time{}
	if err := s.Update(t.Context(), put); !isFull(err) {
		t.Errorf("committed: %v", err)
	}
	if err := s.View(t.Context(), func(Reader) error { return nil }); err != nil {
		t.Errorf("reading needs no room: %v", err)
	}
}

// What is committed leaves room for the tables of all logs, however much it is itself.
func TestChangesLeaveTheReserve(t *testing.T) {
	t.Parallel()
	var free uint64
	s := space{dir: t.TempDir(), free: func(string) (uint64, error) { return free, nil }}
	for range 3 {
		f, err := os.CreateTemp(s.dir, "*.mem")
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if got := s.reserve(); got != spareSpace+3*memTableBytes {
		t.Errorf("%d bytes for three logs", got)
	}
	free = s.reserve()
	if err := s.forChange(1 << 10); !isFull(err) { // the first looks
		t.Errorf("a change takes the reserve: %v", err)
	}
	s.next = time.Time{}
	if err := s.forChange(0); err != nil {
		t.Error(err)
	}
	if err := s.forChange(1 << 10); err != nil {
		t.Errorf("looked again at once: %v", err)
	}
	if err := s.forChange(spareSpace / 2); !isFull(err) {
		t.Errorf("did not look again for much: %v", err)
	}
	var none *space
	if err := errors.Join(none.forChange(1), none.forWork(1), none.forClose()); err != nil {
		t.Errorf("in memory: %v", err)
	}
}

// A store whose disk has become full is left to its log when it is closed, and lacks nothing when it is opened again.
func TestFullDiskLeavesTheLog(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("what is free is not asked there")
	}
	t.Parallel()
	var free atomic.Uint64
	free.Store(openSpace)
	dir := t.TempDir()
	s, err := openAlone(StoreOptions{Dir: dir, free: func(string) (uint64, error) { return free.Load(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(txn Txn) error { return txn.Set([]byte("a"), []byte("b")) }); err != nil {
		t.Fatal(err)
	}
	free.Store(s.space.reserve() - 1)
	if err := s.Close(); !isFull(err) || !strings.Contains(err.Error(), "not closed in order") || !strings.Contains(tool.AsError(err).Hint, "next start") {
		t.Errorf("closing: %v", err)
	}
	if tables, _ := filesIn(dir, "*.sst"); len(tables) != 0 || s.db.IsClosed() {
		t.Errorf("Badger was closed, and made %q", tables)
	}
	if _, err := tryOpen(StoreOptions{Dir: dir}); !isHeld(err) {
		t.Errorf("two have it open: %v", err)
	}
	next := t.TempDir() // stands for the next process
	files, err := filesIn(dir, "*")
	for _, path := range files {
		err = errors.Join(err, os.Link(path, filepath.Join(next, filepath.Base(path))))
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := openAlone(StoreOptions{Dir: next})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.View(t.Context(), func(r Reader) error {
		value, _, err := r.Get([]byte("a"))
		if string(value) != "b" {
			t.Errorf("it holds %q", value)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// What lies on a full disk is read, by the process that holds it and by others that come then, and backed up.
func TestFullDiskIsRead(t *testing.T) {
	t.Parallel()
	var free atomic.Uint64
	free.Store(openSpace)
	dir := t.TempDir()
	open := func() *Shelf {
		t.Helper()
		s, err := Open(t.Context(), dir, StoreOptions{free: func(string) (uint64, error) { return free.Load(), nil }}, Options{TendEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	by := tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}}
	holder := open()
	if err := errors.Join(holder.Writable(t.Context()), holder.Log(t.Context(), by, "", tool.Exported, nil)); err != nil {
		t.Fatal(err)
	}
	free.Store(0)
	for holder.Writable(t.Context()) == nil { // it looks from time to time
		time.Sleep(spacePause)
	}
	for name, s := range map[string]*Shelf{"the holder": holder, "another": open()} {
		if err := s.Writable(t.Context()); !isFull(err) {
			t.Errorf("%s: %v", name, err)
		}
		events, err := s.Audit(t.Context(), "acme", AuditQuery{})
		if len(events) != 1 || err != nil {
			t.Errorf("%s reads %d entries, %v", name, len(events), err)
		}
		if err := Backup(t.Context(), s.Store(), io.Discard); err != nil {
			t.Errorf("%s makes no backup: %v", name, err)
		}
		if err := s.Load(t.Context(), func(string) bool { return true }); err != nil {
			t.Errorf("%s finds nothing that is due, and does not load: %v", name, err)
		}
	}
}

// Uses are counted only where there is room for them, which is known before a tool is called; and not more than are kept.
func TestFullDiskCountsNothing(t *testing.T) {
	t.Parallel()
	var free atomic.Uint64
	free.Store(openSpace)
	s, err := Open(t.Context(), t.TempDir(), StoreOptions{free: func(string) (uint64, error) { return free.Load(), nil }}, Options{TendEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Counts(t.Context()); err != nil {
		t.Fatal(err)
	}
	free.Store(0)
	for s.Counts(t.Context()) == nil { // it asks from time to time
		time.Sleep(spacePause)
	}
	if err := s.Counts(t.Context()); !isFull(err) {
		t.Errorf("on a full disk: %v", err)
	}
	free.Store(openSpace)
	for s.Counts(t.Context()) != nil {
		time.Sleep(spacePause)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s.uses.askNext = time.Time{}
	if err := s.Counts(gone); !errors.Is(err, tool.Canceled) {
		t.Errorf("asked by one who left: %v", err)
	}
	if err := s.Counts(t.Context()); err != nil {
		t.Errorf("one who left decides for others: %v", err)
	}
	s.uses.n = maxPendingUses
	if err := s.Counts(t.Context()); !errors.Is(err, tool.Unavailable) {
		t.Errorf("too many wait: %v", err)
	}
	s.uses.n = 0
}

// Uses that a full disk takes no more are lost when the shelf is closed, which says how many.
func TestFullDiskTellsOfLostUses(t *testing.T) {
	t.Parallel()
	var free atomic.Uint64
	free.Store(openSpace)
	opt := StoreOptions{free: func(string) (uint64, error) { return free.Load(), nil }}
	s, err := Open(t.Context(), t.TempDir(), opt, Options{TendEvery: -1, FlushAfter: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	by := tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}}
	r, err := s.Put(t.Context(), by, tool.Draft{
		Name: "one", Description: "does one", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: "1"}, Verdict: tool.CreationVerdict{Approved: true, Confidence: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := s.RecordUse(t.Context(), "acme", r.ID, tool.Use{Success: true, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	free.Store(0)
	for s.Writable(t.Context()) == nil {
		time.Sleep(spacePause)
	}
	if err := s.Close(); !isFull(err) || !strings.Contains(tool.AsError(err).Message, "3 uses of tools could not be counted") {
		t.Errorf("closing: %v", err)
	}
}

func TestFullDiskEndsARestore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	opt := StoreOptions{free: func(string) (uint64, error) { return openSpace - 1, nil }}
	if err := RestoreDir(t.Context(), dir, opt, bytes.NewReader(nil)); !isFull(err) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is there: %v", err)
	}
}

func TestSpaceThatIsNotKnownIsEnough(t *testing.T) {
	t.Parallel()
	s := space{free: func(string) (uint64, error) { return 0, errors.New("no") }}
	if err := s.require(1); err != nil {
		t.Error(err)
	}
	if free, err := freeBytes(t.TempDir()); err != nil || free == 0 {
		t.Errorf("the system says %d, %v", free, err)
	}
}

// What the system lacks is no damage, and the hint is no backup.
func TestLimitsOfTheSystemAreNoDamage(t *testing.T) {
	t.Parallel()
	for no, hint := range map[syscall.Errno]string{
		syscall.EFBIG: "ulimit -f", syscall.EDQUOT: "free some space", syscall.ENOSPC: "free some space", syscall.EMFILE: "ulimit -n", syscall.EACCES: "can be written to",
	} {
		err := openError(StoreOptions{Dir: "d"}, fmt.Errorf("cannot create memtable err: truncate 00001.mem: %v\nerror while truncation", no)) //nolint:errorlint // as Badger does
		if e := tool.AsError(err); e.Code != tool.Unavailable || strings.Contains(e.Message, "damaged") || !strings.Contains(e.Hint, hint) {
			t.Errorf("%v: %v, hint %q", no, e, e.Hint)
		}
	}
	if err := openError(StoreOptions{Dir: "d"}, errors.New("checksum mismatch")); !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damage: %v", err)
	}
}

func isFull(err error) bool {
	wrong := tool.AsError(err)
	return wrong != nil && wrong.Code == tool.Unavailable && wrong.Hint != ""
}

// The end of a store whose folder is gone is told, and is one.
func TestCloseGivesUp(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("a folder in use does not go there")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := openAlone(StoreOptions{Dir: dir, patience: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), func(txn Txn) error { return txn.Set([]byte("a"), []byte("b")) }); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); !errors.Is(err, tool.Unavailable) {
		t.Errorf("closing: %v", err)
	}
}
