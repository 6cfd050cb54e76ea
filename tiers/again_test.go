package tiers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// twice is a store whose every view is lost once, at its end, and run again.
type twice struct{ tiers.Store }

func (s twice) View(ctx context.Context, fn func(tiers.Reader) error) error {
	_ = s.Store.View(ctx, fn)
	return s.Store.View(ctx, fn)
}

// TestViewsBeginAnew reads everything from a shelf whose views are run twice: nothing comes twice.
func TestViewsBeginAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Source: tiers.Plain})
	first := w.put(ann1, "a", "1")
	second := w.put(ann1, "a", "2")
	w.put(ann1, "b", "1")
	w.promote(second.ID, tool.AgentTier, "eve")
	w.use(second.ID, true, false)
	ref := tool.DocumentRef{Kind: tool.Skills, Tenant: "acme", Persona: "ann", ID: "1"}
	for _, ref.ID = range []string{"1", "2"} {
		w.must(w.EditDocument(t.Context(), ann1, ref, func([]byte) (tool.DocumentChange, error) {
			return tool.DocumentChange{Value: []byte(`{}`)}, nil
		}))
	}
	opt := w.opt
	opt.SourceKey = make([]byte, 32)
	again, err := tiers.New(t.Context(), twice{w.Store()}, opt)
	w.must(err)
	for name, read := range map[string]func(*tiers.Shelf) (any, error){
		"Find":     func(s *tiers.Shelf) (any, error) { return s.Find(t.Context(), ann1.Caller, "a") },
		"Visible":  func(s *tiers.Shelf) (any, error) { return s.Visible(t.Context(), ann1.Caller) },
		"List":     func(s *tiers.Shelf) (any, error) { return s.List(t.Context(), "acme", tiers.Filter{History: true}) },
		"History":  func(s *tiers.Shelf) (any, error) { return s.History(t.Context(), "acme", second.ID) },
		"Diff":     func(s *tiers.Shelf) (any, error) { return s.Diff(t.Context(), "acme", first.ID, second.ID) },
		"Sessions": func(s *tiers.Shelf) (any, error) { return s.Sessions(t.Context(), "") },
		"Tenants":  func(s *tiers.Shelf) (any, error) { return s.Tenants(t.Context()) },
		"Personas": func(s *tiers.Shelf) (any, error) { return s.Personas(t.Context(), "acme", tool.Skills) },
		"Spent":    func(s *tiers.Shelf) (any, error) { return s.Spent(t.Context(), ann1.Caller) },
		"Verify":   func(s *tiers.Shelf) (any, error) { return s.Verify(t.Context(), "acme") },
		"Audit":    func(s *tiers.Shelf) (any, error) { return s.Audit(t.Context(), "acme", tiers.AuditQuery{}) },
		"newest": func(s *tiers.Shelf) (any, error) {
			return s.Audit(t.Context(), "acme", tiers.AuditQuery{Newest: true, Limit: 2})
		},
		"tenants": func(s *tiers.Shelf) (any, error) { return s.ListTenants(t.Context()) },
		"Audited": func(s *tiers.Shelf) (any, error) { return s.Audited(t.Context()) },
		"Keys":    func(s *tiers.Shelf) (any, error) { return s.Keys(t.Context(), tool.LocalTenant) },
		"Export": func(s *tiers.Shelf) (any, error) {
			var out bytes.Buffer
			err := s.Export(t.Context(), "acme", &out)
			return out.String(), err
		},
		"Documents": func(s *tiers.Shelf) (any, error) { return documentIDs(t.Context(), s, ref) },
	} {
		want, err := read(w.Shelf)
		got, againErr := read(again)
		if err != nil || againErr != nil || asText(t, got) != asText(t, want) {
			t.Errorf("%s: got %s, %v\nwant %s, %v", name, asText(t, got), againErr, asText(t, want), err)
		}
	}
	if err := tiers.Backup(t.Context(), twice{w.Store()}, &bytes.Buffer{}); err == nil {
		t.Error("a backup is of two states")
	}
}

func documentIDs(ctx context.Context, s *tiers.Shelf, of tool.DocumentRef) (ids []string, err error) {
	err = s.Documents(ctx, of, func(id string, _ []byte) (bool, error) { ids = append(ids, id); return true, nil })
	return ids, err
}

func asText(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
