package tiers_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// A document that is written again and again, each time by a process of its own, takes the room of a few copies, not of all.
func TestWhatIsReplacedGivesItsRoomBack(t *testing.T) {
	t.Parallel()
	dir, ref := t.TempDir(), tool.DocumentRef{Kind: tool.Workflows, Tenant: "acme", Persona: "ann"}
	const times, bytes = 60, 400 << 10
	text := []byte(`"` + strings.Repeat("x", bytes) + `"`)
	for range times {
		s, err := tiers.Open(t.Context(), dir, tiers.StoreOptions{}, tiers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		by := tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}}
		if err := s.EditDocument(t.Context(), by, ref, func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{Value: text}, nil }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	total, files := sizeOf(t, dir)
	t.Logf("%d bytes in %d files", total, files)
	if total > times*bytes/2 || files > 40 {
		t.Errorf("%d bytes in %d files after %d writes of %d bytes", total, files, times, bytes)
	}
}

func sizeOf(t *testing.T, dir string) (bytes int64, files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes, files
}
