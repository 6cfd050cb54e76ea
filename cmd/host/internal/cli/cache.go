package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"syscall"

	"example.com/toolsmith/runtime/policy"
)

// cacheDir is where compiled code is kept between runs of the program.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "toolsmith"), nil
}

// checkCache looks at a cache folder itself. What is fine is told with more about it.
func checkCache(dir, more string) check {
	const name = "cache"
	if err := tryFolder(dir); err != nil {
		return broken(name, err, cacheHint(dir, err))
	}
	return check{Name: name, OK: true, Detail: dir + ", private and writable" + more}
}

// tryFolder reports why a folder is not private, or cannot be written.
func tryFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); hasModes && mode&0o077 != 0 {
		return fmt.Errorf("%s is open to others (mode %04o)", dir, mode)
	}
	file, err := os.CreateTemp(dir, "doctor-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", dir, err)
	}
	_, err = file.WriteString("is there room")
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// hasModes tells whether the permissions of a file say who may use it.
const hasModes = goruntime.GOOS != "windows"

// cacheHint says how to mend what is wrong with a cache folder; "" is one that could not be named.
func cacheHint(dir string, err error) string {
	const other = "set XDG_CACHE_HOME to a folder of your own that can be written"
	info, missing := os.Stat(dir)
	switch {
	case dir == "":
		return "set XDG_CACHE_HOME to an absolute path, or HOME"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space, or set XDG_CACHE_HOME to a folder that has some"
	case errors.Is(err, syscall.EROFS), missing != nil, !info.IsDir():
		return other
	case hasModes && info.Mode().Perm() != 0o700:
		return "chmod 700 " + policy.ShellWord(dir) + ", if it is yours; else " + other
	}
	return other
}
