package tiers

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"example.com/toolsmith/runtime/tool"
)

// edit is one change on the way: a transaction with the actor, the moment and the audit entries that belong to it.
type edit struct {
	Txn
	shelf  *Shelf
	by     tool.Actor
	now    time.Time
	head   *head // of the tenant's chain; nil until an entry is written
	events []tool.AuditEvent
	more   holdings // than before
}

// newID makes a random id from the shelf's one source of randomness.
func (e *edit) newID() (string, error) {
	id, err := uuid.NewRandomFromReader(e.shelf.opt.Random)
	if err != nil {
		return "", tool.Errorf(tool.Internal, "making an id: %w", err)
	}
	return id.String(), nil
}

func recordKey(tenant, id string) []byte { return key(toolSpace, tenant, "record", id) }

// slotKey is where the id of the tool stands that has a name, or one too much like it, in the record's tier and scope. Without the name it is the
// prefix of all of them.
func slotKey(tenant string, r *tool.Record, name ...string) []byte {
	at := []string{tenant, "name", string(r.Tier)}
	switch r.Tier {
	case tool.SessionTier:
		at = append(at, r.PersonaID, r.SessionID)
	case tool.AgentTier:
		at = append(at, r.PersonaID)
	case tool.SharedTier:
	}
	for _, n := range name {
		at = append(at, tool.FoldName(n))
	}
	return key(toolSpace, at...)
}

// scopeOf is a record's place alone.
func scopeOf(tier tool.Tier, c tool.Caller) *tool.Record {
	return &tool.Record{Tier: tier, PersonaID: c.Persona, SessionID: c.Session}
}

// record reads a record, which must be there.
func record(r Reader, tenant, id string) (*tool.Record, error) {
	found, err := findRecord(r, tenant, id)
	if err == nil && found == nil {
		return nil, notFound(id)
	}
	return found, err
}

// findRecord reads a record; nil when there is none.
func findRecord(r Reader, tenant, id string) (*tool.Record, error) {
	text, found, err := r.Get(recordKey(tenant, id))
	if err != nil || !found {
		return nil, err
	}
	return decodeRecord(text)
}

func notFound(what string) error {
	return &tool.Error{Code: tool.NotFound, Message: "tool " + what + " not found", Hint: "list the tools to see what there is; one of the session tier is seen in its own session alone"}
}

// decodeRecord reads a record as it is stored.
func decodeRecord(text []byte) (*tool.Record, error) {
	into := &tool.Record{}
	if err := decode(text, into); err != nil {
		return nil, err
	}
	if into.ID == "" || into.Tier.Rank() == 0 {
		return nil, &tool.Error{Code: tool.Internal, Message: "a stored record has no id or no tier"}
	}
	return into, nil
}

// decode reads exactly one JSON value, whose members are all known.
func decode(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return tool.Errorf(tool.Internal, "a stored value cannot be read: %w", err)
	}
	if dec.More() {
		return &tool.Error{Code: tool.Internal, Message: "a stored value is followed by another"}
	}
	return nil
}

// bySlot reads the record that has a name, or one too much like it, in a scope; nil when there is none.
func bySlot(r Reader, tenant string, scope *tool.Record, name string) (*tool.Record, error) {
	id, found, err := r.Get(slotKey(tenant, scope, name))
	if err != nil || !found {
		return nil, err
	}
	return record(r, tenant, string(id))
}

// count returns how many names a scope holds: in the agent tier that of a persona with its specialists.
func count(r Reader, tenant string, scope *tool.Record) (n int, err error) {
	within := [][]byte{slotKey(tenant, scope)}
	if scope.Tier == tool.AgentTier {
		root := tool.Root(scope.PersonaID)
		specialists := slotKey(tenant, scopeOf(tool.AgentTier, tool.Caller{Persona: root + tool.RoleMark}))
		within = [][]byte{slotKey(tenant, scopeOf(tool.AgentTier, tool.Caller{Persona: root})), unended(specialists)}
	}
	for _, prefix := range within {
		err = errors.Join(err, r.Scan(Range{Prefix: prefix}, func([]byte, []byte) (bool, error) { n++; return true, nil }))
	}
	return n, err
}

// save writes a record.
func (e *edit) save(r *tool.Record) error { return e.set(recordKey(e.by.Tenant, r.ID), r) }

// place writes a record, and puts it where its name is looked up.
func (e *edit) place(r *tool.Record) error {
	if err := e.Set(slotKey(e.by.Tenant, r, r.Name), []byte(r.ID)); err != nil {
		return err
	}
	return e.save(r)
}

// set writes a value as JSON.
func (e *edit) set(key []byte, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return tool.Errorf(tool.Internal, "writing a value: %w", err)
	}
	return e.Set(key, text)
}
