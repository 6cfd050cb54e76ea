package tiers_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
	"example.com/toolsmith/tiers/tierstest"
)

func TestStoreContract(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		onDisk bool
		key    []byte
	}{
		"memory":    {},
		"directory": {onDisk: true},
		"encrypted": {onDisk: true, key: bytes.Repeat([]byte("k"), 32)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tierstest.Run(t, func(t *testing.T) tiers.Store {
				t.Helper()
				opt := tiers.StoreOptions{EncryptionKey: c.key}
				if c.onDisk {
					opt.Dir = t.TempDir()
				}
				return openStore(t, opt)
			})
		})
	}
}

func openStore(t testing.TB, opt tiers.StoreOptions) tiers.Store {
	t.Helper()
	s, err := tiers.OpenStore(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEncryptedStoreNeedsItsKey(t *testing.T) {
	t.Parallel()
	a, b := bytes.Repeat([]byte("a"), 32), bytes.Repeat([]byte("b"), 16)
	for name, c := range map[string]struct {
		made, given []byte
		code        tool.Code // "" is that it opens
		want        string    // within the message
	}{
		"its key":               {a, a, "", ""},
		"another":               {a, b, tool.Unavailable, "is encrypted under another key, or not at all"},
		"none":                  {a, nil, tool.Unavailable, "is encrypted (give the key that it was created with: TOOLSMITH_STORE_KEY)"},
		"one that it never had": {nil, a, tool.Unavailable, "or none if it had none: TOOLSMITH_STORE_KEY"},
		"a short one":           {a, []byte("short"), tool.InvalidRequest, "5 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := tiers.StoreOptions{Dir: t.TempDir(), EncryptionKey: c.made}
			s := openStore(t, opt)
			err := s.Update(t.Context(), func(txn tiers.Txn) error { return txn.Set([]byte("a"), []byte("1")) })
			if err := errors.Join(err, s.Close()); err != nil {
				t.Fatal(err)
			}
			opt.EncryptionKey = c.given
			s, err = tiers.OpenStore(t.Context(), opt)
			if c.code == "" {
				if err != nil || s.Close() != nil {
					t.Error(err)
				}
				return
			}
			wrong := tool.AsError(err)
			if wrong == nil || wrong.Code != c.code || !strings.Contains(wrong.Message+" ("+wrong.Hint+")", c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEncryptedStoreHidesEverything(t *testing.T) {
	t.Parallel()
	for _, key := range [][]byte{nil, bytes.Repeat([]byte("k"), 24)} {
		dir := t.TempDir()
		s, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{EncryptionKey: key}, tiers.Options{Source: tiers.Plain})
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("x", 64<<10) // lies in the value log
		_, err = s.Put(t.Context(), ann1, draft("unmistakable", "code_of_"+long))
		if err := errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"unmistakable", "code_of_"} {
			if got := onDisk(t, dir, text); got != (key == nil) {
				t.Errorf("under a key of %d bytes, %s is on disk: %v", len(key), text, got)
			}
		}
	}
}

func TestKeysAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ store, source int }{ // bytes of the key; less than 0 is refused
		"":                                 {0, -1},
		strings.Repeat("0f", 16):           {16, -1},
		strings.Repeat("0F", 24):           {24, -1},
		strings.Repeat("0f", 32) + "\n":    {32, 32},
		" \n":                              {-1, -1},
		strings.Repeat("0f", 31):           {-1, -1},
		strings.Repeat("0f", 33):           {-1, -1},
		strings.Repeat("secret secret", 4): {-1, -1},
	} {
		for name, c := range map[string]struct {
			parse func(string) ([]byte, error)
			want  int
		}{"store": {tiers.ParseStoreKey, want.store}, "source": {tiers.ParseSourceKey, want.source}} {
			k, err := c.parse(text)
			if c.want < 0 && (!errors.Is(err, tool.InvalidRequest) || strings.Contains(err.Error(), "secret")) || c.want >= 0 && (err != nil || len(k) != c.want) {
				t.Errorf("%s key %q: %d bytes, %v", name, text, len(k), err)
			}
		}
	}
}

func TestEmptyLogsDoNotStopTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openStore(t, tiers.StoreOptions{Dir: dir})
	err := errors.Join(
		s.Update(t.Context(), func(txn tiers.Txn) error { return txn.Set([]byte("a"), []byte("1")) }),
		s.Close(),
		os.WriteFile(filepath.Join(dir, "000099.vlog"), nil, 0o600), // as a process leaves it that is killed at the wrong moment
		os.WriteFile(filepath.Join(dir, "00099.mem"), nil, 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	s = openStore(t, tiers.StoreOptions{Dir: dir})
	defer s.Close()
	err = s.View(t.Context(), func(r tiers.Reader) error {
		if _, found, err := r.Get([]byte("a")); err != nil || !found {
			t.Errorf("what was kept is gone: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestStoreCollectsAndLogs(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := openStore(t, tiers.StoreOptions{
		Dir: t.TempDir(), CollectEvery: time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if log.Len() == 0 {
		t.Error("the logger was not used")
	}
}
