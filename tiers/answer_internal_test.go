package tiers

import (
	"testing"
	"time"
)

// A request is being worked on as long as somebody says so, in whatever process, and not for ever when nobody does any more.
func TestAnswersAreHeld(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	var shelves [2]*Shelf
	for i := range shelves {
		s, err := Open(t.Context(), dir, StoreOptions{}, Options{Now: func() time.Time { return now }, TendEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		shelves[i] = s
	}
	mine, theirs := shelves[0], shelves[1]
	at := AnswerRef{Tenant: "acme", Persona: "ann", Key: "k"}
	if given, err := mine.BeginAnswer(t.Context(), at, "r"); given != nil || err != nil {
		t.Fatalf("a new request was answered %+v, %v", given, err)
	}
	asked := func(when string, working bool) {
		t.Helper()
		given, err := theirs.BeginAnswer(t.Context(), at, "r")
		if err != nil || given == nil || given.Status != 0 || given.Working != working {
			t.Errorf("%s: %+v, %v", when, given, err)
		}
	}
	now = now.Add(AnswerLease - time.Millisecond)
	asked("before its end", true)
	if err := mine.renewAnswer(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	now = now.Add(AnswerLease - time.Millisecond)
	asked("after it was said again", true)
	now = now.Add(time.Millisecond)
	asked("after its end", false)
	if err := mine.KeepAnswer(t.Context(), at, Answer{Request: "r", Status: 200, Body: []byte("late")}); err != nil {
		t.Fatal(err)
	}
	if err := mine.renewAnswer(t.Context(), at); err != nil { // it comes after the answer
		t.Fatal(err)
	}
	if given, err := theirs.BeginAnswer(t.Context(), at, "r"); err != nil || string(given.Body) != "late" || given.Working || !given.Until.IsZero() {
		t.Errorf("a late answer came back as %+v, %v", given, err)
	}
}
