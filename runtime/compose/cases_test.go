package compose_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// attack is one of the cases that were handed to us.
type attack struct {
	ID, Title          string
	Input              json.RawMessage
	InputParts         []string
	Expect             string
	ExpectAny          []string
	Output             json.RawMessage
	OutputAny          []json.RawMessage
	OutputMustNotMatch []string
	ComposeSteps       json.RawMessage
	ComposeStepsRepeat struct {
		Step  json.RawMessage
		Count int
	}
	Tools       map[string]json.RawMessage
	ToolsRepeat struct{ Levels, Width int }
	Call        string
	SelfName    string
	Revoke      string
}

func TestAttackCases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/compose.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []attack
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			out, err := c.run(t)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			c.judge(t, out, err)
		})
	}
}

// errForge marks what was refused when the tool was made.
var errForge = errors.New("reject-at-validation")

func (c attack) run(t *testing.T) (json.RawMessage, error) {
	t.Helper()
	w := newWorld()
	input := c.Input
	if c.InputParts != nil {
		input = json.RawMessage(strings.Join(c.InputParts, ""))
	}
	call := c.Call
	if call == "" {
		call = "it"
		if c.SelfName != "" {
			call = c.SelfName
		}
		if err := w.forge(call, c.steps()); err != nil {
			return nil, errors.Join(errForge, err)
		}
	}
	for name := range c.Tools {
		w.tools[name] = w.tools["echo"] // what they were before they are forged again
	}
	for name, steps := range c.Tools {
		if err := w.forge(name, steps); err != nil {
			return nil, errors.Join(errForge, err)
		}
	}
	for level := c.ToolsRepeat.Levels - 1; level >= 0; level-- {
		next := "echo"
		if level+1 < c.ToolsRepeat.Levels {
			next = fmt.Sprintf("level_%d", level+1)
		}
		steps := repeat(`{"name": "s%d", "tool": "`+next+`", "inputMapping": {}}`, c.ToolsRepeat.Width)
		if err := w.forge(fmt.Sprintf("level_%d", level), steps); err != nil {
			return nil, errors.Join(errForge, err)
		}
	}
	w.denied[c.Revoke] = true
	return w.call(t.Context(), call, input)
}

func (c attack) steps() json.RawMessage {
	if c.ComposeStepsRepeat.Count > 0 {
		return repeat(string(c.ComposeStepsRepeat.Step), c.ComposeStepsRepeat.Count)
	}
	return c.ComposeSteps
}

func repeat(step string, count int) json.RawMessage {
	steps := make([]string, count)
	for i := range steps {
		steps[i] = strings.ReplaceAll(step, "%d", fmt.Sprint(i))
	}
	return json.RawMessage("[" + strings.Join(steps, ",") + "]")
}

func (c attack) judge(t *testing.T, out json.RawMessage, err error) {
	t.Helper()
	outcome := "ok"
	switch {
	case errors.Is(err, errForge):
		outcome = "reject-at-validation"
	case errors.Is(err, tool.GuestError):
		outcome = "error:exception"
	case err != nil:
		outcome = "error:" + string(tool.AsError(err).Code)
	}
	if outcome != c.Expect && !slices.Contains(c.ExpectAny, outcome) {
		t.Fatalf("%s: %s, want %s: %s, %v", c.Title, outcome, c.Expect, out, err)
	}
	t.Logf("%s: %s %s %v", c.Title, outcome, out, err)
	for _, pattern := range c.OutputMustNotMatch {
		if regexp.MustCompile(pattern).MatchString(string(out) + fmt.Sprint(err)) {
			t.Errorf("%s is in %s, %v", pattern, out, err)
		}
	}
	wanted := c.OutputAny
	if c.Output != nil {
		wanted = append(wanted, c.Output)
	}
	if outcome == "ok" && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w json.RawMessage) bool { return same(w, out) }) {
		t.Errorf("%s, want one of %s", out, wanted)
	}
}

// same compares two JSON texts by what they mean.
func same(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
