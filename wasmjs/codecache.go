package wasmjs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"example.com/toolsmith/assets"
)

// codeCache is the folder that keeps one engine's machine code between starts. What lies there runs in our process, and
// wazero trusts it but for a check of the code alone, so a sum of our own covers every byte. Processes share it under a
// lock: one compiles, the others wait for it.
type codeCache struct{ dir string }

// openCodeCache makes the folder for the embedded engine within cacheDir. It must be ours alone.
func openCodeCache(cacheDir string) (codeCache, error) {
	c := codeCache{filepath.Join(cacheDir, "engine-"+assets.QuickJSSHA256()[:16])}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return c, fmt.Errorf("making the compilation cache: %w", err)
	}
	return c, errors.Join(checkPrivate(cacheDir), checkPrivate(c.dir))
}

// compile compiles the engine, or takes its code from the folder when that is as it was left.
func (c codeCache) compile(ctx context.Context) (*module, error) {
	if m, entries, err := c.take(ctx); m != nil || err != nil {
		if c.count() != entries { // the code there was another wazero's, or another processor's
			defer lockFolder(c.dir, true)()
			c.seal()
		}
		return m, err
	}
	defer lockFolder(c.dir, true)()
	if !c.intact() { // another process may have filled it meanwhile
		if err := c.clear(); err != nil {
			return nil, err
		}
	}
	m, err := tryCompile(ctx, c.dir, false)
	if err == nil {
		c.seal()
	}
	return m, err
}

// take compiles the engine with what an intact folder holds, and tells how many entries that were. There is no module where
// the folder is not intact.
func (c codeCache) take(ctx context.Context) (m *module, entries int, err error) {
	defer lockFolder(c.dir, false)()
	if !c.intact() {
		return nil, 0, nil
	}
	entries = c.count()
	m, err = tryCompile(ctx, c.dir, false)
	return m, entries, err
}

// count is the number of wazero's files.
func (c codeCache) count() int {
	entries, _ := c.entries()
	return len(entries)
}

func (c codeCache) sumFile() string { return filepath.Join(c.dir, "sum") }

// intact reports whether the folder holds what it was sealed with.
func (c codeCache) intact() bool {
	noted, err := os.ReadFile(c.sumFile())
	if err != nil {
		return false
	}
	sum, err := c.sum()
	return err == nil && sum == string(noted)
}

// seal notes the sum of what the folder holds. Where that cannot be written the next start compiles anew.
func (c codeCache) seal() {
	if sum, err := c.sum(); err == nil {
		_ = os.WriteFile(c.sumFile(), []byte(sum), 0o600)
	}
}

// entries are wazero's files, in order.
func (c codeCache) entries() ([]string, error) {
	entries, err := filepath.Glob(filepath.Join(c.dir, "wazero-*", "*"))
	sort.Strings(entries)
	return entries, err
}

// maxEntry bounds what is read of one file; the engine's code has about 5 MB.
const maxEntry = 64 << 20

// sum is a hash over the names and the bytes of wazero's files.
func (c codeCache) sum() (string, error) {
	entries, err := c.entries()
	if err != nil || len(entries) == 0 {
		return "", errors.Join(errors.New("the cache is empty"), err)
	}
	h := sha256.New()
	for _, entry := range entries {
		info, err := os.Lstat(entry)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxEntry {
			return "", errors.Join(errors.New("not a file of ours"), err)
		}
		code, err := os.ReadFile(entry) //nolint:gosec // within the folder that is ours alone
		if err != nil {
			return "", err
		}
		_, _ = fmt.Fprintf(h, "%q %d\n", filepath.Base(entry), len(code))
		h.Write(code)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// clear removes wazero's files.
func (c codeCache) clear() error {
	folders, err := filepath.Glob(filepath.Join(c.dir, "wazero-*"))
	for _, folder := range folders {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("clearing the compilation cache: %w", err)
	}
	return nil
}
