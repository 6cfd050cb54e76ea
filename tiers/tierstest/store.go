// Package tierstest is the contract of a tiers.Store as a test, for every adapter there is. It is for tests only.
package tierstest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// Run tests a kind of store. open returns an empty one; Run closes it.
func Run(t *testing.T, open func(t *testing.T) tiers.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, tiers.Store){
		"what is set is there":            setAndGet,
		"a failed update changes nothing": failedUpdate,
		"scans go in order":               scans,
		"updates do not lose each other":  counters,
		"a view is of one moment":         views,
		"large values":                    largeValues,
		"a canceled context":              canceled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			defer s.Close()
			test(t, s)
		})
	}
	t.Run("backup and restore", func(t *testing.T) { t.Parallel(); backups(t, open) })
}

func setAndGet(t *testing.T, s tiers.Store) {
	t.Helper()
	update(t, s, func(txn tiers.Txn) error {
		must(t, txn.Set([]byte("a"), []byte("1")))
		must(t, txn.Set([]byte("b"), []byte("2")))
		if value, found, err := txn.Get([]byte("a")); err != nil || !found || string(value) != "1" {
			t.Errorf("a transaction does not see its own change: %q, %v, %v", value, found, err)
		}
		return txn.Delete([]byte("b"))
	})
	must(t, s.Sync(t.Context()))
	if got := dump(t, s, tiers.Range{}); got != "a=1" {
		t.Errorf("the store holds %s", got)
	}
	update(t, s, func(txn tiers.Txn) error { return txn.Delete([]byte("not there")) })
}

func failedUpdate(t *testing.T, s tiers.Store) {
	t.Helper()
	want := errors.New("mine")
	err := s.Update(t.Context(), func(txn tiers.Txn) error {
		must(t, txn.Set([]byte("a"), []byte("1")))
		return tool.Errorf(tool.Collision, "%w", want)
	})
	if !errors.Is(err, want) || !errors.Is(err, tool.Collision) {
		t.Errorf("the function's error became %v", err)
	}
	if got := dump(t, s, tiers.Range{}); got != "" {
		t.Errorf("the store holds %s", got)
	}
}

func scans(t *testing.T, s tiers.Store) {
	t.Helper()
	update(t, s, func(txn tiers.Txn) error {
		for _, k := range []string{"x", "a/2", "a/10", "a/1", "a", "b", "a/\xff", "a/\xff\xff"} {
			must(t, txn.Set([]byte(k), []byte("v")))
		}
		return nil
	})
	for want, r := range map[string]tiers.Range{
		"a=v a/1=v a/10=v a/2=v a/\xff=v a/\xff\xff=v b=v x=v": {},
		"a/1=v a/10=v a/2=v a/\xff=v a/\xff\xff=v":             {Prefix: []byte("a/")},
		"a/10=v a/2=v a/\xff=v a/\xff\xff=v":                   {Prefix: []byte("a/"), From: []byte("a/10")},
		"a/1=v":                                                {Prefix: []byte("a/"), From: []byte("a/1"), Reverse: true},
		"a/10=v a/1=v":                                         {Prefix: []byte("a/"), From: []byte("a/11"), Reverse: true},
		"b=v":                                                  {Prefix: []byte("b"), Reverse: true},
		"":                                                     {Prefix: []byte("c"), Reverse: true},
		"a/10=v a/1=v!":                                        {Prefix: []byte("a/1"), Reverse: true},
		"a=v a/1=v a/10=v a/2=v a/\xff=v a/\xff\xff=v": {Prefix: []byte("a")},
	} {
		if got := dump(t, s, r); got != strings.TrimSuffix(want, "!") {
			t.Errorf("%+v: got %q, want %q", r, got, want)
		}
	}
	visited := 0
	must(t, s.View(t.Context(), func(v tiers.Reader) error {
		return v.Scan(tiers.Range{}, func([]byte, []byte) (bool, error) { visited++; return visited < 3, nil })
	}))
	if visited != 3 {
		t.Errorf("a scan went on to %d keys after it was told to stop at 3", visited)
	}
}

func counters(t *testing.T, s tiers.Store) {
	t.Helper()
	const workers, rounds = 8, 50
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range rounds {
				update(t, s, func(txn tiers.Txn) error {
					value, found, err := txn.Get([]byte("n"))
					if !found {
						value = make([]byte, 8)
					}
					n := binary.BigEndian.Uint64(value)
					return errors.Join(err, txn.Set([]byte("n"), binary.BigEndian.AppendUint64(nil, n+1)))
				})
			}
		})
	}
	all.Wait()
	if got, want := dump(t, s, tiers.Range{}), "n="+string(binary.BigEndian.AppendUint64(nil, workers*rounds)); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

func views(t *testing.T, s tiers.Store) {
	t.Helper()
	update(t, s, func(txn tiers.Txn) error { return txn.Set([]byte("a"), []byte("1")) })
	must(t, s.View(t.Context(), func(v tiers.Reader) error {
		if _, found, err := v.Get([]byte("b")); found || err != nil { // the moment is that of the first read, at the latest
			t.Errorf("a view sees what is not there: %v", err)
		}
		update(t, s, func(txn tiers.Txn) error {
			return errors.Join(txn.Set([]byte("a"), []byte("2")), txn.Set([]byte("b"), nil))
		})
		value, _, err := v.Get([]byte("a"))
		if string(value) != "1" {
			t.Errorf("a view sees %s, which came later", value)
		}
		return errors.Join(err, v.Scan(tiers.Range{}, func(key, value []byte) (bool, error) {
			if string(key) != "a" || string(value) != "1" {
				t.Errorf("a scan sees %s=%s, which came later", key, value)
			}
			return true, nil
		}))
	}))
}

func largeValues(t *testing.T, s tiers.Store) {
	t.Helper()
	large := bytes.Repeat([]byte("0123456789abcdef"), 512<<10/16)
	update(t, s, func(txn tiers.Txn) error { return txn.Set([]byte("large"), large) })
	must(t, s.View(t.Context(), func(v tiers.Reader) error {
		value, found, err := v.Get([]byte("large"))
		if !found || !bytes.Equal(value, large) {
			t.Errorf("%d bytes came back, want %d", len(value), len(large))
		}
		return err
	}))
}

func canceled(t *testing.T, s tiers.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	err := s.Update(ctx, func(tiers.Txn) error { ran = true; return nil })
	if ran || !errors.Is(err, tool.Canceled) {
		t.Errorf("ran: %v, error: %v", ran, err)
	}
}

func backups(t *testing.T, open func(t *testing.T) tiers.Store) {
	t.Helper()
	from, into := open(t), open(t)
	defer from.Close()
	defer into.Close()
	update(t, from, func(txn tiers.Txn) error {
		for i := range 100 {
			must(t, txn.Set(fmt.Appendf(nil, "k%02d", i), bytes.Repeat([]byte("v"), 10*i+1)))
		}
		return txn.Delete([]byte("k50"))
	})
	var text bytes.Buffer
	must(t, tiers.Backup(t.Context(), from, &text))
	for _, cut := range []int{0, 5, 30, text.Len() / 2, text.Len() - 40, text.Len() - 1} {
		if err := tiers.Restore(t.Context(), into, bytes.NewReader(text.Bytes()[:cut])); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("cut to %d of %d bytes: %v", cut, text.Len(), err)
		}
		if got := dump(t, into, tiers.Range{}); got != "" {
			t.Fatalf("cut to %d of %d bytes: the store holds something", cut, text.Len())
		}
	}
	must(t, tiers.Restore(t.Context(), into, bytes.NewReader(text.Bytes())))
	if got, want := dump(t, into, tiers.Range{}), dump(t, from, tiers.Range{}); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if err := tiers.Restore(t.Context(), into, bytes.NewReader(text.Bytes())); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("restored over what was there: %v", err)
	}
	update(t, into, func(txn tiers.Txn) error { return txn.Set([]byte("later"), []byte("v")) })
}

func dump(t *testing.T, s tiers.Store, r tiers.Range) string {
	t.Helper()
	var all []string
	must(t, s.View(t.Context(), func(v tiers.Reader) error {
		return v.Scan(r, func(key, value []byte) (bool, error) {
			all = append(all, fmt.Sprintf("%s=%s", key, value))
			return true, nil
		})
	}))
	return strings.Join(all, " ")
}

func update(t *testing.T, s tiers.Store, fn func(tiers.Txn) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
