package tiers

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestKeysSortAsTheirParts(t *testing.T) {
	t.Parallel()
	ordered := [][]string{{"a"}, {"a", ""}, {"a", "", "x"}, {"a", "\x00"}, {"a", "\x00\x01"}, {"a", "\x01"}, {"a", "b"}, {"a", "b", "c"}, {"a", "ba"}, {"a\x00", "b"}, {"aa"}}
	for i := range ordered[1:] {
		a, b := ordered[i], ordered[i+1]
		if bytes.Compare(key(a[0], a[1:]...), key(b[0], b[1:]...)) >= 0 {
			t.Errorf("%q does not come before %q", a, b)
		}
	}
	if bytes.HasPrefix(key("s", "sess-10"), key("s", "sess-1")) {
		t.Error("a session's key begins with another's")
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("space", "tenant", "\x00\x01")
	f.Add("", "\x00\xff", "\xff\x00")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		whole := key(a, b, c)
		if got, ok := parts(whole); !ok || !slices.Equal(got, []string{a, b, c}) {
			t.Fatalf("%q came back as %q", []string{a, b, c}, got)
		}
		if !bytes.HasPrefix(whole, key(a, b)) || bytes.HasPrefix(whole, key(a, b+c+"x")) {
			t.Fatal("the prefix of a key is not that of its parts")
		}
		if got, ok := parts([]byte(a + b + c)); ok && !bytes.Equal(key(got[0], got[1:]...), []byte(a+b+c)) {
			t.Fatalf("%q reads as %q, which is written otherwise", a+b+c, got)
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"id":"a","name":"b","tier":"session","implementation":{"mode":"sandbox"},"judgeVerdicts":[{"approved":true}]}`))
	f.Add([]byte(`{"id":"a","tier":"agent","implementation":{"mode":"compose","steps":[{"inputMapping":{"a":1e999}}]},"judgeVerdicts":[{"safetyAuditor":null}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decodeRecord(text)
		if err != nil {
			if !errors.Is(err, tool.Internal) {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := decodeRecord(first)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if second, _ := json.Marshal(again); !bytes.Equal(first, second) {
			t.Fatalf("got %s\nwant %s", second, first)
		}
	})
}

func TestMigrations(t *testing.T) {
	t.Parallel()
	s, err := OpenStore(t.Context(), StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var ran []int
	step := func(n int) migration { return func(Txn) error { ran = append(ran, n); return nil } }
	failing := func(Txn) error { return tool.Errorf(tool.Internal, "no") }
	for _, c := range []struct {
		steps []migration
		ran   []int
		ok    bool
	}{
		{nil, nil, true},
		{nil, nil, true},
		{[]migration{step(1), step(2)}, []int{1, 2}, true},
		{[]migration{step(1), step(2), failing}, nil, false},
		{[]migration{step(1), step(2), step(3)}, []int{3}, true},
		{[]migration{step(1)}, nil, false}, // the store is newer
	} {
		ran = nil
		if err := migrate(t.Context(), s, c.steps); (err == nil) != c.ok || !slices.Equal(ran, c.ran) {
			t.Errorf("%d steps: ran %v, %v", len(c.steps), ran, err)
		}
	}
}

func TestForeignStoreIsRefused(t *testing.T) {
	t.Parallel()
	s, err := OpenStore(t.Context(), StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Update(t.Context(), func(txn Txn) error { return txn.Set([]byte("x"), []byte("y")) }); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), s, nil); !errors.Is(err, tool.Unavailable) {
		t.Errorf("got %v", err)
	}
}

func TestHeldStoreNamesItsHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := openAlone(StoreOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = OpenStore(t.Context(), StoreOptions{Dir: dir})
	if !errors.Is(err, tool.Unavailable) || !strings.Contains(err.Error(), "process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("got %v", err)
	}
}
