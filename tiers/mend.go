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
func openBadger(opt badger.Options) (*badger.DB, error) {
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockPause) {
		db, err := badger.Open(opt)
		if err == nil || opt.InMemory {
			return db, err
		}
		if !isHeld(err) {
			if removed, mendErr := removeEmptyLogs(opt.Dir); mendErr == nil && removed == 0 {
				return nil, err
			}
		}
		if time.Now().After(end) {
			return nil, err
		}
	}
}

// isHeld reports whether another process has the directory. Badger says so in words only.
func isHeld(err error) bool { return strings.Contains(err.Error(), "directory lock") }

// removeEmptyLogs removes the log files without a byte, while it holds the lock that Badger takes too.
func removeEmptyLogs(dir string) (removed int, err error) {
	unlock, err := lockDir(dir)
	if err != nil {
		return 0, err
	}
	defer unlock()
	for _, pattern := range []string{"*.mem", "*.vlog"} {
		logs, globErr := filepath.Glob(filepath.Join(dir, pattern))
		err = errors.Join(err, globErr)
		for _, log := range logs {
			info, statErr := os.Stat(log)
			if statErr == nil && info.Size() == 0 {
				err = errors.Join(err, os.Remove(log))
				removed++
			}
		}
	}
	return removed, err
}
