//go:build unix

package wasmjs

import (
	"fmt"
	"os"
	"syscall"
)

// checkPrivate refuses a folder that another user owns or can write to: whoever writes there runs code in our process.
func checkPrivate(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking at the compilation cache: %w", err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the compilation cache %s can be written by others (mode %04o); make it 0700", dir, info.Mode().Perm())
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() && stat.Uid != 0 {
		return fmt.Errorf("the compilation cache %s belongs to user %d; choose a folder of your own", dir, stat.Uid)
	}
	return nil
}
