package wasmjs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCodeCacheOfOthers has programs with different builds of wazero share the folder: neither throws out the other's code.
func TestCodeCacheOfOthers(t *testing.T) {
	t.Parallel()
	cacheDir := filepath.Join(t.TempDir(), "cache")
	cache, err := openCodeCache(cacheDir)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(cache.dir, "wazero-other", "entry")
	if err := os.Mkdir(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("machine code"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache.seal()
	e, err := New(t.Context(), Options{CacheDir: cacheDir})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if !cache.intact() || cache.count() != 2 {
		t.Errorf("intact %v with %d entries, not sealed with both", cache.intact(), cache.count())
	}
}
