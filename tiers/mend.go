package tiers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// A lock outlives its holder while a process that the holder forked has not become another program yet.
const (
	lockPatience = 500 * time.Millisecond
	lockPause    = 10 * time.Millisecond
)

// openBadger opens a database, also one whose process was killed in the moment between making a log file and giving it
// its size: Badger refuses to open an empty file that it did not make itself. Such a file holds nothing, so it is removed.
// A database that is damaged is not opened.
func openBadger(opt badger.Options) (*badger.DB, error) {
	if opt.InMemory {
		return badger.Open(opt)
	}
	if err := prepareDir(opt); err != nil {
		return nil, err
	}
	db, err := badger.Open(opt)
	if err != nil {
		return nil, err
	}
	if err := checkOpened(db, opt); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// isHeld reports whether another process has the directory. Badger says so in words only.
func isHeld(err error) bool {
	return errors.Is(err, errHeld) || strings.Contains(err.Error(), "Cannot acquire directory lock")
}

// errHeld is the error of a directory whose lock another process has.
var errHeld = errors.New("the directory lock is held")

// prepareDir mends and checks what lies in the directory, while it holds the lock that Badger takes too.
func prepareDir(opt badger.Options) error {
	unlock, err := lockDir(opt.Dir)
	if errors.Is(err, errHeld) {
		return err
	}
	if err != nil {
		return unusable(opt.Dir, err)
	}
	defer unlock()
	if err := errors.Join(writable(opt.Dir), removeEmptyLogs(opt.Dir)); err != nil {
		return unusable(opt.Dir, err)
	}
	return checkFiles(opt)
}

// writable tries to write the file that Badger keeps its process's number in.
func writable(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // G304: the store's own file
	if err != nil {
		return err
	}
	return f.Close()
}

// removeEmptyLogs removes the log files without a byte.
func removeEmptyLogs(dir string) (err error) {
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		logs, globErr := filepath.Glob(filepath.Join(dir, pattern))
		err = errors.Join(err, globErr)
		for _, log := range logs {
			if info, statErr := os.Stat(log); statErr == nil && info.Size() == 0 {
				err = errors.Join(err, os.Remove(log))
			}
		}
	}
	return err
}
