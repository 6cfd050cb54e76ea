//go:build unix && !aix && !solaris

package tiers

import (
	"errors"
	"os"
	"syscall"
)

// lockDir takes the lock that Badger takes on its directory, or fails at once.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir) //nolint:gosec // G304: the store's own directory
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = d.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errHeld
		}
		return nil, err
	}
	return func() { _ = d.Close() }, nil
}

// syncDir makes the names in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // G304: the shelf's own directory
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// private reports whether nobody else may read a file.
func private(info os.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
