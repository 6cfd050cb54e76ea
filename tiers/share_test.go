package tiers_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
	"example.com/toolsmith/tiers/tierstest"
)

// openGuest opens a store that another one of this process holds.
func openGuest(t testing.TB, opt tiers.StoreOptions) tiers.Store {
	t.Helper()
	holder := openStore(t, opt)
	t.Cleanup(func() {
		if err := holder.Close(); err != nil {
			t.Error(err)
		}
	})
	return openStore(t, opt)
}

func TestSharedStoreContract(t *testing.T) {
	t.Parallel()
	for name, key := range map[string][]byte{"in the clear": nil, "encrypted": bytes.Repeat([]byte("k"), 32)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tierstest.Run(t, func(t *testing.T) tiers.Store {
				t.Helper()
				return openGuest(t, tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store"), EncryptionKey: key})
			})
		})
	}
}

func TestLongPathsAreShared(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30), "store")
	for range 2 { // the second time, something of the first may be left
		s := openStore(t, tiers.StoreOptions{Dir: dir})
		guest := openStore(t, tiers.StoreOptions{Dir: dir})
		add(t, guest, "n")
		if err := errors.Join(guest.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(dir + ".*"); err != nil || len(left) != 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
}

// add counts up under a key.
func add(t testing.TB, s tiers.Store, key string) {
	t.Helper()
	err := s.Update(context.Background(), func(txn tiers.Txn) error {
		value, found, err := txn.Get([]byte(key))
		if !found {
			value = make([]byte, 8)
		}
		if err != nil {
			return err
		}
		return txn.Set([]byte(key), binary.BigEndian.AppendUint64(nil, binary.BigEndian.Uint64(value)+1))
	})
	if err != nil {
		t.Error(err)
	}
}

func counted(t testing.TB, s tiers.Store, key string) (n uint64) {
	t.Helper()
	err := s.View(context.Background(), func(r tiers.Reader) error {
		value, found, err := r.Get([]byte(key))
		if found {
			n = binary.BigEndian.Uint64(value)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

func TestGuestsLoseNoUpdates(t *testing.T) {
	t.Parallel()
	const guests, rounds = 8, 40
	opt := tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store")}
	holder := openStore(t, opt)
	defer holder.Close()
	var all sync.WaitGroup
	for range guests {
		guest := openStore(t, opt)
		all.Go(func() {
			defer guest.Close()
			for range rounds {
				add(t, guest, "n")
			}
		})
	}
	for range rounds {
		add(t, holder, "n")
	}
	all.Wait()
	if n := counted(t, holder, "n"); n != (guests+1)*rounds {
		t.Errorf("%d updates of %d are there", n, (guests+1)*rounds)
	}
}

// TestHoldersLeaveInOrder lets one holder after another close under load. Nobody meets an error, and nothing is lost.
func TestHoldersLeaveInOrder(t *testing.T) {
	t.Parallel()
	const guests, rounds, holders = 4, 60, 6
	opt := tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store")}
	first := openStore(t, opt)
	var all sync.WaitGroup
	for i := range guests {
		guest := openStore(t, opt)
		all.Go(func() {
			for n := range rounds {
				add(t, guest, "n")
				add(t, guest, fmt.Sprint("own", i))
				if got := counted(t, guest, fmt.Sprint("own", i)); got != uint64(n)+1 {
					t.Errorf("guest %d wrote %d and reads %d", i, n+1, got)
				}
			}
			if err := guest.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	for range holders {
		short := openStore(t, opt)
		add(t, short, "short")
		if err := short.Close(); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	last := openStore(t, opt)
	defer last.Close()
	if n, short := counted(t, last, "n"), counted(t, last, "short"); n != guests*rounds || short != holders {
		t.Errorf("%d updates of %d are there, and %d of %d", n, guests*rounds, short, holders)
	}
}

func TestHolderLetsTransactionsEnd(t *testing.T) {
	t.Parallel()
	opt := tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store")}
	holder := openStore(t, opt)
	guest := openStore(t, opt)
	defer guest.Close()
	closed := make(chan error)
	runs := 0
	err := guest.Update(t.Context(), func(txn tiers.Txn) error {
		runs++
		if _, _, err := txn.Get([]byte("a")); err != nil {
			return err
		}
		if runs == 1 {
			go func() { closed <- holder.Close() }()
			time.Sleep(50 * time.Millisecond)
		}
		return txn.Set([]byte("a"), []byte("1"))
	})
	if err != nil || runs != 1 {
		t.Errorf("it ran %d times, %v", runs, err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	add(t, guest, "n") // as the holder, now
}

func TestOtherKeysAreRefusedBySharing(t *testing.T) {
	t.Parallel()
	a, b := bytes.Repeat([]byte("a"), 32), bytes.Repeat([]byte("b"), 32)
	for _, c := range [][2][]byte{{a, b}, {a, nil}, {nil, b}} {
		dir := filepath.Join(t.TempDir(), "store")
		holder := openStore(t, tiers.StoreOptions{Dir: dir, EncryptionKey: c[0]})
		_, err := tiers.OpenStore(t.Context(), tiers.StoreOptions{Dir: dir, EncryptionKey: c[1]})
		if wrong := tool.AsError(err); wrong == nil || wrong.Code != tool.Unavailable || !strings.Contains(wrong.Hint, "TOOLSMITH_STORE_KEY") {
			t.Errorf("got %v", err)
		}
		if err := holder.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSocketIsForItsUserAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	if len(path) > 90 {
		t.Skip("the path of the test is too long")
	}
	s := openStore(t, tiers.StoreOptions{Dir: path})
	info, err := os.Stat(path + ".sock")
	if err != nil || info.Mode().Perm() != 0o600 || info.Mode().Type() != os.ModeSocket {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + ".sock"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

func TestGuestsSeeOwnWritesAndScanBack(t *testing.T) {
	t.Parallel()
	s := openGuest(t, tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store")})
	defer s.Close()
	const n = 1500 // several batches
	err := s.Update(t.Context(), func(txn tiers.Txn) error {
		for i := range n {
			if err := txn.Set(fmt.Appendf(nil, "k%04d", i), bytes.Repeat([]byte("v"), 300)); err != nil {
				return err
			}
		}
		var keys []string
		for _, reverse := range []bool{false, true} {
			err := txn.Scan(tiers.Range{Prefix: []byte("k"), Reverse: reverse}, func(key, _ []byte) (bool, error) {
				keys = append(keys, string(key))
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		if len(keys) != 2*n || keys[0] != "k0000" || keys[n-1] != "k1499" || keys[n] != "k1499" || keys[2*n-1] != "k0000" || !slices.IsSorted(keys[:n]) {
			t.Errorf("%d keys, not %d in order", len(keys), 2*n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTooMuchIsALimit(t *testing.T) {
	t.Parallel()
	opt := tiers.StoreOptions{Dir: filepath.Join(t.TempDir(), "store")}
	holder := openStore(t, opt)
	defer holder.Close()
	guest := openStore(t, opt)
	defer guest.Close()
	large := make([]byte, 16<<20)
	for name, s := range map[string]tiers.Store{"holder": holder, "guest": guest} {
		for what, fn := range map[string]func(tiers.Txn) error{
			"a key":   func(txn tiers.Txn) error { return txn.Set(make([]byte, 70_000), nil) },
			"a value": func(txn tiers.Txn) error { return txn.Set([]byte("a"), append(large, 0)) },
			"many": func(txn tiers.Txn) error {
				for i := range 5 {
					if err := txn.Set(fmt.Appendf(nil, "%d", i), large); err != nil {
						return err
					}
				}
				return nil
			},
		} {
			if err := s.Update(t.Context(), fn); !errors.Is(err, tool.Limit) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		add(t, s, "after")
	}
}

// TestFirstStartsAgreeOnAKey opens a new directory from several sides at once.
func TestFirstStartsAgreeOnAKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shelves := make([]*tiers.Shelf, 8)
	ids := make([]string, len(shelves))
	var all sync.WaitGroup
	for i := range shelves {
		all.Go(func() {
			s, err := tiers.Open(context.Background(), dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
			if err != nil {
				t.Error(err)
				return
			}
			r, err := s.Put(context.Background(), as("ann", strconv.Itoa(i)), draft("a", "code"))
			if err != nil {
				t.Error(err)
				return
			}
			shelves[i], ids[i] = s, r.ID
		})
	}
	all.Wait()
	for i, s := range shelves {
		if s == nil {
			continue
		}
		if _, err := s.Implementation(t.Context(), "acme", ids[(i+1)%len(ids)]); err != nil {
			t.Errorf("what another has sealed: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "source.key.*")); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// ears collect what a shelf is told.
type ears struct {
	mu     sync.Mutex
	events []tool.AuditEvent
	lost   int
}

func (e *ears) options() tiers.Options {
	return tiers.Options{
		TendEvery: -1,
		Watch:     func(event tool.AuditEvent) { e.mu.Lock(); defer e.mu.Unlock(); e.events = append(e.events, event) },
		Lost:      func() { e.mu.Lock(); defer e.mu.Unlock(); e.lost++ },
	}
}

func (e *ears) wait(t *testing.T, what string, until func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		e.mu.Lock()
		done := until()
		e.mu.Unlock()
		if done {
			return
		}
	}
	t.Errorf("never: %s", what)
}

func openHeard(t *testing.T, dir string, e *ears) *tiers.Shelf {
	t.Helper()
	s, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{}, e.options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEntriesOfOthersAreTold(t *testing.T) {
	t.Parallel()
	const each = 30
	dir := t.TempDir()
	heard := [3]ears{}
	var shelves []*tiers.Shelf
	for i := range heard {
		shelves = append(shelves, openHeard(t, dir, &heard[i]))
	}
	var all sync.WaitGroup
	for i, s := range shelves {
		all.Go(func() {
			for n := range each {
				if err := s.Log(t.Context(), as("ann", strconv.Itoa(i)), "", tool.ForgeRequested, map[string]int{"n": n}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range heard {
		e := &heard[i]
		e.wait(t, fmt.Sprintf("shelf %d hears of %d entries", i, 3*each), func() bool { return len(e.events) >= 3*each })
		e.mu.Lock()
		seen, last := map[uint64]int{}, uint64(0)
		for _, event := range e.events {
			seen[event.Sequence]++
			if event.SessionID == strconv.Itoa(i) {
				continue
			}
			if event.Sequence < last {
				t.Errorf("shelf %d hears of %d after %d", i, event.Sequence, last)
			}
			last = event.Sequence
		}
		if len(seen) != 3*each || len(e.events) != 3*each || e.lost != 0 {
			t.Errorf("shelf %d heard of %d entries in %d, and lost some %d times", i, len(seen), len(e.events), e.lost)
		}
		e.mu.Unlock()
	}
	if err := shelves[0].Close(); err != nil { // it holds the store
		t.Error(err)
	}
	for i := 1; i < 3; i++ {
		heard[i].wait(t, "the loss is told", func() bool { return heard[i].lost >= 2 })
	}
	heard[2].mu.Lock()
	before := heard[2].lost
	heard[2].mu.Unlock()
	if err := shelves[1].Log(t.Context(), ann1, "", tool.ForgeRequested, nil); err != nil {
		t.Error(err)
	}
	// It may have followed the holder that was closing once more: then it is told of another loss, which the entry is in.
	heard[2].wait(t, "the entry after the loss, or another loss, is told", func() bool { return len(heard[2].events) == 3*each+1 || heard[2].lost > before })
	for _, s := range shelves[1:] {
		if _, err := s.Verify(t.Context(), "acme"); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkShared(b *testing.B) {
	opt := tiers.StoreOptions{Dir: filepath.Join(b.TempDir(), "store")}
	guest := openGuest(b, opt)
	defer guest.Close()
	holder := openStore(b, tiers.StoreOptions{Dir: filepath.Join(b.TempDir(), "store")})
	defer holder.Close()
	for name, s := range map[string]tiers.Store{"local": holder, "remote": guest} {
		add(b, s, "n")
		b.Run("get/"+name, func(b *testing.B) {
			for b.Loop() {
				counted(b, s, "n")
			}
		})
		b.Run("commit/"+name, func(b *testing.B) {
			for b.Loop() {
				add(b, s, "n")
			}
		})
		b.Run("sync/"+name, func(b *testing.B) {
			for b.Loop() {
				add(b, s, "n")
				if err := s.Sync(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
