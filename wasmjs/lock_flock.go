//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wasmjs

import (
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder waits for a lock on a folder, for reading or for writing, and returns what gives it back. It is given back
// too when the process ends. Where it cannot be had, nothing is locked: then work may be done twice.
func lockFolder(dir string, write bool) (unlock func()) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // within the folder that is ours alone
	if err != nil {
		return func() {}
	}
	how := syscall.LOCK_SH
	if write {
		how = syscall.LOCK_EX
	}
	for syscall.Flock(int(f.Fd()), how) == syscall.EINTR {
	}
	return func() { _ = f.Close() }
}
