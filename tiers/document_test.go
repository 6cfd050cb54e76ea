package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

var annsTraits = tool.DocumentRef{Kind: tool.Mutations, Tenant: "acme", Persona: "ann"}

func replace(value string, events ...tool.DocumentEvent) func([]byte) (tool.DocumentChange, error) {
	return func([]byte) (tool.DocumentChange, error) {
		return tool.DocumentChange{Value: []byte(value), Events: events}, nil
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	text := func(d tool.DocumentRef) string {
		t.Helper()
		value, err := w.Document(t.Context(), d)
		w.must(err)
		return string(value)
	}
	of := func(kind tool.DocumentKind, persona, session, id string) tool.DocumentRef {
		return tool.DocumentRef{Kind: kind, Tenant: "acme", Persona: persona, Session: session, ID: id}
	}
	w.must(w.EditDocument(t.Context(), ann1, annsTraits, replace(`{"n":1}`, tool.DocumentEvent{Type: tool.TraitChanged, Data: map[string]int{"n": 1}})))
	w.must(w.EditDocument(t.Context(), ann1, of(tool.Workflows, "ann", "", "b"), replace(`"b"`)))
	w.must(w.EditDocument(t.Context(), ann1, of(tool.Workflows, "ann", "", "a"), replace(`"a"`)))
	w.must(w.EditDocument(t.Context(), ann1, of(tool.Parameters, "ann", "1", ""), replace(`{"temperature":1}`)))
	w.must(w.EditDocument(t.Context(), ann10, of(tool.Parameters, "ann", "10", ""), replace(`{"temperature":2}`)))
	if text(annsTraits) != `{"n":1}` || text(of(tool.Mutations, "bob", "", "")) != "" || text(of(tool.Mutations, "ann", "1", "")) != "" {
		t.Error("the documents of one are those of another")
	}
	var ids []string
	w.must(w.Documents(t.Context(), of(tool.Workflows, "ann", "", ""), func(id string, value []byte) (bool, error) {
		ids = append(ids, id+string(value))
		return true, nil
	}))
	if got := strings.Join(ids, " "); got != `a"a" b"b"` {
		t.Errorf("the workflows are %s", got)
	}
	if list, err := w.Personas(t.Context(), "acme", tool.Mutations); err != nil || strings.Join(list, " ") != "ann" {
		t.Errorf("personas: %v %v", list, err)
	}
	if last := w.events[len(w.events)-1]; last.EventType != tool.TraitChanged || last.PersonaID != "ann" {
		t.Errorf("the last entry is %+v", last)
	}
	_, err := w.EndSession(t.Context(), ann1, ann1.Caller)
	w.must(err)
	if text(of(tool.Parameters, "ann", "1", "")) != "" || text(of(tool.Parameters, "ann", "10", "")) == "" || text(annsTraits) == "" {
		t.Error("the end of a session takes what is not its own, or leaves what is")
	}
	w.must(w.EditDocument(t.Context(), ann1, annsTraits, func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{}, nil }))
	if text(annsTraits) != "" {
		t.Error("a document without a value is there")
	}
}

func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	mine := errors.New("mine")
	for name, c := range map[string]struct {
		by   tool.Actor
		ref  tool.DocumentRef
		edit func([]byte) (tool.DocumentChange, error)
		want error
	}{
		"another tenant": {tool.Actor{Caller: tool.Caller{Tenant: "other", Persona: "ann", Session: "1"}}, annsTraits, replace(`1`), tool.NotFound},
		"no kind":        {ann1, tool.DocumentRef{Kind: "sources", Tenant: "acme", Persona: "ann"}, replace(`1`), tool.InvalidRequest},
		"no persona":     {ann1, tool.DocumentRef{Kind: tool.Skills, Tenant: "acme"}, replace(`1`), tool.InvalidRequest},
		"a long id":      {ann1, tool.DocumentRef{Kind: tool.Skills, Tenant: "acme", Persona: "ann", ID: strings.Repeat("x", 300)}, replace(`1`), tool.InvalidRequest},
		"not JSON":       {ann1, annsTraits, replace(`{`), tool.Limit},
		"too large":      {ann1, annsTraits, replace(`"` + strings.Repeat("x", tiers.MaxDocumentBytes) + `"`), tool.Limit},
		"its own error":  {ann1, annsTraits, func([]byte) (tool.DocumentChange, error) { return tool.DocumentChange{}, mine }, mine},
	} {
		if err := w.EditDocument(t.Context(), c.by, c.ref, c.edit); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	if len(w.events) != 0 {
		t.Errorf("refusals are told: %+v", w.events)
	}
}

// Edits of one document at once lose none.
func TestDocumentsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	var all sync.WaitGroup
	const workers, rounds = 8, 10
	for range workers {
		all.Go(func() {
			for range rounds {
				w.must(w.EditDocument(context.Background(), ann1, annsTraits, func(old []byte) (tool.DocumentChange, error) {
					n, _ := strconv.Atoi(string(old)) // nothing is 0
					return tool.DocumentChange{Value: fmt.Append(nil, n+1)}, nil
				}))
			}
		})
	}
	all.Wait()
	if value, err := w.Document(t.Context(), annsTraits); err != nil || string(value) != fmt.Sprint(workers*rounds) {
		t.Errorf("%s %v", value, err)
	}
}
