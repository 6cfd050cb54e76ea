package tiers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/toolsmith/runtime/tool"
)

// HeadsFile is where a shelf keeps the heads of its chains in a data directory.
const HeadsFile = "audit.heads"

// maxHeadsBytes bounds what is read of such a file: those of some 100,000 tenants.
const maxHeadsBytes = 16 << 20

// heads keeps in a file beside the store how far the audit log of each tenant has come, so that one which was cut off shows, even
// when its end was moved with it or nothing is left of it. The file is written when the shelf tends, and at Close.
type heads struct {
	file  string // "" is none
	moved atomic.Bool
	mu    sync.Mutex // one writes at a time
}

// read returns what the file remembers, by tenant; nothing when there is none.
func (h *heads) read() (map[string]Chain, error) {
	if h.file == "" {
		return nil, nil
	}
	f, err := os.Open(h.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, h.unreadable(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxHeadsBytes))
	if err != nil {
		return nil, h.unreadable(err)
	}
	var remembered map[string]Chain
	if err := decode(text, &remembered); err != nil {
		return nil, h.unreadable(err)
	}
	return remembered, nil
}

func (h *heads) unreadable(err error) error {
	return &tool.Error{
		Code: tool.Internal, Message: fmt.Sprintf("%s cannot be read, which remembers how far the audit logs had come: %v", h.file, err),
		Hint: "compare the logs with a backup or an export, then remove the file: it is written anew", Cause: err,
	}
}

// saveHeads writes the file anew when a log has grown. What it remembers of a log that was cut off, or written anew, stays: that
// is for Verify to tell. So does a file that cannot be read.
func (s *Shelf) saveHeads(ctx context.Context) error {
	h := &s.heads
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == "" || !h.moved.Swap(false) {
		return nil
	}
	old, err := h.read()
	if err != nil {
		return nil // Verify tells of it; here it would keep the host from closing
	}
	grown, err := s.grownHeads(ctx, old)
	if err == nil && !maps.Equal(old, grown) {
		err = s.writeHeads(ctx, grown)
	}
	if err != nil {
		h.moved.Store(true)
	}
	return err
}

// writeHeads writes no entry that could still be lost.
func (s *Shelf) writeHeads(ctx context.Context, grown map[string]Chain) error {
	if err := s.store.Sync(ctx); err != nil {
		return asError(err)
	}
	text, err := json.Marshal(grown)
	if err == nil {
		err = writeFile(s.heads.file, append(text, '\n'))
	}
	if err != nil {
		return tool.Errorf(tool.Unavailable, "writing %s: %w", filepath.Base(s.heads.file), err)
	}
	return nil
}

// grownHeads returns the heads that there are now, and the old one where a log does not hold that.
func (s *Shelf) grownHeads(ctx context.Context, old map[string]Chain) (map[string]Chain, error) {
	grown := map[string]Chain{}
	err := s.store.View(ctx, func(r Reader) error {
		err := r.Scan(Range{Prefix: key(headSpace)}, func(k, text []byte) (bool, error) {
			var end head
			err := decode(text, &end)
			if all, ok := parts(k); ok {
				grown[all[1]] = Chain{end.Sequence, end.Hash}
			}
			return true, err
		})
		for tenant, was := range old {
			t, readErr := readTenant(r, tenant)
			holds, holdsErr := hasEntry(r, tenant, was)
			if err = errors.Join(err, readErr, holdsErr); !holds && !t.gone() {
				grown[tenant] = was
			}
		}
		return err
	})
	return grown, asError(err)
}

// hasEntry reports whether a log holds the entry that was once its last one.
func hasEntry(r Reader, tenant string, was Chain) (bool, error) {
	text, found, err := r.Get(entryKey(tenant, was.Entries))
	if err != nil || !found {
		return false, err
	}
	var event tool.AuditEvent
	return json.Unmarshal(text, &event) == nil && event.Hash == was.Head, nil
}

// check compares a log that is whole with what the file remembered of it before.
func (h *heads) check(r Reader, tenant string, end head, remembered map[string]Chain) error {
	was, known := remembered[tenant]
	if !known {
		return nil
	}
	name := filepath.Base(h.file)
	if was.Entries > end.Sequence {
		return broken(end.Sequence+1, "", fmt.Sprintf("it is missing: the log ends here, but %s remembers entry %d", name, was.Entries))
	}
	holds, err := hasEntry(r, tenant, was)
	if err == nil && !holds {
		return broken(was.Entries, "", "the log was written anew: "+name+" remembers another entry")
	}
	return err
}

// Audited returns the tenants that have an audit log, and those of which nothing is left though it was remembered that they had
// one, sorted. Those that are being deleted, or were, are not among them.
func (s *Shelf) Audited(ctx context.Context) ([]string, error) {
	tenants, err := s.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	remembered, err := s.heads.read()
	if err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(r Reader) error {
		for tenant := range remembered {
			t, err := readTenant(r, tenant)
			if err != nil {
				return err
			}
			if !t.gone() {
				tenants = append(tenants, tenant)
			}
		}
		return nil
	})
	slices.Sort(tenants)
	return slices.Compact(tenants), asError(err)
}
