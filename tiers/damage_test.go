package tiers_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// written is a store with a table, and with a value in its value log: the first, which is too long for tables.
func written(t *testing.T, key []byte) tiers.StoreOptions {
	t.Helper()
	opt := tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store"), EncryptionKey: key}
	s := openStore(t, opt)
	noise := rand.NewChaCha8([32]byte{}) // what compresses well may survive a change of a bit
	err := s.Update(t.Context(), func(txn tiers.Txn) error {
		for i := range 200 {
			length := 100 + i%2*10_000
			if i == 0 {
				length = 1<<20 + 1
			}
			value := make([]byte, length)
			_, _ = noise.Read(value)
			if err := txn.Set(fmt.Appendf(nil, "key %d", i), value); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return opt
}

// readAll opens a store and reads everything.
func readAll(t *testing.T, opt tiers.StoreOptions) error {
	t.Helper()
	s, err := tiers.OpenStore(t.Context(), opt)
	if err != nil {
		return err
	}
	n := 0
	err = s.View(t.Context(), func(r tiers.Reader) error {
		return r.Scan(tiers.Range{}, func(_, _ []byte) (bool, error) { n++; return true, nil })
	})
	if err == nil && n != 200 {
		t.Errorf("%d of 200 are left, and nothing was said", n)
	}
	return errors.Join(err, s.Close())
}

func TestDamagedStoreIsRefused(t *testing.T) {
	t.Parallel()
	flip := func(at float64) func([]byte) []byte {
		return func(b []byte) []byte { b[int(at*float64(len(b)-1))] ^= 0x10; return b }
	}
	for name, c := range map[string]struct {
		file   string
		change func([]byte) []byte // nil removes the file
	}{
		"table gone":          {"*.sst", nil},
		"table empty":         {"*.sst", func([]byte) []byte { return nil }},
		"table cut off":       {"*.sst", func(b []byte) []byte { return b[:len(b)/2] }},
		"table zeroed":        {"*.sst", func(b []byte) []byte { clear(b); return b }},
		"table overwritten":   {"*.sst", func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }},
		"bit of a block":      {"*.sst", flip(0.2)},
		"bit of the first":    {"*.sst", flip(0)},
		"bit of the end":      {"*.sst", flip(1)},
		"bit of the footer":   {"*.sst", flip(0.99)},
		"manifest gone":       {"MANIFEST", nil},
		"manifest empty":      {"MANIFEST", func([]byte) []byte { return nil }},
		"bit of the manifest": {"MANIFEST", flip(0.9)},
		"value log gone":      {"000001.vlog", nil},
		"bit of a value":      {"000001.vlog", func(b []byte) []byte { b[30_000] ^= 1; return b }},
		"registry cut off":    {"KEYREGISTRY", func(b []byte) []byte { return b[:5] }},
		"bit of the registry": {"KEYREGISTRY", func(b []byte) []byte { b[20] ^= 1; return b }},
	} {
		for _, key := range [][]byte{nil, bytes.Repeat([]byte("k"), 32)} {
			t.Run(fmt.Sprintf("%s, key of %d", name, len(key)), func(t *testing.T) {
				t.Parallel()
				opt := written(t, key)
				if err := readAll(t, opt); err != nil {
					t.Fatal(err)
				}
				damage(t, filepath.Join(opt.Dir, c.file), c.change)
				err := tool.AsError(readAll(t, opt))
				if err == nil || err.Code != tool.Unavailable || !strings.Contains(err.Message, "the store in "+opt.Dir+" is damaged: ") || !strings.Contains(err.Hint, "backup") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

// damage changes the first file that fits a pattern.
func damage(t *testing.T, pattern string, change func([]byte) []byte) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	if change == nil {
		err = os.Remove(files[0])
	} else {
		text, readErr := os.ReadFile(files[0])
		err = errors.Join(readErr, os.WriteFile(files[0], change(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestDirectoryThatIsNone(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"a file for the store": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "store"), nil, 0o600))
		},
		"no lock can be made": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "store", "LOCK"), 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if err := make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{}, tiers.Options{})
			wrong := tool.AsError(err)
			if wrong == nil || wrong.Code != tool.Unavailable || !strings.Contains(wrong.Message, "cannot be used") || wrong.Hint == "" || strings.Contains(wrong.Hint, "wait") {
				t.Errorf("got %v", err)
			}
		})
	}
}
