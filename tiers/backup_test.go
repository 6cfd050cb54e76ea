package tiers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// backedUp is a backup of more than one transaction, and the key of its sources.
func backedUp(t *testing.T) (backup, key []byte) {
	t.Helper()
	w := newWorld(t, t.TempDir(), tiers.Options{Source: tiers.Plain})
	for _, name := range []string{"a", "b", "c", "d"} {
		w.put(ann1, name, strings.Repeat("x", 700<<10))
	}
	var out bytes.Buffer
	w.must(tiers.Backup(t.Context(), w.Store(), &out))
	key, err := os.ReadFile(filepath.Join(w.dir, "source.key"))
	w.must(err)
	return out.Bytes(), key
}

// leaving is a store whose process is killed as soon as reading fails: nothing is cleared up.
type leaving struct{ tiers.Store }

func (l *leaving) Update(ctx context.Context, fn func(tiers.Txn) error) error {
	return l.Store.Update(ctx, func(txn tiers.Txn) error { return fn(keeping{txn}) })
}

type keeping struct{ tiers.Txn }

func (keeping) Delete([]byte) error { return errors.New("killed") }

func TestUnfinishedRestoreIsNotWhole(t *testing.T) {
	t.Parallel()
	backup, _ := backedUp(t)
	dir := filepath.Join(t.TempDir(), "data")
	s := openStore(t, tiers.StoreOptions{Dir: filepath.Join(dir, "store")})
	cut, stop := io.Pipe()
	go func() { _, _ = stop.Write(backup[:len(backup)*3/4]); _ = stop.CloseWithError(errors.New("killed")) }()
	left := &leaving{Store: s}
	if err := tiers.Restore(t.Context(), left, cut); err == nil {
		t.Fatal("restored")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{}, tiers.Options{})
	if wrong := tool.AsError(err); wrong == nil || wrong.Code != tool.Unavailable || !strings.Contains(wrong.Hint, "restore the backup again") {
		t.Errorf("opened: %v", err)
	}
	s = openStore(t, tiers.StoreOptions{Dir: filepath.Join(dir, "store")})
	if err := tiers.Backup(t.Context(), s, io.Discard); !errors.Is(err, tool.Unavailable) {
		t.Errorf("backed up: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tiers.RestoreDir(t.Context(), dir, tiers.StoreOptions{}, bytes.NewReader(backup)); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, dir, tiers.Options{Source: tiers.Plain})
	if list, err := w.List(t.Context(), "acme", tiers.Filter{}); err != nil || len(list) != 4 {
		t.Errorf("%d tools, %v", len(list), err)
	}
}

func TestRestoreRefusals(t *testing.T) {
	t.Parallel()
	backup, key := backedUp(t)
	for name, c := range map[string]struct {
		backup []byte
		there  []string // files in the directory; nil is that it is not there
		want   string   // "" is that it is restored
		left   string   // what is in the directory afterwards
	}{
		"whole":               {backup, nil, "", "store"},
		"into an empty one":   {backup, []string{}, "", "store"},
		"behind the key":      {backup, []string{"source.key"}, "", "source.key store"},
		"more behind its end": {append(bytes.Clone(backup), 'x'), nil, "more follows its end", "-"},
		"cut off":             {backup[:len(backup)-1], []string{}, "not a whole backup", ""},
		"cut off behind key":  {backup[:len(backup)/2], []string{"source.key"}, "not a whole backup", "source.key"},
		"other files":         {backup, []string{"notes.txt"}, `it holds "notes.txt"`, "notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if c.there != nil {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, file := range c.there {
				if err := os.WriteFile(filepath.Join(dir, file), key, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := tiers.RestoreDir(t.Context(), dir, tiers.StoreOptions{}, bytes.NewReader(c.backup))
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v", err)
			}
			if got := files(dir); got != c.left {
				t.Errorf("left are %q, want %q", got, c.left)
			}
		})
	}
}

// files are the names in a directory; "-" when it is not there.
func files(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "-"
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestShelfClosesOnce(t *testing.T) {
	t.Parallel()
	s, err := tiers.Open(t.Context(), t.TempDir(), tiers.StoreOptions{}, tiers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestToolsComeBackWithTheirKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	r := w.put(ann1, "a", "code")
	w.restart(func(o *tiers.Options) { o.SourceKey = bytes.Repeat([]byte("k"), 32) })
	w.must(w.Load(t.Context(), nil))
	if s := w.get(r.ID).Suspended; s == nil || s.Reason != tool.SourceMissing {
		t.Fatalf("under another key: %v", s)
	}
	_, err := w.Implementation(t.Context(), "acme", r.ID)
	if wrong := tool.AsError(err); wrong == nil || !strings.Contains(wrong.Hint, "TOOLSMITH_SOURCE_KEY") {
		t.Errorf("the hint is not there: %v", err)
	}
	w.restart(func(o *tiers.Options) { o.SourceKey = nil })
	w.must(w.Load(t.Context(), nil))
	if s := w.get(r.ID).Suspended; s != nil {
		t.Errorf("under its own key again: %v", s.Reason)
	}
}
