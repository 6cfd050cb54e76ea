package schema_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

// attack is a schema and a value that mean harm. Parts are joined to the text; one may be repeated.
type attack struct {
	ID, Title, Expect          string
	Schema, Instance           json.RawMessage
	SchemaParts, InstanceParts []json.RawMessage
	ExpectAny                  []string
	Output                     *outcome
	OutputAny                  []outcome
}

type outcome struct{ Valid bool }

func attacks(t testing.TB) []attack {
	t.Helper()
	text, err := os.ReadFile("testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []attack
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func whole(t testing.TB, text json.RawMessage, parts []json.RawMessage) []byte {
	t.Helper()
	var b strings.Builder
	b.Write(text)
	for _, part := range parts {
		var once string
		var often struct {
			Repeat string
			Count  int
		}
		if json.Unmarshal(part, &once) == nil {
			b.WriteString(once)
		} else if err := json.Unmarshal(part, &often); err == nil {
			b.WriteString(strings.Repeat(often.Repeat, often.Count))
		} else {
			t.Fatal(err)
		}
	}
	return []byte(b.String())
}

// right reports whether the outcome is one of those that are right, with the answer if there is one.
func (a attack) right(got string, valid bool) bool {
	switch {
	case got != a.Expect && !slices.Contains(a.ExpectAny, got):
		return false
	case got != "ok" || a.Output == nil && a.OutputAny == nil:
		return true
	}
	return a.Output != nil && a.Output.Valid == valid || slices.ContainsFunc(a.OutputAny, func(o outcome) bool { return o.Valid == valid })
}

// run compiles and checks, within two seconds and with errors of a bounded size.
func (a attack) run(t *testing.T) (outcome string, valid bool) {
	t.Helper()
	text, value := whole(t, a.Schema, a.SchemaParts), whole(t, a.Instance, a.InstanceParts)
	start := time.Now()
	s, err := schema.Compile(text)
	outcome = "reject-at-validation"
	if err == nil {
		err = s.Validate(value)
		switch {
		case err == nil, errors.As(err, new(schema.Mismatches)):
			outcome, valid = "ok", err == nil
		case errors.Is(err, tool.Limit):
			outcome = "error:limit"
		case errors.Is(err, tool.InvalidInput):
			outcome = "error:invalid_input"
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%s took %v", a.ID, took)
	}
	if err != nil && len(err.Error()) > 8<<10 {
		t.Errorf("%s: an error of %d bytes", a.ID, len(err.Error()))
	}
	return outcome, valid
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	list := attacks(t)
	for _, a := range list {
		if outcome, valid := a.run(t); !a.right(outcome, valid) {
			t.Errorf("%s (%s): %s, valid: %t; want %s", a.ID, a.Title, outcome, valid, a.Expect)
		}
	}
	if len(list) < 40 {
		t.Errorf("only %d cases", len(list))
	}
}
