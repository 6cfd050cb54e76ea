package schema_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"example.com/toolsmith/runtime/schema"
	"example.com/toolsmith/runtime/tool"
)

func FuzzCompile(f *testing.F) {
	for _, g := range suite(f) {
		f.Add([]byte(g.Schema))
	}
	for _, a := range attacks(f) {
		if text := whole(f, a.Schema, a.SchemaParts); len(text) < 4096 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		start := time.Now()
		s, err := schema.Compile(text)
		var e *tool.Error
		switch {
		case err == nil:
			if inlined := s.Inline(0); !json.Valid(inlined) {
				t.Errorf("inlined to %s", inlined)
			}
		case !errors.As(err, &e) || e.Code != tool.InvalidRequest || e.Message == "" || len(e.Message) > 16<<10:
			t.Errorf("%T %v", err, err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func FuzzValidate(f *testing.F) {
	for _, g := range suite(f) {
		for _, c := range g.Tests {
			f.Add([]byte(g.Schema), []byte(c.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text, value []byte) {
		s, err := schema.Compile(text)
		if err != nil {
			return
		}
		start := time.Now()
		first := s.Validate(value)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		if errors.As(first, new(schema.Mismatches)) {
			checkMismatch(t, "fuzz", first)
		} else if first != nil && !errors.Is(first, tool.InvalidInput) && !errors.Is(first, tool.Limit) {
			t.Errorf("%T %v", first, first)
		}
		inlined, err := schema.Compile(s.Inline(0))
		if err != nil {
			return // larger than what is admitted
		}
		if loose := inlined.Validate(value); first == nil && loose != nil && !errors.Is(loose, tool.Limit) {
			t.Errorf("inlined refuses: %v", loose)
		}
	})
}
