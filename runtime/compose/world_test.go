package compose_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

// world is a host with a few tools: it looks up, checks rights, calls, and checks outputs, as the real one does.
type world struct {
	tools    map[string]compose.Call
	composed map[string]*compose.Pipeline
	denied   map[string]bool
	calls    []string // "tool arguments"
}

func newWorld() *world {
	fail := func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, &tool.Error{Code: tool.GuestError, Message: "service unavailable", Line: 2, Column: 5}
	}
	return &world{
		tools: map[string]compose.Call{
			"echo": func(_ context.Context, _ string, a json.RawMessage) (json.RawMessage, error) { return a, nil },
			"upper": func(_ context.Context, _ string, a json.RawMessage) (json.RawMessage, error) {
				var in struct{ Value string }
				err := json.Unmarshal(a, &in)
				return fmt.Appendf(nil, `{"value": %q}`, strings.ToUpper(in.Value)), err
			},
			"failing": fail,
			"priv":    fail,
			"liar": func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return nil, tool.Errorf(tool.InvalidOutput, "n is not a number")
			},
		},
		composed: map[string]*compose.Pipeline{},
		denied:   map[string]bool{"priv": true},
	}
}

func (w *world) call(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	w.calls = append(w.calls, name+" "+string(arguments))
	if w.denied[name] {
		return nil, tool.Errorf(tool.Denied, "%s is not granted", name)
	}
	if p := w.composed[name]; p != nil {
		out, _, err := p.Run(ctx, arguments, w.call, compose.Options{})
		return out, err
	}
	t := w.tools[name]
	if t == nil {
		return nil, tool.Errorf(tool.NotFound, "no tool %s", name)
	}
	return t(ctx, name, arguments)
}

// forge does what the forge does with a composed tool.
func (w *world) forge(name string, steps json.RawMessage) error {
	p, err := compose.Parse(fmt.Appendf(nil, `{"steps": %s}`, steps), compose.Rules{Self: name})
	if err != nil {
		return err
	}
	toolsOf := func(name string) []string {
		if p := w.composed[name]; p != nil {
			return p.Tools()
		}
		return nil
	}
	if circle := compose.Circle(name, p.Tools(), toolsOf); circle != nil {
		return tool.Errorf(tool.InvalidRequest, "a circle: %v", circle)
	}
	for _, t := range p.Tools() {
		if w.denied[t] || (w.tools[t] == nil && w.composed[t] == nil) {
			return tool.Errorf(tool.Rejected, "%s may not be called", t)
		}
	}
	w.composed[name] = p
	return nil
}

// pipeline reads steps that must be right.
func pipeline(t *testing.T, steps string) *compose.Pipeline {
	t.Helper()
	p, err := compose.Parse([]byte(`{"steps": [`+steps+`]}`), compose.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// echo runs steps over echo, one for each inputMapping, and returns what the last one got.
func echo(t *testing.T, input string, opt compose.Options, mappings ...string) (string, *compose.Trace, error) {
	t.Helper()
	steps := make([]string, len(mappings))
	for i, m := range mappings {
		steps[i] = fmt.Sprintf(`{"name": "s%d", "tool": "echo", "inputMapping": %s}`, i, m)
	}
	out, trace, err := pipeline(t, strings.Join(steps, ", ")).Run(t.Context(), json.RawMessage(input), newWorld().call, opt)
	return string(out), trace, err
}

// problems returns what is wrong with a pipeline, each as "path: message".
func problems(t *testing.T, text string, rules compose.Rules) []string {
	t.Helper()
	_, err := compose.Parse([]byte(text), rules)
	if err == nil {
		return nil
	}
	if !errors.Is(err, tool.InvalidRequest) {
		t.Fatalf("not an invalid_request: %v", err)
	}
	list, ok := errors.AsType[compose.Problems](err)
	if !ok {
		return []string{err.Error()}
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Path+": "+p.Message)
	}
	return slices.Clip(all)
}
