//go:build linux || darwin || freebsd

package tiers

import "syscall"

// freeBytes is what a user may still write to the disk of a directory.
func freeBytes(dir string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:gosec,unconvert // G115: neither is negative; their types differ between systems
}
