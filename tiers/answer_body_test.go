package tiers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/tiers"
)

// answered has a persona answered so many times, with bodies of a size.
func (w *world) answered(persona string, keys, size int) {
	w.t.Helper()
	for i := range keys {
		w.pass(time.Second)
		at := tiers.AnswerRef{Tenant: "acme", Persona: persona, Key: fmt.Sprint(i)}
		given, err := w.BeginAnswer(context.Background(), at, "r")
		if err != nil || given != nil {
			w.t.Fatalf("%+v was answered %+v, %v", at, given, err)
		}
		w.must(w.KeepAnswer(context.Background(), at, tiers.Answer{Request: "r", Status: 200, Body: []byte(strings.Repeat("x", size))}))
	}
}

// kept are the keys of a persona's answers that have a body; all have been given.
func (w *world) kept(persona string, keys int) string {
	w.t.Helper()
	var list []string
	for i := range keys {
		given, err := w.BeginAnswer(context.Background(), tiers.AnswerRef{Tenant: "acme", Persona: persona, Key: fmt.Sprint(i)}, "r")
		if err != nil || given == nil || given.Status != 200 {
			w.t.Fatalf("%s %d was answered %+v, %v: it would be done twice", persona, i, given, err)
		}
		if given.Body != nil {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

// Large answers are kept within bounds: the oldest lose what they said, and are not done again.
func TestBytesOfAnswersAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	const size, room = 2000, 2100 // what seals it
	w.BoundBodies(3*room, 5*room)
	w.answered("ann", 5, size)
	if got := w.kept("ann", 5); got != "2 3 4" {
		t.Errorf("of ann are kept %s", got)
	}
	w.answered("bob", 3, size)
	if ann, bob := w.kept("ann", 5), w.kept("bob", 3); ann != "3 4" || bob != "0 1 2" {
		t.Errorf("of ann are kept %s, of bob %s", ann, bob)
	}
	w.answered("cid", 30, 900) // small ones are no matter
	if ann, cid := w.kept("ann", 5), len(strings.Fields(w.kept("cid", 30))); ann != "3 4" || cid != 30 {
		t.Errorf("of ann are kept %s, of cid %d", ann, cid)
	}
	w.answered("dee", 1, 4*size)
	if dee := w.kept("dee", 1); dee != "" {
		t.Errorf("one that is larger than may be: %q", dee)
	}
}

// What is forgotten is counted no more: after a day there is room for as much again, and nothing is left of a tenant that is.
func TestBytesOfAnswersAreThoseThatAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	w.BoundBodies(4200, 4200)
	w.answered("ann", 2, 2000)
	again := tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "1"}
	w.must(w.KeepAnswer(t.Context(), again, tiers.Answer{Request: "r", Status: 200, Body: []byte(strings.Repeat("y", 2000))})) // as one who comes late
	if got := w.kept("ann", 2); got != "0 1" {
		t.Errorf("kept are %s", got)
	}
	w.pass(tiers.AnswersKept + time.Minute)
	w.answered("ann", 2, 2000)
	if got := w.kept("ann", 2); got != "0 1" {
		t.Errorf("after a day are kept %s", got)
	}
	w.pass(tiers.AnswersKept + time.Minute)
	_, err := w.BeginAnswer(t.Context(), tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "last"}, "r")
	w.must(err)
	w.must(w.Store().View(t.Context(), func(r tiers.Reader) error {
		return r.Scan(tiers.Range{Prefix: []byte("answers")}, func(k, value []byte) (bool, error) {
			if strings.Contains(string(k), "body") || strings.Contains(string(k), "bytes") && string(value) != "0" {
				t.Errorf("%q is left: %s", k, value)
			}
			return true, nil
		})
	}))
}
