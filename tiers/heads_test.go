package tiers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// tamper changes what lies in the world's store while nobody has it open.
func (w *world) tamper(change func(tiers.Txn) error) {
	w.t.Helper()
	w.must(w.Close())
	s, err := tiers.OpenStore(w.t.Context(), tiers.StoreOptions{Dir: filepath.Join(w.dir, "store")})
	w.must(err)
	w.must(s.Update(w.t.Context(), change))
	w.must(s.Sync(w.t.Context()))
	w.must(s.Close())
	w.open()
}

// auditKeys are the keys of a tenant's log in the store: those of its entries, and that of its head.
func auditKeys(txn tiers.Txn, tenant string) (entries [][]byte, head []byte, err error) {
	err = txn.Scan(tiers.Range{}, func(k, _ []byte) (bool, error) {
		switch {
		case bytes.Contains(k, []byte("audit_log\x00\x01"+tenant+"\x00\x01entry")):
			entries = append(entries, bytes.Clone(k))
		case bytes.Contains(k, []byte("audit_heads\x00\x01"+tenant)):
			head = bytes.Clone(k)
		}
		return true, nil
	})
	return entries, head, err
}

// cutLast takes the last entry out of a log, and moves its head.
func cutLast(txn tiers.Txn) error {
	entries, head, err := auditKeys(txn, "acme")
	if err != nil {
		return err
	}
	at := entries[len(entries)-2]
	text, _, err := txn.Get(at)
	if err != nil {
		return err
	}
	var last tool.AuditEvent
	if err := json.Unmarshal(text, &last); err != nil {
		return err
	}
	moved, err := json.Marshal(map[string]any{"sequence": last.Sequence, "hash": last.Hash})
	if err != nil {
		return err
	}
	if err := txn.Delete(entries[len(entries)-1]); err != nil {
		return err
	}
	return txn.Set(head, moved)
}

func cutAll(txn tiers.Txn) error {
	entries, head, err := auditKeys(txn, "acme")
	if err != nil {
		return err
	}
	for _, k := range append(entries, head) {
		if err := txn.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func TestLogThatWasCutOffShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cut      func(tiers.Txn) error
		more     int // entries that follow
		wants    string
		complete bool
	}{
		"nothing":                       {cut: func(tiers.Txn) error { return nil }, more: 2, complete: true},
		"the last entry":                {cut: cutLast, wants: "audit.heads remembers entry 3"},
		"the last entry, and one more":  {cut: cutLast, more: 1, wants: "audit.heads remembers another entry"},
		"the last entry, and many more": {cut: cutLast, more: 5, wants: "audit.heads remembers another entry"},
		"all":                           {cut: cutAll, wants: "audit entry 1  is broken: it is missing: the log ends here, but audit.heads remembers entry 3"},
		"all, and more":                 {cut: cutAll, more: 1, wants: "audit.heads remembers entry 3"},
		"all, and many more":            {cut: cutAll, more: 5, wants: "audit.heads remembers another entry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), tiers.Options{})
			for range 3 {
				w.must(w.Log(t.Context(), ann1, "", tool.ForgeRequested, nil))
			}
			w.tamper(c.cut)
			for range c.more {
				w.must(w.Log(t.Context(), ann1, "", tool.ForgeRequested, nil))
			}
			for range 2 { // what shows once shows the next time, too
				_, err := w.Verify(t.Context(), "acme")
				if (err == nil) != c.complete || !c.complete && !strings.Contains(err.Error(), c.wants) {
					t.Errorf("got %v, want %q", err, c.wants)
				}
				if tenants, err := w.Audited(t.Context()); err != nil || !slices.Equal(tenants, []string{"acme"}) {
					t.Errorf("there are logs of %v, %v", tenants, err)
				}
				w.restart(nil)
			}
			w.must(os.Remove(filepath.Join(w.dir, tiers.HeadsFile))) // the world itself checks the chain at the end
		})
	}
}

func TestHeadsFollowTheLogs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{})
	file := filepath.Join(w.dir, tiers.HeadsFile)
	w.restart(nil)
	if _, err := os.Stat(file); err == nil {
		t.Error("who only looks writes the file")
	}
	w.furnish("doomed")
	w.furnish("other")
	w.restart(nil)
	var remembered map[string]tiers.Chain
	text, err := os.ReadFile(file)
	w.must(err)
	w.must(json.Unmarshal(text, &remembered))
	for _, tenant := range []string{"doomed", "other", "local"} {
		if chain, err := w.Verify(t.Context(), tenant); err != nil || remembered[tenant] != chain {
			t.Errorf("%s: remembered %+v of %+v, %v", tenant, remembered[tenant], chain, err)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	w.must(w.DeleteTenant(t.Context(), root, "doomed")) // no log is missed that an operator deleted
	for range 2 {
		if tenants, err := w.Audited(t.Context()); err != nil || !slices.Equal(tenants, []string{"local", "other"}) {
			t.Errorf("there are logs of %v, %v", tenants, err)
		}
		w.restart(nil)
	}
	left, err := filepath.Glob(file + "*")
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
}

func TestHeadsThatCannotBeReadAreTold(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "no object": "[]", "another's": `{"acme":{"entries":1,"head":"a","x":1}}`, "two": "{}{}", "cut off": `{"acme":{"entries":1,"he`,
		"a number too large": `{"acme":{"entries":1e30,"head":""}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), tiers.Options{})
			w.must(w.Log(t.Context(), ann1, "", tool.ForgeRequested, nil))
			file := filepath.Join(w.dir, tiers.HeadsFile)
			w.must(os.WriteFile(file, []byte(text), 0o600))
			for range 2 { // it stays, and keeps nobody from working
				_, err := w.Verify(t.Context(), "acme")
				if err == nil || !strings.Contains(err.Error(), "audit.heads cannot be read") {
					t.Errorf("got %v", err)
				}
				_, err = w.Audited(t.Context())
				w.wants(tool.Internal, err)
				w.restart(nil)
				w.must(w.Log(t.Context(), ann1, "", tool.ForgeRequested, nil))
			}
			w.must(os.Remove(file))
		})
	}
}

func FuzzHeads(f *testing.F) {
	dir := f.TempDir()
	s, err := tiers.Open(f.Context(), dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	if err := s.Log(f.Context(), ann1, "", tool.ForgeRequested, nil); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"acme":{"entries":0,"head":""}}`))
	f.Add([]byte(`{"acme":{"entries":18446744073709551615,"head":"a"},"":{"entries":1,"head":""}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, tiers.HeadsFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Verify(t.Context(), "acme")
		if err == nil && bytes.Contains(text, []byte(`"acme":{"entries":1,"head":"a"}`)) || err != nil && tool.AsError(err).Hint == "" {
			t.Fatalf("%q: %v", text, err)
		}
		_, _ = s.Audited(t.Context())
	})
}
