package compose_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// FuzzParse: what is accepted is accepted again as it is written out, runs to JSON or a typed error, and what is refused is
// refused with places.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"mode": "compose", "steps": [{"name": "a", "tool": "echo", "inputMapping": {"v": ["$input.x", "<$prev[\"y\"]>"]}, "condition": "!$input.x || 1 < 2"}]}`), []byte(`{"x": [1]}`))
	f.Add([]byte(`{"steps": [{"name": "a", "tool": "echo"}, {"name": "b", "tool": "echo", "inputMapping": {"v": "$steps.a$steps[0].x"}}]}`), []byte(`null`))
	f.Add([]byte(`{"steps": [{"name": 1, "name": "a"}], "mode": null}`), []byte(``))
	f.Fuzz(func(t *testing.T, text, input []byte) {
		p, err := compose.Parse(text, compose.Rules{})
		if err != nil {
			refusal(t, err)
			return
		}
		written, err := json.Marshal(p.Spec())
		if err != nil {
			t.Fatal(err)
		}
		again, err := compose.Parse(written, compose.Rules{})
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if diff := cmp.Diff(p.Tools(), again.Tools()); diff != "" {
			t.Error(diff)
		}
		for _, lenient := range []bool{false, true} {
			out, trace, err := p.Run(t.Context(), input, newWorld().call, compose.Options{Lenient: lenient})
			if trace == nil || (err == nil) != json.Valid(out) {
				t.Fatalf("%s, %v", out, err)
			}
			if _, typed := errors.AsType[*tool.Error](err); err != nil && !typed {
				t.Fatal(err)
			}
		}
	})
}

func refusal(t *testing.T, err error) {
	t.Helper()
	e, typed := errors.AsType[*tool.Error](err)
	if !typed || e.Code != tool.InvalidRequest || len(e.Message) > 1<<14 {
		t.Fatal(err)
	}
	list, _ := errors.AsType[compose.Problems](err)
	for _, p := range list {
		if p.Message == "" || (p.Path != "" && p.Path[0] != '/') {
			t.Fatalf("%+v", p)
		}
	}
}

// FuzzReference: a string is resolved to JSON, and one without dollar signs is itself.
func FuzzReference(f *testing.F) {
	for _, text := range []string{`$input`, `$input.a[0]["b"]`, `a $prev.x-$steps[0].y.`, `$$`, `$5 $word`, `$input["\ud800"]`, `$steps.one.v[1]`, `$input[`, "\xed\xa0\x80"} {
		f.Add(text, []byte(`{"a": [{"b": "\ud800"}]}`))
	}
	f.Fuzz(func(t *testing.T, text string, input []byte) {
		mapping, err := json.Marshal(map[string]string{"v": text})
		if err != nil {
			t.Fatal(err)
		}
		p, err := compose.New(compose.Spec{Steps: []compose.Step{
			{Name: "one", Tool: "echo", InputMapping: json.RawMessage(`{"v": "$input"}`)}, {Name: "two", Tool: "echo", InputMapping: mapping},
		}}, compose.Rules{})
		if err != nil {
			refusal(t, err)
			return
		}
		out, _, err := p.Run(t.Context(), input, newWorld().call, compose.Options{})
		var got struct{ V any }
		if err == nil && json.Unmarshal(out, &got) != nil {
			t.Fatalf("%s", out)
		}
		if err == nil && !strings.Contains(text, "$") && got.V != strings.ToValidUTF8(text, "\uFFFD") && utf8.ValidString(text) {
			t.Errorf("%q is %q", text, got.V)
		}
	})
}

// FuzzCondition: a condition is refused, or decides; so does the opposite of it, the other way unless it cannot be evaluated.
func FuzzCondition(f *testing.F) {
	for _, text := range []string{`$input.a`, `$input.a.length >= 1 && !($input.b == 'x')`, `1 <= 2 || "a" != 'b\u0041'`, `-1.5e3 == null`, `((`, `!!!true`, `$prev["x"]`, `$nope`} {
		f.Add(text, []byte(`{"a": [1, 2], "b": "x"}`))
	}
	f.Fuzz(func(t *testing.T, text string, input []byte) {
		skipped, noted, ok := decide(t, text, input)
		if !ok {
			return
		}
		if opposite, _, ok := decide(t, "!("+text+")", input); ok && opposite == skipped && !noted {
			t.Errorf("%q and its opposite are both %v", text, !skipped)
		}
	})
}

// decide runs a step with a condition. It is not ok when the condition or the input is none.
func decide(t *testing.T, condition string, input []byte) (skipped, noted, ok bool) {
	t.Helper()
	p, err := compose.New(compose.Spec{Steps: []compose.Step{{Name: "one", Tool: "echo", Condition: condition}}}, compose.Rules{})
	if err != nil {
		refusal(t, err)
		return false, false, false
	}
	_, trace, err := p.Run(t.Context(), input, newWorld().call, compose.Options{})
	if err != nil {
		if !errors.Is(err, tool.InvalidInput) {
			t.Fatal(err)
		}
		return false, false, false
	}
	return trace.Steps[0].Skipped, len(trace.Steps[0].Notes) > 0, condition != ""
}
