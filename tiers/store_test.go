package tiers_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
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

func openStore(t *testing.T, opt tiers.StoreOptions) tiers.Store {
	t.Helper()
	s, err := tiers.OpenStore(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHeldStoreNamesItsHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	defer openStore(t, tiers.StoreOptions{Dir: dir}).Close()
	_, err := tiers.OpenStore(tiers.StoreOptions{Dir: dir})
	if !errors.Is(err, tool.Unavailable) || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("got %v", err)
	}
}

func TestEncryptedStoreNeedsItsKey(t *testing.T) {
	t.Parallel()
	opt := tiers.StoreOptions{Dir: t.TempDir(), EncryptionKey: bytes.Repeat([]byte("a"), 32)}
	if err := openStore(t, opt).Close(); err != nil {
		t.Fatal(err)
	}
	opt.EncryptionKey = bytes.Repeat([]byte("b"), 32)
	if _, err := tiers.OpenStore(opt); !errors.Is(err, tool.Unavailable) || !strings.Contains(err.Error(), "another key") {
		t.Errorf("another key: %v", err)
	}
	opt.EncryptionKey = []byte("short")
	if _, err := tiers.OpenStore(opt); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a short key: %v", err)
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
