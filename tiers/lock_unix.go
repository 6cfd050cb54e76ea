//go:build unix && !aix && !solaris

package tiers

import (
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
		return nil, err
	}
	return func() { _ = d.Close() }, nil
}
