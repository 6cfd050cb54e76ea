package compose_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
)

func TestEverythingWrongIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	got := problems(t, `{"mode": "sandbox", "extra": 1, "steps": [
		7,
		{"name": "9x", "tool": "forge_tool", "inputMapping": {"a": "$steps[1]", "b": ["$steps.later.x", {"c/d": "$input[x]"}], "a": 1}},
		{"name": "ok", "tool": "me", "inputMapping": [], "condition": "1 =="},
		{"name": "ok", "tool": "delegate_to_writer", "inputMapping": null, "condition": 7, "when": "x"},
		{"tool": "", "condition": "$typo.x"},
		{"name": "later", "tool": "echo", "inputMapping": {"v": "$steps"}}
	]}`, compose.Rules{Self: "me"})
	want := []string{
		`/extra: unknown key "extra"`,
		`/mode: the mode "sandbox" is not that of a pipeline`,
		`/steps/0: a step is an object, and this is a number`,
		`/steps/1/name: "9x" cannot name a step: it does not begin with a letter`,
		`/steps/1/tool: "forge_tool" may not be a step: it changes the agent itself, or hands work to another`,
		`/steps/1/inputMapping/a: $steps[1] refers to no earlier step: the one before is step 0`,
	}
	if len(got) < 15 || !slices.Equal(got[:5], want[:5]) {
		t.Errorf("%d problems:\n%s", len(got), strings.Join(got, "\n"))
	}
	for _, path := range []string{
		"/steps/1/inputMapping/a: $steps[1] refers", "/steps/1/inputMapping/a: this key is given twice", "/steps/1/inputMapping/b/0: $steps.later.x", "/steps/1/inputMapping/b/1/c~1d: [x]",
		"/steps/2/tool: ", "/steps/2/inputMapping: ", "/steps/2/condition: the condition ends", "/steps/3/name: ", "/steps/3/tool: ", "/steps/3/inputMapping: ", "/steps/3/condition: ",
		"/steps/3/when: ", "/steps/4/name: ", "/steps/4/tool: ", "/steps/4/condition: Unresolved reference expression $typo.x", "/steps/5/inputMapping/v: $steps is not",
	} {
		if !slices.ContainsFunc(got, func(p string) bool { return strings.HasPrefix(p, path) }) {
			t.Errorf("no problem begins %q:\n%s", path, strings.Join(got, "\n"))
		}
	}
}

func TestProblemsAreCapped(t *testing.T) {
	t.Parallel()
	mapping := strings.Repeat(`"$steps.no",`, 200)
	_, err := compose.Parse(fmt.Appendf(nil, `{"steps": [{"name": "a", "tool": "t", "inputMapping": {"l": [%s 1]}}]}`, mapping), compose.Rules{})
	list, ok := errors.AsType[compose.Problems](err)
	if !ok || len(list) != 50 || len(err.Error()) > 4096 {
		t.Errorf("%d problems, %v", len(list), err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	step := func(mapping, condition string) string {
		return fmt.Sprintf(`{"steps": [{"name": "a", "tool": "echo", "inputMapping": %s, "condition": %s}]}`, mapping, quote(condition))
	}
	for text, want := range map[string]string{
		``: "a pipeline is an object, and this is null", `{`: "cannot be read", `[]`: "a pipeline is an object, and this is a list", `{"steps": {}}`: "a list belongs", "{\"steps\": \"\xff\"}": "UTF-8",
		`{"steps": [{}], "steps": []}`:                                         "given twice",
		`{"steps": [` + strings.Repeat(`{},`, 20) + `{}]}`:                     "maxStepsPerTool is 20",
		`{"steps": "` + strings.Repeat(" ", 256<<10) + `"}`:                    "at most 262144",
		step(`{"v": "`+strings.Repeat("x", 64<<10)+`"}`, ""):                   "at most 65536",
		step(`{"v": `+strings.Repeat("[", 32)+strings.Repeat("]", 32)+`}`, ""): "nested too deep",
		step(`{"v": "$input`+strings.Repeat(".a", 33)+`"}`, ""):                "at most 32",
		step(`{"v": "$input['a']"}`, ""):                                       `behind a reference write [N] or ["key"]`,
		step(`{"v": "$input[1"}`, ""):                                          "is no path",
		step(`{"v": "$input[]"}`, ""):                                          "is no path",
		step(`{"v": "$input[\"a]"}`, ""):                                       "is no path",
		step(`{"v": "$input[\"\\x\"]"}`, ""):                                   "is no path",
		step(`{"v": "$steps[0]"}`, ""):                                         "no step comes before",
		step(`{}`, strings.Repeat("x", 1025)):                                  "at most 1024",
		step(`{}`, strings.Repeat("(", 33)):                                    "more than 32 deep",
		step(`{}`, strings.Repeat("!", 33)+"1"):                                "more than 32 deep",
		step(`{}`, " "):                                                        "the condition ends where a reference",
		step(`{}`, "(1"):                                                       "the condition ends where a closing parenthesis",
		step(`{}`, "1 === 1"):                                                  `at "= 1", byte 4`,
		step(`{}`, "1 2"):                                                      "an operator or the end is expected",
		step(`{}`, "'a"):                                                       "the end of the string",
		step(`{}`, `'\x'`):                                                     "escapes of JSON",
		step(`{}`, "$ == 1"):                                                   "a reference",
		step(`{}`, "trueish"):                                                  "a reference",
		step(`{}`, "$prev[x]"):                                                 "is no path",
		step(`{}`, "$prev.x == 1"):                                             "$prev.x refers to a step, and no step comes before",
		step(`{}`, "$steps.b"):                                                 "no step comes before",
	} {
		if got := strings.Join(problems(t, text, compose.Rules{}), "\n"); !strings.Contains(got, want) {
			t.Errorf("%.100s: %q lacks %q", text, got, want)
		}
	}
}

func TestMappingsNestAsDeepAsAllowed(t *testing.T) {
	t.Parallel()
	deepest := strings.Repeat("[", 31) + `"$input"` + strings.Repeat("]", 31)
	if out, _, err := echo(t, `1`, compose.Options{}, `{"v": `+deepest+`}`); err != nil || !strings.Contains(out, "[1]") {
		t.Errorf("%s, %v", out, err)
	}
}

func TestMaxStepsIsARule(t *testing.T) {
	t.Parallel()
	text := []byte(`{"steps": ` + string(repeat(`{"name": "s%d", "tool": "echo"}`, 3)) + `}`)
	if _, err := compose.Parse(text, compose.Rules{MaxSteps: 3}); err != nil {
		t.Error(err)
	}
	if _, err := compose.Parse(text, compose.Rules{MaxSteps: 2}); !errors.Is(err, tool.InvalidRequest) {
		t.Error(err)
	}
}

func TestToolsAndReferences(t *testing.T) {
	t.Parallel()
	p := pipeline(t, `
		{"name": "a", "tool": "x", "inputMapping": {"q/r": "$input.q and $5 and $word", "w": "$word"}},
		{"name": "b", "tool": "y", "inputMapping": {"l": ["$steps.a.z[0]"]}, "condition": "$prev.ok"},
		{"name": "c", "tool": "x"}`)
	if diff := cmp.Diff([]string{"x", "y"}, p.Tools()); diff != "" {
		t.Error(diff)
	}
	want := []compose.Reference{
		{Text: "$input.q", At: "/steps/0/inputMapping/q~1r", Root: "input", Path: []string{"q"}},
		{Text: "$word", At: "/steps/0/inputMapping/w", Root: "word"},
	}
	if diff := cmp.Diff(want, p.References(0)); diff != "" {
		t.Error(diff)
	}
	want = []compose.Reference{
		{Text: "$steps.a.z[0]", At: "/steps/1/inputMapping/l/0", Root: "steps", Path: []string{"z", "0"}},
		{Text: "$prev.ok", At: "/steps/1/condition", Root: "prev", Path: []string{"ok"}},
	}
	if diff := cmp.Diff(want, p.References(1)); diff != "" {
		t.Error(diff)
	}
}

// What a step refers to is known, whatever is wrong with it and with others.
func TestReferencesOfWhatIsWrong(t *testing.T) {
	t.Parallel()
	all := compose.References(compose.Spec{Steps: []compose.Step{
		{Tool: "", InputMapping: json.RawMessage(`{"a":"$typo","b":"$steps[9]"}`), Condition: "=="},
		{InputMapping: json.RawMessage(`[1]`)},
		{InputMapping: json.RawMessage(`{`), Condition: "$prev.a"},
	}})
	var got []string
	for i, references := range all {
		for _, r := range references {
			got = append(got, fmt.Sprint(i, " ", r.Text))
		}
	}
	if want := "0 $typo, 0 $steps[9], 2 $prev.a"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

func TestSpecIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	spec := compose.Spec{Steps: []compose.Step{
		{Name: "a", Tool: "x", InputMapping: json.RawMessage(`{"big":9007199254740993}`)},
		{Name: "b", Tool: "y", InputMapping: json.RawMessage(`{"v":"$prev"}`), Condition: "$prev.ok"},
	}}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := compose.Parse(text, compose.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := compose.New(spec, compose.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*compose.Pipeline{parsed, made} {
		if diff := cmp.Diff(spec, p.Spec()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestNewRefusesWhatParseRefuses(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]compose.Spec{
		"nothing":     {},
		"not JSON":    {Steps: []compose.Step{{Name: "a", Tool: "t", InputMapping: json.RawMessage(`{`)}}},
		"no object":   {Steps: []compose.Step{{Name: "a", Tool: "t", InputMapping: json.RawMessage(`"x"`)}}},
		"two of one":  {Steps: []compose.Step{{Name: "a", Tool: "t"}, {Name: "a", Tool: "t"}}},
		"no name":     {Steps: []compose.Step{{Tool: "t"}}},
		"long name":   {Steps: []compose.Step{{Name: strings.Repeat("a", 201), Tool: "t"}}},
		"wrong name":  {Steps: []compose.Step{{Name: "a b", Tool: "t"}}},
		"long tool":   {Steps: []compose.Step{{Name: "a", Tool: strings.Repeat("a", 201)}}},
		"a meta tool": {Steps: []compose.Step{{Name: "a", Tool: "self_evaluate"}}},
	} {
		if _, err := compose.New(spec, compose.Rules{}); !errors.Is(err, tool.InvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCircle(t *testing.T) {
	t.Parallel()
	parts := map[string][]string{"a": {"b", "c"}, "b": {"echo"}, "c": {"d", "b"}, "d": {"e", "c"}, "e": {"a"}}
	toolsOf := func(name string) []string { return parts[name] }
	if diff := cmp.Diff([]string{"a", "c", "d", "e", "a"}, compose.Circle("a", parts["a"], toolsOf)); diff != "" {
		t.Error(diff)
	}
	if got := compose.Circle("new", []string{"a"}, toolsOf); got != nil {
		t.Error(got)
	}
}
