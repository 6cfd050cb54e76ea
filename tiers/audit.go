package tiers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/toolsmith/runtime/tool"
)

// head is the end of a tenant's chain.
type head struct {
	Sequence uint64 `json:"sequence"`
	Hash     string `json:"hash"`
}

func headKey(tenant string) []byte            { return key(headSpace, tenant) }
func entryKey(tenant string, n uint64) []byte { return key(auditSpace, tenant, "entry", number(n)) }
func toolEntries(tenant, id string) []byte    { return key(auditSpace, tenant, "tool", id) }
func toolEntry(tenant, id string, n uint64) []byte {
	return key(auditSpace, tenant, "tool", id, number(n))
}

func readHead(r Reader, tenant string) (*head, error) {
	end := &head{}
	text, found, err := r.Get(headKey(tenant))
	if err != nil || !found {
		return end, err
	}
	return end, decode(text, end)
}

// log adds an entry to the tenant's chain. data is written as canonical JSON; nil is none.
func (e *edit) log(toolID string, kind tool.EventType, data any) (err error) {
	if e.head == nil {
		if e.head, err = readHead(e, e.by.Tenant); err != nil {
			return err
		}
	}
	event := tool.AuditEvent{
		Sequence: e.head.Sequence + 1, Tenant: e.by.Tenant, ToolID: toolID, EventType: kind, Timestamp: e.now.UnixMilli(),
		PersonaID: e.by.Persona, SessionID: e.by.Session, Actor: e.by.String(), Previous: e.head.Hash,
	}
	if event.ID, err = e.newID(); err != nil {
		return err
	}
	if data != nil {
		if event.Data, err = tool.Canonical(data); err != nil {
			return tool.Errorf(tool.InvalidRequest, "the data of an audit entry: %w", err)
		}
	}
	if event.Hash, err = entryHash(event); err != nil {
		return err
	}
	return e.append(event)
}

func (e *edit) append(event tool.AuditEvent) error {
	text, err := tool.Canonical(event)
	if err != nil {
		return tool.Errorf(tool.Internal, "writing an audit entry: %w", err)
	}
	if err := e.Set(entryKey(event.Tenant, event.Sequence), text); err != nil {
		return err
	}
	if event.ToolID != "" {
		if err := e.Set(toolEntry(event.Tenant, event.ToolID, event.Sequence), []byte{1}); err != nil {
			return err
		}
	}
	e.head.Sequence, e.head.Hash = event.Sequence, event.Hash
	e.events = append(e.events, event)
	return nil
}

// saveHead writes the end of the chain, if it has moved.
func (e *edit) saveHead() error {
	if e.head == nil {
		return nil
	}
	return e.set(headKey(e.by.Tenant), e.head)
}

// entryHash is what AuditEvent.Hash has to be.
func entryHash(event tool.AuditEvent) (string, error) {
	previous := event.Previous
	event.Previous, event.Hash = "", ""
	text, err := tool.Canonical(event)
	if err != nil {
		return "", tool.Errorf(tool.Internal, "writing an audit entry: %w", err)
	}
	sum := sha256.Sum256(append([]byte(previous), text...))
	return hex.EncodeToString(sum[:]), nil
}

// Log adds an entry for a decision that changes nothing here, such as a rejected forge. It is on disk when Log returns.
// data becomes JSON; it must hold no source. toolID is "" when no tool is meant.
func (s *Shelf) Log(ctx context.Context, by tool.Actor, toolID string, kind tool.EventType, data any) error {
	return s.change(ctx, by, func(e *edit) error { return e.log(toolID, kind, data) })
}

// AuditQuery picks entries of a tenant's log.
type AuditQuery struct {
	ToolID string // only those of a tool; "" is all
	After  uint64 // only those of a higher sequence
	Before uint64 // only those of a lower sequence; 0 is all
	Limit  int    // at most so many; 0 is 100, at most 10,000
	Newest bool   // the last ones instead of the first
}

const (
	auditPage    = 100
	maxAuditPage = 10_000
)

// Audit returns entries in the order of their sequence. The next page goes on After the last of this one, or Before the
// first with Newest. Uses appear once their minute has passed.
func (s *Shelf) Audit(ctx context.Context, tenant string, q AuditQuery) (events []tool.AuditEvent, err error) {
	limit := min(orDefault(max(q.Limit, 0), auditPage), maxAuditPage)
	err = s.store.View(ctx, func(r Reader) error {
		events = nil
		sequences, err := auditPageOf(r, tenant, q, limit)
		for _, n := range sequences {
			event := tool.AuditEvent{}
			text, _, getErr := r.Get(entryKey(tenant, n))
			if err = getErr; err == nil {
				err = decode(text, &event)
			}
			if err != nil {
				return err
			}
			events = append(events, event)
		}
		return err
	})
	if q.Newest {
		slices.Reverse(events)
	}
	return events, asError(err)
}

// auditPageOf returns the sequences of the entries that a query picks, as they were met.
func auditPageOf(r Reader, tenant string, q AuditQuery, limit int) (sequences []uint64, err error) {
	prefix := key(auditSpace, tenant, "entry")
	if q.ToolID != "" {
		prefix = toolEntries(tenant, q.ToolID)
	}
	at := Range{Prefix: prefix, Reverse: q.Newest}
	if q.Newest && q.Before > 0 {
		at.From = appendPart(bytes.Clone(prefix), number(q.Before-1))
	} else if !q.Newest {
		at.From = appendPart(bytes.Clone(prefix), number(q.After+1))
	}
	err = r.Scan(at, func(k, _ []byte) (bool, error) {
		n, ok := lastNumber(k)
		if !ok || n <= q.After || (q.Before > 0 && n >= q.Before) {
			return false, nil
		}
		sequences = append(sequences, n)
		return len(sequences) < limit, nil
	})
	return sequences, err
}

func lastNumber(k []byte) (uint64, bool) {
	all, ok := parts(k)
	if !ok {
		return 0, false
	}
	return parseNumber(all[len(all)-1])
}

// Chain is what Verify found whole.
type Chain struct {
	Entries uint64 `json:"entries"`
	// Head is the hash of the last entry. Kept elsewhere, it shows later that nothing was cut off and written anew.
	Head string `json:"head"`
}

// Verify recomputes the chain of a tenant, and compares it with what Options.Heads remembers. The error is of code Internal and
// names the first entry that is broken.
func (s *Shelf) Verify(ctx context.Context, tenant string) (Chain, error) {
	var end head
	remembered, unreadable := s.heads.read() // before the view, which then holds what they were written from
	err := s.store.View(ctx, func(r Reader) error {
		end = head{}
		err := r.Scan(Range{Prefix: key(auditSpace, tenant, "entry")}, func(k, text []byte) (bool, error) {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			n, ok := lastNumber(k)
			if !ok || n != end.Sequence+1 {
				return false, broken(end.Sequence+1, "", "it is missing")
			}
			return true, end.follow(tenant, text)
		})
		if err != nil {
			return err
		}
		want, err := readHead(r, tenant)
		if err == nil && *want != end {
			return broken(end.Sequence+1, "", fmt.Sprintf("it is missing: the log ends here, but its head names entry %d", want.Sequence))
		}
		if err == nil {
			err = unreadable
		}
		if err == nil {
			err = s.heads.check(r, tenant, end, remembered)
		}
		return err
	})
	return Chain{end.Sequence, end.Hash}, asError(err)
}

// follow checks the next entry and becomes it.
func (h *head) follow(tenant string, text []byte) error {
	var event tool.AuditEvent
	n := h.Sequence + 1
	if err := decode(text, &event); err != nil {
		return broken(n, "", "it cannot be read")
	}
	canonical, err := tool.Canonical(event)
	if err != nil {
		return broken(n, event.ID, "it cannot be read")
	}
	sum, err := entryHash(event)
	switch {
	case err != nil || !bytes.Equal(canonical, text):
		return broken(n, event.ID, "it is not written as entries are")
	case event.Sequence != n || event.Tenant != tenant:
		return broken(n, event.ID, "another entry stands in its place")
	case event.Previous != h.Hash:
		return broken(n, event.ID, "it does not follow the one before")
	case event.Hash != sum:
		return broken(n, event.ID, "it was changed: its hash does not match")
	}
	h.Sequence, h.Hash = n, event.Hash
	return nil
}

func broken(n uint64, id, why string) error {
	return &tool.Error{
		Code: tool.Internal, Message: fmt.Sprintf("audit entry %d %s is broken: %s", n, id, why),
		Hint: "compare with a backup or an export; everything before this entry is whole",
	}
}

// Export writes a tenant's log from the first entry, one canonical JSON object per line.
func (s *Shelf) Export(ctx context.Context, tenant string, w io.Writer) error {
	at := Range{Prefix: key(auditSpace, tenant, "entry")}
	return asError(s.store.View(ctx, func(r Reader) error {
		return r.Scan(at, func(k, text []byte) (bool, error) {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			_, err := w.Write(append(bytes.Clone(text), '\n'))
			at.From = after(k) // entries do not change: if need be, it goes on from here
			return true, err
		})
	}))
}

// Tenants returns the tenants that have an audit log and are not being deleted, sorted.
func (s *Shelf) Tenants(ctx context.Context) (tenants []string, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		tenants = nil
		var logged []string
		err := r.Scan(Range{Prefix: key(headSpace)}, func(k, _ []byte) (bool, error) {
			if all, ok := parts(k); ok {
				logged = append(logged, all[1])
			}
			return true, nil
		})
		for _, name := range logged {
			t, readErr := readTenant(r, name)
			if err = errors.Join(err, readErr); !t.gone() {
				tenants = append(tenants, name)
			}
		}
		return err
	})
	return tenants, asError(err)
}

// fields is the data of an audit entry.
type fields = map[string]any
