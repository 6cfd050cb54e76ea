//go:build unix

package server

import "syscall"

// openFiles is how many files the process may have open.
func openFiles() uint64 {
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return 0
	}
	return uint64(r.Cur) //nolint:unconvert // its type differs between systems
}
