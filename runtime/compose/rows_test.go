package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// The rows of section 3.2 of the specification. docs/behaviour.md says where ours differ.

func TestT25OneStepGetsArgumentsAndTheCallersContext(t *testing.T) {
	t.Parallel()
	type caller struct{}
	ctx := context.WithValue(t.Context(), caller{}, "ann")
	calls := 0
	out, _, err := pipeline(t, `{"name": "search", "tool": "web-search", "inputMapping": {"query": "$input.topic", "limit": 5}}`).Run(ctx, []byte(`{"topic": "ants"}`),
		func(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
			calls++
			if name != "web-search" || string(arguments) != `{"query":"ants","limit":5}` || ctx.Value(caller{}) != "ann" {
				t.Errorf("%s %s as %v", name, arguments, ctx.Value(caller{}))
			}
			return []byte(`{"hits": 3}`), nil
		}, compose.Options{})
	if err != nil || string(out) != `{"hits":3}` || calls != 1 {
		t.Errorf("%s, %v, %d calls", out, err, calls)
	}
}

func TestT26PreviousOutput(t *testing.T) {
	t.Parallel()
	out, _, err := echo(t, `{"text": "ab"}`, compose.Options{}, `{"url": "$input.text"}`, `{"value": "$prev.url"}`)
	if err != nil || out != `{"value":"ab"}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestT27OutputsByIndex(t *testing.T) {
	t.Parallel()
	out, _, err := echo(t, `null`, compose.Options{}, `{"a": 1}`, `{"b": [2]}`, `{"x": "$steps[0].a", "y": "$steps[1].b"}`)
	if err != nil || out != `{"x":1,"y":[2]}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestT28NoSteps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"steps": []}`, `{}`} {
		if got := problems(t, text, compose.Rules{}); len(got) != 1 || !strings.Contains(got[0], "no steps") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestT29BlankTool(t *testing.T) {
	t.Parallel()
	got := problems(t, `{"steps": [{"name": "a", "tool": "echo", "inputMapping": {}}, {"name": "b", "tool": "  ", "inputMapping": {}}]}`, compose.Rules{})
	if len(got) != 1 || !strings.HasPrefix(got[0], "/steps/1/tool") || !strings.Contains(got[0], "index 1") {
		t.Errorf("%q", got)
	}
}

func TestT30FailureStopsAndNamesTheStep(t *testing.T) {
	t.Parallel()
	w := newWorld()
	out, trace, err := pipeline(t, `{"name": "one", "tool": "echo"}, {"name": "two", "tool": "failing"}, {"name": "three", "tool": "echo"}`).
		Run(t.Context(), nil, w.call, compose.Options{})
	e, typed := errors.AsType[*tool.Error](err)
	if !typed || e.Code != tool.GuestError || e.Message != `step "two", tool "failing": service unavailable (line 2, column 5)` || out != nil {
		t.Errorf("%s, %v", out, err)
	}
	if len(w.calls) != 2 || len(trace.Steps) != 2 || trace.Steps[1].Code != tool.GuestError {
		t.Errorf("%q, %+v", w.calls, trace)
	}
}

func TestT31ReferenceInANestedObject(t *testing.T) {
	t.Parallel()
	out, _, err := echo(t, `{"topic": "ants"}`, compose.Options{}, `{"filter": {"about": "$input.topic", "max": 3}, "deep": true}`)
	if err != nil || out != `{"filter":{"about":"ants","max":3},"deep":true}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestT32ValidSpec(t *testing.T) {
	t.Parallel()
	got := problems(t, `{"mode": "compose", "steps": [
		{"name": "a", "tool": "echo", "inputMapping": {"v": "$input.v"}},
		{"name": "b", "tool": "echo", "inputMapping": {"v": "$steps.a.v"}, "condition": "$prev.v > 1"}]}`, compose.Rules{})
	if got != nil {
		t.Errorf("%q", got)
	}
}

func TestT33UnknownRootFailsTheStep(t *testing.T) {
	t.Parallel()
	_, trace, err := echo(t, `{}`, compose.Options{}, `{"value": "$unknown.field"}`)
	if !errors.Is(err, tool.InvalidInput) || !strings.Contains(err.Error(), "Unresolved reference expression $unknown.field") {
		t.Error(err)
	}
	if len(trace.Steps) != 1 || trace.Steps[0].Code != tool.InvalidInput {
		t.Errorf("%+v", trace)
	}
}

func TestT34UnknownRootIsTextWhenLenient(t *testing.T) {
	t.Parallel()
	out, trace, err := echo(t, `{}`, compose.Options{Lenient: true}, `{"value": "$unknown.field"}`)
	if err != nil || out != `{"value":"$unknown.field"}` {
		t.Errorf("%s, %v", out, err)
	}
	if !slices.ContainsFunc(trace.Steps[0].Notes, func(n string) bool { return strings.Contains(n, "Unresolved reference") }) {
		t.Errorf("%+v", trace)
	}
}
