package tiers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	ctx := t.Context()
	openIt := func() *tiers.Shelf {
		s, err := tiers.Open(ctx, dir, tiers.StoreOptions{}, tiers.Options{Now: func() time.Time { return now }, TendEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := openIt()
	at := tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "k"}
	begin := func(at tiers.AnswerRef, request string) *tiers.Answer {
		t.Helper()
		given, err := s.BeginAnswer(ctx, at, request)
		if err != nil {
			t.Fatal(err)
		}
		return given
	}
	if given := begin(at, "r"); given != nil {
		t.Errorf("a new request was answered %+v", given)
	}
	if given := begin(at, "r"); given == nil || given.Status != 0 {
		t.Errorf("a request that is not answered yet was answered %+v", given)
	}
	if err := s.KeepAnswer(ctx, at, tiers.Answer{Request: "r", Status: 200, Body: []byte("the answer")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openIt()
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if given := begin(at, "r"); given == nil || given.Status != 200 || string(given.Body) != "the answer" {
		t.Errorf("the request was answered %+v", given)
	}
	if _, err := s.BeginAnswer(ctx, at, "another"); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("another request: %v", err)
	}
	for _, key := range []string{"", strings.Repeat("k", 201)} {
		if _, err := s.BeginAnswer(ctx, tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: key}, "r"); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("a key of %d bytes: %v", len(key), err)
		}
	}
	for _, other := range []tiers.AnswerRef{{Tenant: "acme", Persona: "bob", Key: "k"}, {Tenant: "evil", Persona: "ann", Key: "k"}} {
		if given := begin(other, "another"); given != nil {
			t.Errorf("%+v was answered %+v", other, given)
		}
		if err := s.DropAnswer(ctx, other); err != nil {
			t.Fatal(err)
		}
		if given := begin(other, "r"); given != nil {
			t.Errorf("what was dropped was answered %+v", given)
		}
	}
	large := tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "large"}
	begin(large, "r")
	if err := s.KeepAnswer(ctx, large, tiers.Answer{Request: "r", Status: 200, Body: make([]byte, 1<<20)}); err != nil {
		t.Fatal(err)
	}
	if given := begin(large, "r"); given == nil || given.Status != 200 || given.Body != nil {
		t.Errorf("a large answer came back as %+v", given)
	}
	now = now.Add(tiers.AnswersKept + time.Millisecond)
	if given := begin(at, "another"); given != nil {
		t.Errorf("an old answer came back: %+v", given)
	}
}

// What is answered does not lie in the open, and goes with its tenant.
func TestAnswersAreSealed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := tiers.Open(ctx, "", tiers.StoreOptions{}, tiers.Options{TendEvery: -1, Source: tiers.Plain})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	at := tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "k"}
	if _, err := s.BeginAnswer(ctx, at, "r"); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepAnswer(ctx, at, tiers.Answer{Request: "r", Status: 200, Body: []byte("CANARY")}); err != nil {
		t.Fatal(err)
	}
	err = s.Store().View(ctx, func(r tiers.Reader) error {
		return r.Scan(tiers.Range{Prefix: []byte("answers")}, func(_, value []byte) (bool, error) {
			if strings.Contains(string(value), "CANARY") || strings.Contains(string(value), "Q0FOQVJZ") {
				return false, fmt.Errorf("it lies in the open: %s", value)
			}
			return true, nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// However many requests a persona makes, their answers stay within bounds: those of old go first.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it makes thousands of answers")
	}
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	ctx := context.Background()
	s, err := tiers.Open(ctx, "", tiers.StoreOptions{}, tiers.Options{Now: func() time.Time { return now }, TendEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for i := range tiers.MaxAnswers + 5 {
		now = now.Add(time.Millisecond)
		if _, err := s.BeginAnswer(ctx, tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: fmt.Sprint(i)}, "r"); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	err = s.Store().View(ctx, func(r tiers.Reader) error {
		return r.Scan(tiers.Range{Prefix: []byte("answers")}, func(_, _ []byte) (bool, error) { n++; return true, nil })
	})
	if err != nil || n != 2*tiers.MaxAnswers+1 {
		t.Errorf("%d values, %v", n, err)
	}
	if given, err := s.BeginAnswer(ctx, tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "4"}, "another"); err != nil || given != nil {
		t.Errorf("the oldest came back: %+v %v", given, err)
	}
}
