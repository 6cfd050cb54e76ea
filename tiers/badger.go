package tiers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"example.com/toolsmith/runtime/tool"
)

// StoreOptions says where and how a store is kept. The zero value keeps it in memory, silently.
type StoreOptions struct {
	Dir           string        // created 0700; "" keeps nothing beyond Close
	EncryptionKey []byte        // 16, 24 or 32 bytes of an AES key for all that is on disk; nil writes it in the clear
	Logger        *slog.Logger  // what the store has to say; nil is nothing
	CollectEvery  time.Duration // how often space of what was deleted is won back; 0 is 5 minutes

	free     func(dir string) (bytes uint64, err error) // of the disk; nil asks the system
	patience time.Duration                              // with the end of the database; 0 is closePatience
}

const (
	memTableBytes  = 16 << 20
	cacheBytes     = 16 << 20
	valueLogBytes  = 64 << 20
	valueThreshold = 1 << 20 // longer values lie in the value log, of which only long-lived processes win room back
	collectEvery   = 5 * time.Minute
	closePatience  = 30 * time.Second
	discardRatio   = 0.5 // a file of the value log is written anew once half of it is waste
)

// storeKeyBytes are the lengths that a key of AES can have.
var storeKeyBytes = []int{16, 24, 32}

// badgerStore is the Store in one directory that this process holds.
type badgerStore struct {
	db    *badger.DB
	dir   string
	space *space // nil in memory
	self  party  // who changes it when nobody else is named
	feed  feed
	turn  sync.Mutex // held while a transaction commits, and for all of one that others have overtaken too often
	quit  chan struct{}
	done  sync.WaitGroup

	patience time.Duration // with the end of the database

	mu      sync.Mutex // guards joining
	joining *syncRound // the round that a Sync which begins now belongs to
	syncing sync.Mutex // held by the round that syncs
}

// syncRound is one sync of the disk on behalf of everyone who asked for it before it began.
type syncRound struct {
	once sync.Once
	err  error
}

// OpenStore opens the store in a directory. Where the system has what that takes, several processes of one user share it: the
// first one holds it and serves the others, and when it ends another takes its place (see ADR 23). Elsewhere, and while a
// backup is restored into it, the error is of code Unavailable and names who holds it. So is the error of a store that is
// damaged, and of a disk with less than 64 MiB free. The context is that of opening.
//
// Where the disk is full when the store is closed, the error is Unavailable too: nothing that was committed is lost, but the
// directory stays held by this process as long as it lives.
func OpenStore(ctx context.Context, opt StoreOptions) (Store, error) {
	if opt.Dir != "" && shareable {
		return share(ctx, opt)
	}
	return openAlone(opt)
}

// openAlone opens the store for this process alone.
func openAlone(opt StoreOptions) (*badgerStore, error) {
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		s, err := tryOpen(opt)
		if err == nil || !isHeld(err) || time.Now().After(end) {
			return s, err
		}
	}
}

// tryOpen opens the store if nobody holds it now.
func tryOpen(opt StoreOptions) (*badgerStore, error) {
	if n := len(opt.EncryptionKey); n != 0 && !slices.Contains(storeKeyBytes, n) {
		return nil, &tool.Error{
			Code: tool.InvalidRequest, Message: fmt.Sprintf("a key of %d bytes cannot encrypt the store", n), Hint: "give 16, 24 or 32 bytes",
		}
	}
	room, err := roomFor(opt)
	if err != nil {
		return nil, err
	}
	db, err := openBadger(badgerOptions(opt))
	if err != nil {
		return nil, openError(opt, err)
	}
	s := &badgerStore{db: db, dir: opt.Dir, space: room, quit: make(chan struct{}), joining: &syncRound{}, patience: cmp.Or(opt.patience, closePatience)}
	if opt.Dir != "" {
		every := opt.CollectEvery
		if every <= 0 {
			every = collectEvery
		}
		s.done.Go(func() { s.collect(every) })
	}
	return s, nil
}

// roomFor makes the directory, and sees to it that there is room in it to open a store.
func roomFor(opt StoreOptions) (*space, error) {
	if opt.Dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(opt.Dir, 0o700); err != nil {
		return nil, unusable(opt.Dir, err)
	}
	room := &space{dir: opt.Dir, free: opt.free}
	if room.free == nil {
		room.free = freeBytes
	}
	return room, room.require(openSpace)
}

func badgerOptions(opt StoreOptions) badger.Options {
	b := badger.DefaultOptions(opt.Dir).WithInMemory(opt.Dir == "").WithMetricsEnabled(false).
		WithMemTableSize(memTableBytes).WithNumMemtables(3).WithBlockCacheSize(cacheBytes).WithNumCompactors(2).
		WithValueLogFileSize(valueLogBytes).WithLogger(nil).
		WithChecksumVerificationMode(options.OnBlockRead).WithVerifyValueChecksum(true)
	if opt.Dir != "" { // in memory there is no value log
		b = b.WithValueThreshold(valueThreshold)
	}
	if opt.Logger != nil {
		b = b.WithLogger(badgerLog{opt.Logger})
	}
	if len(opt.EncryptionKey) > 0 {
		b = b.WithEncryptionKey(opt.EncryptionKey).WithIndexCacheSize(cacheBytes)
	}
	return b
}

func openError(opt StoreOptions, err error) error {
	var ours *tool.Error
	switch {
	case errors.As(err, &ours):
		return err
	case isHeld(err):
		return &tool.Error{
			Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s is held by %s", opt.Dir, holderOf(opt.Dir)),
			Hint: "wait for it to end, or use another data directory", Cause: errHeld,
		}
	case errors.Is(err, badger.ErrEncryptionKeyMismatch):
		return otherKey(opt, err)
	case opt.Dir == "":
		return tool.Errorf(tool.Unavailable, "opening the store: %w", err)
	}
	if lacks := systemError(opt.Dir, err); lacks != nil {
		return lacks
	}
	return damagedError(opt.Dir, err)
}

// otherKey is the error of a key that the store was not made with, none being one too.
func otherKey(opt StoreOptions, err error) error {
	why, hint := "is encrypted under another key, or not at all", "give the key that it was created with, or none if it had none"
	if len(opt.EncryptionKey) == 0 {
		why, hint = "is encrypted", "give the key that it was created with"
	}
	return &tool.Error{Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s %s", opt.Dir, why), Hint: hint + ": TOOLSMITH_STORE_KEY", Cause: err}
}

// holderOf names the process that holds a directory, as well as it can be known.
func holderOf(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "LOCK")) //nolint:gosec // G304: the store's own file
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "another process"
	}
	// Its arguments are nobody else's business: they may hold what a tool is given.
	if name, err := os.ReadFile(filepath.Join("/proc", pid, "comm")); err == nil && len(name) > 0 { //nolint:gosec // G304: a process's own name for itself
		return fmt.Sprintf("process %s (%.40q)", pid, strings.TrimSpace(string(name)))
	}
	return "process " + pid
}

func (s *badgerStore) View(ctx context.Context, fn func(Reader) error) error {
	if err := ctx.Err(); err != nil {
		return tool.AsError(err)
	}
	t, err := s.begin(viewing)
	if err != nil {
		return err
	}
	defer t.end()
	return translate(fn(t))
}

func (s *badgerStore) Update(ctx context.Context, fn func(Txn) error) error {
	for tries := 0; ; tries++ {
		if err := ctx.Err(); err != nil {
			return tool.AsError(err)
		}
		err := s.update(modeOf(tries), fn)
		if !errors.Is(err, badger.ErrConflict) {
			return translate(err)
		}
	}
}

func (s *badgerStore) update(m mode, fn func(Txn) error) error {
	t, err := s.begin(m)
	if err != nil {
		return err
	}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	return t.commit(s.self)
}

// Sync lets everyone who waits for the disk wait for the same sync. It does not stop early: what is committed is
// committed, and a caller who goes away is no reason to leave it unsafe.
func (s *badgerStore) Sync(context.Context) error {
	s.mu.Lock()
	round := s.joining
	s.mu.Unlock()
	round.once.Do(func() {
		s.syncing.Lock()
		defer s.syncing.Unlock()
		s.mu.Lock()
		s.joining = &syncRound{}
		s.mu.Unlock()
		round.err = s.syncDisk()
	})
	return translate(round.err)
}

// syncDisk syncs what Badger is writing to, and its logs that are full but not yet turned into tables: of those
// badger.DB.Sync knows nothing.
func (s *badgerStore) syncDisk() error {
	if err := s.db.Sync(); err != nil || s.dir == "" {
		return err
	}
	logs, err := filesIn(s.dir, "*.mem")
	if err != nil || len(logs) < 2 {
		return err
	}
	return syncFiles(logs)
}

// syncLogs syncs all logs, also those that another process has written before it was killed: what it has committed may be
// taken for safe by a Sync of ours.
func (s *badgerStore) syncLogs() error {
	memory, err := filesIn(s.dir, "*.mem")
	values, valuesErr := filesIn(s.dir, "*.vlog")
	return translate(errors.Join(err, valuesErr, syncFiles(append(memory, values...))))
}

// filesIn returns the paths of the files of a directory whose names match a pattern, whatever its own name is.
func filesIn(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, err
}

func syncFiles(paths []string) error {
	for _, log := range paths {
		if err := syncFile(log); err != nil && !errors.Is(err, fs.ErrNotExist) { // gone: it is a table now, and safe
			return err
		}
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // G304: the store's own file
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Close closes the store. On a full disk Badger could not write what is in memory, which would end the process, so that it is left
// to its log: the directory is held until the process has ended.
func (s *badgerStore) Close() error {
	close(s.quit)
	s.done.Wait()
	if full := s.space.forClose(); full != nil {
		return translate(errors.Join(full, s.syncDisk()))
	}
	return translate(errors.Join(s.syncDisk(), s.tidy(), s.closeWithin(s.patience)))
}

// closeWithin closes the database. Where its folder is gone or the disk is full, Badger tries for ever to make a table of what it has
// in memory, all of which is in its log.
func (s *badgerStore) closeWithin(patience time.Duration) error {
	closed := make(chan error, 1)
	go func() { closed <- s.db.Close() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-closed:
		return err
	case <-timer.C:
		return &tool.Error{
			Code: tool.Unavailable, Message: fmt.Sprintf("the store in %s could not be closed in order within %v", s.dir, patience),
			Hint: "look whether its folder is there and the disk has room; what was committed is in its log, from which the next start takes it",
		}
	}
}

// Processes that end within moments leave a table each, before Badger finds the time to merge them. From tidyTables on they are
// merged at the end, if that takes moments too.
const (
	tidyTables = 8
	tidyBytes  = 64 << 20
)

// tidy merges the tables of short processes.
func (s *badgerStore) tidy() error {
	var total int64
	levels := s.db.Levels()
	for _, l := range levels {
		total += l.Size
	}
	if s.dir == "" || levels[0].NumTables < tidyTables || total > tidyBytes {
		return nil
	}
	if full := s.space.forWork(int(total)); full != nil {
		return nil //nolint:nilerr // it can wait until there is room
	}
	return s.db.Flatten(1)
}

// collect wins back the space of the value log until the store is closed.
func (s *badgerStore) collect(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
			for s.space.forWork(valueLogBytes) == nil && s.db.RunValueLogGC(discardRatio) == nil { // one file at a time, until there is nothing to win
				continue
			}
		}
	}
}

// translate gives an error of Badger's a code of ours.
func translate(err error) error {
	var ours *tool.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ours):
		return err
	case errors.Is(err, badger.ErrTxnTooBig):
		return tool.Errorf(tool.Limit, "more than the store takes at once: %w", err)
	case errors.Is(err, badger.ErrDBClosed), errors.Is(err, badger.ErrBlockedWrites):
		return tool.Errorf(tool.Unavailable, "the store is closed: %w", err)
	}
	return tool.Errorf(tool.Unavailable, "the store: %w", err)
}

// badgerLog lets Badger speak through a logger. What it calls information is of interest to its developers only.
type badgerLog struct{ to *slog.Logger }

func (l badgerLog) Errorf(format string, args ...any) {
	l.to.Error(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (l badgerLog) Warningf(format string, args ...any) {
	l.to.Warn(strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (l badgerLog) Infof(format string, args ...any) {
	l.to.Debug(strings.TrimSpace(fmt.Sprintf(format, args...)))
}
func (l badgerLog) Debugf(string, ...any) {}
