package tiers

import (
	"errors"
	"fmt"
	"io/fs"
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
func openBadger(opt badger.Options) (*badger.DB, error) {
	if opt.InMemory {
		return badger.Open(opt)
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		var db *badger.DB
		err := removeEmptyLogs(opt.Dir)
		if err == nil {
			db, err = badger.Open(opt)
		}
		if err == nil || !isHeld(err) || time.Now().After(end) {
			return db, err
		}
	}
}

// isHeld reports whether another process has the directory. Badger says so in words only.
func isHeld(err error) bool { return strings.Contains(err.Error(), "directory lock") }

// removeEmptyLogs removes the log files without a byte, while it holds the lock that Badger takes too.
func removeEmptyLogs(dir string) error {
	unlock, err := lockDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("taking the directory lock: %w", err)
	}
	defer unlock()
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
