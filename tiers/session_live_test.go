package tiers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// live are the sessions of the tenant and of a persona, as they are counted.
func (w *world) live(persona string) (tenant, own int) {
	w.t.Helper()
	w.must(w.Store().View(context.Background(), func(r tiers.Reader) (err error) {
		if tenant, err = tiers.LiveSessions(r, tool.Caller{Tenant: "acme"}); err != nil {
			return err
		}
		own, err = tiers.LiveSessions(r, tool.Caller{Tenant: "acme", Persona: persona})
		return err
	}))
	return tenant, own
}

// document is one of a session.
func (w *world) document(by tool.Actor) error {
	at := tool.DocumentRef{Kind: tool.Parameters, Tenant: by.Tenant, Persona: by.Persona, Session: by.Session, ID: "a"}
	return w.EditDocument(context.Background(), by, at, func([]byte) (tool.DocumentChange, error) {
		return tool.DocumentChange{Value: []byte(`1`)}, nil
	})
}

// begin are the ways that a session begins.
func (w *world) begin() map[string]func(by tool.Actor) error {
	return map[string]func(by tool.Actor) error{
		"an attempt":  func(by tool.Actor) error { _, err := w.Attempt(context.Background(), by, nil); return err },
		"a tool":      func(by tool.Actor) error { _, err := w.Put(context.Background(), by, draft("a", "1")); return err },
		"a document":  w.document,
		"a judgement": w.judged,
	}
}

// judged has a model asked, and counts what that took.
func (w *world) judged(by tool.Actor) error {
	one := tool.Spent{InputTokens: 1}
	held, err := w.Hold(context.Background(), by, one)
	if err != nil {
		return err
	}
	return w.Spend(context.Background(), by, "", held, one)
}

func TestSessionsAreCapped(t *testing.T) {
	t.Parallel()
	rules := tiers.Rules{Tenant: tool.Quota{Sessions: 3}, Persona: tool.Quota{Sessions: 2}}
	for name := range newWorld(t, "", tiers.Options{}).begin() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, t.TempDir(), tiers.Options{Rules: rules})
			begin := w.begin()[name]
			const hint = "end those that are no longer needed, or raise sessions"
			w.must(w.document(as("ann", "1")))
			w.must(w.document(as("ann/helper", "1")))
			w.over(begin(as("ann", "2")), "sessions", `sessions: the persona "ann" has 2 of 2 sessions`, hint, 0)
			w.over(begin(as("ann/other", "1")), "sessions", `the persona "ann" has 2 of 2`, hint, 0)
			w.must(begin(as("ann", "1"))) // goes on
			w.must(w.document(as("bob", "1")))
			w.over(begin(as("bob", "2")), "sessions", `sessions: the tenant "acme" has 3 of 3 sessions`, hint, 0)
			w.restart(nil)
			w.over(w.begin()[name](as("bob", "2")), "sessions", "3 of 3", hint, 0)
			if got := w.warnings(); len(got) != 2 || got[0] != `ann{"limit":"sessions","most":2,"used":2}` || got[1] != `{"limit":"sessions","most":3,"used":3}` {
				t.Errorf("warnings: %q", got)
			}
			_, err := w.EndSession(t.Context(), boss, as("ann/helper", "1").Caller)
			w.must(err)
			w.must(w.begin()[name](as("ann", "2")))
			w.pass(25 * time.Hour)
			w.must(w.Tend(t.Context()))
			if all, own := w.live("ann"); all != 0 || own != 0 {
				t.Errorf("after all have ended there are %d, of ann %d", all, own)
			}
		})
	}
}

// Whoever only calls tools may name as many sessions as there are words: none of them is kept.
func TestUseBeginsNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Persona: tool.Quota{Sessions: 1}}})
	for i := range 5 {
		w.must(w.Touch(t.Context(), as("ann", fmt.Sprint(i)).Caller))
	}
	if list, err := w.Sessions(t.Context(), "acme"); err != nil || len(list) != 0 {
		t.Errorf("there are %v, %v", list, err)
	}
	w.must(w.document(as("ann", "1")))
	_, err := w.EndSession(t.Context(), ann1, ann1.Caller)
	w.must(err)
	w.pass(time.Hour)
	w.must(w.Touch(t.Context(), ann1.Caller))
	if list, err := w.Sessions(t.Context(), "acme"); err != nil || len(list) != 0 {
		t.Errorf("a use after its end began %v, %v", list, err)
	}
}

// What has been spent is counted, also of a session that has ended meanwhile and may not begin anew.
func TestWhatIsSpentIsCountedBeyondTheSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Persona: tool.Quota{Sessions: 1}}})
	w.must(w.document(as("ann", "2")))
	w.must(w.Spend(t.Context(), ann1, "", tool.Held{}, tool.Spent{InputTokens: 7}))
	if got, err := w.Spent(t.Context(), ann1.Caller); err != nil || got.Today.InputTokens != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Whatever is done, and by however many at once: the count is that of what is there, and a store without one has it from the first on.
func TestSessionsAreCountedAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{Rules: tiers.Rules{Tenant: tool.Quota{Sessions: 6}, Persona: tool.Quota{Sessions: 4}}})
	rapid.Check(t, func(rt *rapid.T) {
		if rapid.Bool().Draw(rt, "older") {
			w.must(w.Store().Update(context.Background(), tiers.ForgetLiveSessions("acme", "ann", "bob")))
		}
		var group sync.WaitGroup
		for range 3 {
			steps := rapid.SliceOfN(rapid.IntRange(0, 1000), 2, 8).Draw(rt, "steps")
			group.Go(func() {
				for _, n := range steps {
					by := as([]string{"ann", "ann/helper", "bob"}[n%3], fmt.Sprint(n%4))
					if n%2 == 0 {
						_ = w.document(by)
					} else {
						_, _ = w.EndSession(context.Background(), by, by.Caller)
					}
				}
			})
		}
		group.Wait()
		list, err := w.Sessions(context.Background(), "acme")
		w.must(err)
		own := 0
		for _, s := range list {
			if tool.Root(s.Persona) == "ann" {
				own++
			}
		}
		if all, ann := w.live("ann"); all != len(list) || ann != own || all > 6 || ann > 4 {
			rt.Fatalf("counted %d, of ann %d; there are %d and %d", all, ann, len(list), own)
		}
	})
}
