package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func TestValidateAll(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"type":"object","required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	errs := s.ValidateAll([]byte(`{"a":1}`), []byte(`{}`), []byte(`{`), []byte(`{"a":2}`))
	if len(errs) != 4 || errs[0] != nil || errs[3] != nil {
		t.Fatal(errs)
	}
	for i, want := range map[int]string{1: `Missing required property "a"`, 2: "this is not JSON"} {
		if !errors.Is(errs[i], tool.InvalidInput) || !strings.Contains(errs[i].Error(), want) {
			t.Errorf("value %d: %v", i, errs[i])
		}
	}
	if errs := s.ValidateAll(); len(errs) != 0 {
		t.Error(errs)
	}
}

// A hundred values that each take most of a budget end at the first few.
func TestValidateAllSharesOneBudget(t *testing.T) {
	t.Parallel()
	branches := strings.Repeat(`{"type":"string"},`, 90)
	s, err := schema.Compile([]byte(`{"items":{"anyOf":[` + branches + `{"type":"number"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var values [][]byte
	for i := range 100 {
		values = append(values, fmt.Appendf(nil, "[%d%s]", i, strings.Repeat(",1", 1000)))
	}
	if err := s.Validate(values[0]); err != nil {
		t.Fatal(err)
	}
	errs := s.ValidateAll(values...)
	if errs[0] != nil || !errors.Is(errs[99], tool.Limit) {
		t.Error(errs[0], errs[99])
	}
}
