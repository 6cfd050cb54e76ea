package tiers_test

import (
	"bytes"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func TestVerifyNamesTheBrokenEntry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tamper func(txn tiers.Txn, keys, values [][]byte) error
		want   string
	}{
		"changed": {func(txn tiers.Txn, k, v [][]byte) error {
			return txn.Set(k[2], bytes.Replace(v[2], []byte("reason-2"), []byte("reason-X"), 1))
		}, "entry 3 "},
		"removed": {func(txn tiers.Txn, k, _ [][]byte) error { return txn.Delete(k[3]) }, "entry 4 "},
		"cut off": {func(txn tiers.Txn, k, _ [][]byte) error { return txn.Delete(k[5]) }, "entry 6 "},
		"swapped": {func(txn tiers.Txn, k, v [][]byte) error {
			if err := txn.Set(k[1], v[2]); err != nil {
				return err
			}
			return txn.Set(k[2], v[1])
		}, "entry 2 "},
		"extended":   {func(txn tiers.Txn, k, v [][]byte) error { return txn.Set(k[4], append(v[4], ' ')) }, "entry 5 "},
		"unreadable": {func(txn tiers.Txn, k, _ [][]byte) error { return txn.Set(k[0], []byte("{")) }, "entry 1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for i := range 6 {
				if err := s.Log(t.Context(), ann1, "", tool.ForgeRejected, map[string]any{"reason": "reason-" + string(rune('0'+i))}); err != nil {
					t.Fatal(err)
				}
			}
			if chain, err := s.Verify(t.Context(), "acme"); err != nil || chain.Entries != 6 {
				t.Fatalf("%+v, %v", chain, err)
			}
			err = s.Store().Update(t.Context(), func(txn tiers.Txn) error {
				var keys, values [][]byte
				err := txn.Scan(tiers.Range{}, func(k, v []byte) (bool, error) {
					if bytes.Contains(v, []byte("forge_rejected")) {
						keys, values = append(keys, bytes.Clone(k)), append(values, bytes.Clone(v))
					}
					return true, nil
				})
				if err != nil {
					return err
				}
				return c.tamper(txn, keys, values)
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Verify(t.Context(), "acme"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestAuditPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	for i := range 300 {
		id := ""
		if i%3 == 0 {
			id = "tool"
		}
		w.must(w.Log(t.Context(), ann1, id, tool.ForgeRequested, nil))
	}
	for name, c := range map[string]struct {
		q           tiers.AuditQuery
		n           int
		first, last uint64
	}{
		"first page":     {tiers.AuditQuery{}, 100, 1, 100},
		"second page":    {tiers.AuditQuery{After: 100}, 100, 101, 200},
		"tail":           {tiers.AuditQuery{Newest: true, Limit: 10}, 10, 291, 300},
		"before that":    {tiers.AuditQuery{Newest: true, Limit: 10, Before: 291}, 10, 281, 290},
		"between":        {tiers.AuditQuery{After: 5, Before: 8}, 2, 6, 7},
		"of a tool":      {tiers.AuditQuery{ToolID: "tool", Limit: 2, After: 1}, 2, 4, 7},
		"tail of a tool": {tiers.AuditQuery{ToolID: "tool", Limit: 2, Newest: true}, 2, 295, 298},
		"all":            {tiers.AuditQuery{Limit: 1 << 30}, 300, 1, 300},
	} {
		got, err := w.Audit(t.Context(), "acme", c.q)
		if err != nil || len(got) != c.n || got[0].Sequence != c.first || got[len(got)-1].Sequence != c.last {
			t.Errorf("%s: %d entries, %v", name, len(got), err)
		}
	}
	var out bytes.Buffer
	w.must(w.Export(t.Context(), "acme", &out))
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 300 {
		t.Errorf("%d lines", n)
	}
}

func TestScriptedRunsRepeat(t *testing.T) {
	t.Parallel()
	run := func() string {
		w := newWorld(t, "", tiers.Options{})
		w.promote(w.put(ann1, "a", "1").ID, tool.AgentTier, "eve")
		var out bytes.Buffer
		w.must(w.Export(t.Context(), "acme", &out))
		w.must(tiers.Backup(t.Context(), w.Store(), &out))
		return out.String()
	}
	if first, second := run(), run(); first != second {
		t.Error("two runs of one script differ")
	}
}
