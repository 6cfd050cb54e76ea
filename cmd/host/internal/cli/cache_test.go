package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What mends a cache depends on what is wrong with it.
func TestCacheHint(t *testing.T) {
	t.Parallel()
	private, open := filepath.Join(t.TempDir(), "private"), filepath.Join(t.TempDir(), "my open")
	for dir, mode := range map[string]fs.FileMode{private: 0o700, open: 0o750} {
		if err := os.Mkdir(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(private, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir  string
		err  error
		want string
	}{
		"no name":       {"", os.ErrInvalid, "or HOME"},
		"full disk":     {private, &fs.PathError{Err: syscall.ENOSPC}, "free some space"},
		"over quota":    {private, fmt.Errorf("a: %w", syscall.EDQUOT), "free some space"},
		"read-only":     {open, syscall.EROFS, "set XDG_CACHE_HOME"},
		"a file":        {file, syscall.ENOTDIR, "set XDG_CACHE_HOME"},
		"below a file":  {filepath.Join(file, "toolsmith"), syscall.ENOTDIR, "set XDG_CACHE_HOME"},
		"someone's own": {private, os.ErrPermission, "set XDG_CACHE_HOME"},
	} {
		if got := cacheHint(c.dir, c.err); !strings.Contains(got, c.want) || strings.Contains(got, "chmod") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := cacheHint(open, os.ErrPermission); hasModes && !strings.HasPrefix(got, "chmod 700 '"+open+"'") {
		t.Errorf("open: got %q", got)
	}
}
