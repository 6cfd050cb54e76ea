package selfimprove_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/tiers"
)

// evalShelf is a shelf in memory that remembers the audit entries.
type evalShelf struct {
	*tiers.Shelf
	mu     sync.Mutex
	events []tool.AuditEvent
}

func newEvalShelf(t testing.TB) *evalShelf {
	t.Helper()
	s := &evalShelf{}
	opened, err := tiers.Open(context.Background(), "", tiers.StoreOptions{}, tiers.Options{TendEvery: -1, Watch: func(e tool.AuditEvent) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events = append(s.events, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	s.Shelf = opened
	return s
}

// told returns the data of the audit entries so far.
func (s *evalShelf) told() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		list = append(list, string(e.EventType)+string(e.Data))
	}
	return list
}

func evalCaller(persona, session string) tool.Caller {
	return tool.Caller{Tenant: "acme", Persona: persona, Session: session}
}

var evalAnn, evalAnn2 = evalCaller("ann", "1"), evalCaller("ann", "2")

// wantCode wants an error with a code, words, a hint and a path.
func wantCode(t *testing.T, err error, code tool.Code, words, path string) {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code != code || !strings.Contains(e.Message, words) || e.Path != path || e.Hint == "" {
		t.Errorf("got %v, want %s with %q and a hint, at %q", err, code, words, path)
	}
}

func TestParametersAreChecked(t *testing.T) {
	t.Parallel()
	p := selfimprove.NewParameters(newEvalShelf(t), selfimprove.ParameterOptions{Declared: map[string]selfimprove.Parameter{
		"length": {Min: 1, Max: 9}, "tone": {Words: map[string]string{"kind": "kind", "nice": "kind"}},
	}})
	for _, c := range []struct {
		param, value string
		want         string // as it is kept; else parts of the error
		path         string
	}{
		{"temperature", `2.1`, "not a number within its range", "/value"},
		{"temperature", `-0.1`, "not a number within its range", "/value"},
		{"temperature", `9`, "not a number within its range", "/value"},
		{"temperature", `"hot"`, "not a number within its range", "/value"},
		{"temperature", `1e999`, "not a number within its range", "/value"},
		{"temperature", `null`, "not a number within its range", "/value"},
		{"temperature", `0.6`, `0.6`, ""},
		{"temperature", `0.9`, "too far", "/value"},
		{"temperature", `0.8`, `0.8`, ""}, // 0.8 - 0.6 is a little more than 0.2
		{"temperature", `0.6`, `0.6`, ""},
		{"verbosity", `"Brief "`, `"concise"`, ""},
		{"verbosity", `"normal"`, `"balanced"`, ""},
		{"verbosity", `"thorough"`, `"detailed"`, ""},
		{"verbosity", `"loud"`, "not one of its words", "/value"},
		{"verbosity", `""`, "not one of its words", "/value"},
		{"verbosity", `3`, "not one of its words", "/value"},
		{"length", `9`, `9`, ""},
		{"length", `1`, `1`, ""},
		{"length", `0`, "not a number within its range", "/value"},
		{"tone", `"nice"`, `"kind"`, ""},
		{"top_p", `0.5`, `there is no parameter "top_p"`, "/param"},
		{"", `0.5`, `there is no parameter ""`, "/param"},
	} {
		change, err := p.Set(t.Context(), evalAnn, c.param, json.RawMessage(c.value))
		if c.path != "" {
			wantCode(t, err, tool.InvalidInput, c.want, c.path)
			continue
		}
		kept, getErr := p.Get(t.Context(), evalAnn, c.param)
		if err != nil || getErr != nil || string(change.New) != c.want || string(kept) != c.want {
			t.Errorf("%s %s: got %s, %s, %v, %v", c.param, c.value, change.New, kept, err, getErr)
		}
	}
}

func TestParametersAreAuditedAndEndWithTheirSession(t *testing.T) {
	t.Parallel()
	s := newEvalShelf(t)
	p := selfimprove.NewParameters(s, selfimprove.ParameterOptions{})
	for _, value := range []string{`0.4`, `0.9`, `0.5`} { // the second is refused
		_, _ = p.Set(t.Context(), evalAnn, "temperature", json.RawMessage(value))
	}
	want := `param_changed{"newValue":0.4,"param":"temperature","previousValue":null} param_changed{"newValue":0.5,"param":"temperature","previousValue":0.4}`
	if got := strings.Join(s.told(), " "); got != want {
		t.Errorf("the audit log has\n%s, want\n%s", got, want)
	}
	if _, err := s.EndSession(t.Context(), tool.Actor{Caller: evalAnn}, evalAnn); err != nil {
		t.Fatal(err)
	}
	if all, err := p.All(t.Context(), evalAnn); err != nil || len(all) != 0 {
		t.Errorf("after the session there are %v, %v", all, err)
	}
}

func TestParametersNeedASession(t *testing.T) {
	t.Parallel()
	p := selfimprove.NewParameters(newEvalShelf(t), selfimprove.ParameterOptions{})
	nobody := tool.Caller{Tenant: "acme", Persona: "ann"}
	_, err := p.Set(t.Context(), nobody, "temperature", json.RawMessage(`1`))
	wantCode(t, err, tool.InvalidRequest, "session", "/session")
	wantCode(t, p.Apply(t.Context(), nobody, &model.Request{}), tool.InvalidRequest, "session", "/session")
}

func TestT305And306SessionOverrides(t *testing.T) {
	t.Parallel()
	p := selfimprove.NewParameters(newEvalShelf(t), selfimprove.ParameterOptions{})
	for param, value := range map[string]string{"temperature": `0.2`, "verbosity": `"short"`} {
		if _, err := p.Set(t.Context(), evalAnn, param, json.RawMessage(value)); err != nil {
			t.Fatal(err)
		}
	}
	apply := func(c tool.Caller, req model.Request) model.Request {
		t.Helper()
		if err := p.Apply(t.Context(), c, &req); err != nil {
			t.Fatal(err)
		}
		return req
	}
	own := 0.9
	if got := apply(evalAnn, model.Request{System: "Be kind."}); *got.Temperature != 0.2 || !strings.HasPrefix(got.System, "Be kind.\n\nVerbosity: concise.") {
		t.Errorf("the next request is %+v", got)
	}
	if got := apply(evalAnn, model.Request{Temperature: &own}); *got.Temperature != 0.9 || !strings.HasPrefix(got.System, "Verbosity: concise.") {
		t.Errorf("a request with a temperature of its own is %+v", got)
	}
	if own != 0.9 {
		t.Error("the temperature of the request was written to")
	}
	for _, other := range []tool.Caller{evalAnn2, evalCaller("bob", "1"), {Tenant: "other", Persona: "ann", Session: "1"}} {
		if got := apply(other, model.Request{System: "Be kind."}); got.Temperature != nil || got.System != "Be kind." {
			t.Errorf("%v: the request of another session is %+v", other, got)
		}
	}
}
