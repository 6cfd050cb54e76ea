package hostapi

import (
	"os"
	"syscall"
)

// kernelFileSystems are those whose regular files are no data but the state of the kernel and of processes: their numbers
// are in linux/magic.h.
var kernelFileSystems = map[uint32]string{
	0x00009fa0: "proc", 0x62656572: "sysfs", 0x64626720: "debugfs", 0x74726163: "tracefs", 0x73636673: "securityfs",
	0x0027e0eb: "cgroup", 0x63677270: "cgroup2", 0xcafe4a11: "bpf", 0x62656570: "configfs", 0x6165676c: "pstore",
	0xde5e81e4: "efivarfs", 0xf97cff8c: "selinux",
}

// isKernelFile reports whether an open file is one of the kernel's, or cannot be asked.
func isKernelFile(file *os.File) bool {
	var info syscall.Statfs_t
	var failure error
	raw, err := file.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { failure = syscall.Fstatfs(int(fd), &info) })
	}
	_, kernel := kernelFileSystems[uint32(info.Type)] //nolint:gosec // the number has 32 bits
	return err != nil || failure != nil || kernel
}
