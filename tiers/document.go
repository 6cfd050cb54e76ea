package tiers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of documents.
const (
	MaxDocumentBytes = 1 << 20 // of one
	MaxDocuments     = 1000    // of one kind and owner
)

// documentKinds are those that there are; each has a key space of its name.
var documentKinds = []tool.DocumentKind{
	tool.Mutations, tool.Skills, tool.SkillDrafts, tool.Workflows, tool.Evaluations, tool.Parameters, tool.AgencyRuns, tool.Specialists,
}

// documentKey is where a document lies. Without an id it is the prefix of all of its kind and owner.
func documentKey(d tool.DocumentRef, id ...string) []byte {
	return key(string(d.Kind), append([]string{d.Tenant, d.Persona, d.Session}, id...)...)
}

func checkDocument(d tool.DocumentRef) error {
	for _, known := range documentKinds {
		if d.Kind == known && d.Tenant != "" && d.Persona != "" && max(len(d.Tenant), len(d.Persona), len(d.Session), len(d.ID)) <= tool.MaxIdentityBytes {
			return nil
		}
	}
	return tool.Errorf(tool.InvalidRequest, "a document has a kind, a tenant, a persona and ids of at most %d bytes", tool.MaxIdentityBytes)
}

// Document returns a document; nil when there is none.
func (s *Shelf) Document(ctx context.Context, d tool.DocumentRef) (value []byte, err error) {
	if err := checkDocument(d); err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(r Reader) (err error) {
		value, _, err = r.Get(documentKey(d, d.ID))
		return err
	})
	return value, asError(err)
}

// Documents calls visit for all documents of a kind and owner, by id, until it returns false. The value is valid until then.
func (s *Shelf) Documents(ctx context.Context, of tool.DocumentRef, visit func(id string, value []byte) (more bool, err error)) error {
	if err := checkDocument(of); err != nil {
		return err
	}
	at := Range{Prefix: documentKey(of)}
	return asError(s.store.View(ctx, func(r Reader) error {
		return r.Scan(at, func(k, value []byte) (bool, error) {
			at.From = after(k) // none is visited twice, even if this has to go on over another state
			all, ok := parts(k)
			if !ok {
				return true, nil
			}
			return visit(all[len(all)-1], value)
		})
	}))
}

// Personas returns the personas of a tenant that have documents of a kind of their own, sorted.
func (s *Shelf) Personas(ctx context.Context, tenant string, kind tool.DocumentKind) (list []string, err error) {
	err = s.store.View(ctx, func(r Reader) error {
		list = nil
		return r.Scan(Range{Prefix: key(string(kind), tenant)}, func(k, _ []byte) (bool, error) {
			const persona, session = 2, 3
			if all, ok := parts(k); ok && len(all) > session && all[session] == "" && (len(list) == 0 || list[len(list)-1] != all[persona]) {
				list = append(list, all[persona])
			}
			return true, nil
		})
	})
	return list, asError(err)
}

// EditDocument changes a document: fn gets what is there, nil when nothing is, and says what becomes of it. The change and its
// audit entries are one transaction, and on disk when EditDocument returns. fn may be run again, so it must have no effect of
// its own; its error changes nothing and comes back. The actor's tenant is the document's.
func (s *Shelf) EditDocument(ctx context.Context, by tool.Actor, d tool.DocumentRef, fn func(old []byte) (tool.DocumentChange, error)) error {
	if err := checkDocument(d); err != nil {
		return err
	}
	if by.Tenant != d.Tenant {
		return tool.Errorf(tool.NotFound, "there is no such document")
	}
	return s.change(ctx, by, func(e *edit) error {
		at := documentKey(d, d.ID)
		old, found, err := e.Get(at)
		if err != nil {
			return err
		}
		changed, err := fn(old)
		if err != nil {
			return err
		}
		for _, event := range changed.Events {
			if err := e.log("", event.Type, event.Data); err != nil {
				return err
			}
		}
		if changed.Value == nil {
			return e.Delete(at)
		}
		return e.putDocument(d, at, changed.Value, found)
	})
}

func (e *edit) putDocument(d tool.DocumentRef, at, value []byte, found bool) error {
	if len(value) > MaxDocumentBytes || !json.Valid(value) {
		return &tool.Error{Code: tool.Limit, Message: fmt.Sprintf("a document of kind %s is JSON of at most %d bytes", d.Kind, MaxDocumentBytes), Hint: "remove what is old from it"}
	}
	if !found {
		n := 0
		err := e.Scan(Range{Prefix: documentKey(d)}, func([]byte, []byte) (bool, error) { n++; return n < MaxDocuments, nil })
		if err != nil {
			return err
		}
		if n >= MaxDocuments {
			return &tool.Error{Code: tool.Limit, Message: fmt.Sprintf("there are %d documents of kind %s already", MaxDocuments, d.Kind), Hint: "remove one that is no longer needed"}
		}
	}
	if d.Session != "" {
		if err := e.touch(tool.Caller{Tenant: d.Tenant, Persona: d.Persona, Session: d.Session}); err != nil {
			return err
		}
	}
	return e.Set(at, value)
}

// dropDocuments deletes what a session has of documents.
func (e *edit) dropDocuments(c tool.Caller) error {
	for _, kind := range documentKinds {
		prefix := documentKey(tool.DocumentRef{Kind: kind, Tenant: c.Tenant, Persona: c.Persona, Session: c.Session})
		var keys [][]byte
		err := e.Scan(Range{Prefix: prefix}, func(k, _ []byte) (bool, error) { keys = append(keys, bytes.Clone(k)); return true, nil })
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := e.Delete(k); err != nil {
				return err
			}
		}
	}
	return nil
}
