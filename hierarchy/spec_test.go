package hierarchy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// smallest is the least that an agency is.
const smallest = "name: desk\nprovider: openai\nagents: [{name: researcher, instructions: Find facts.}]\n"

func TestParseReadsAll(t *testing.T) {
	t.Parallel()
	got, err := Parse([]byte(`
name: desk
strategy: hierarchical
adaptive: true
instructions: Answer in one paragraph.
model: gpt-4o
provider: openai
persona: desk
tools: [http_request, forge_tool]
agents:
  - name: researcher
    description: finds facts
    instructions: Find facts.
    model: claude-haiku-4-5-20251001
    provider: anthropic
    persona: analyst
    tools: [file_read]
    delegates: [writer]
    maxSteps: 8
  - {name: writer, instructions: Write.}
limits: {maxSteps: 20, agentSteps: 6, maxModelCalls: 50, maxToolCalls: 1k, maxTokens: 2M, maxCostUSD: 0.5, timeout: 10m, maxParallel: 2, maxDepth: 2, maxAgents: 8}
emergent:
  enabled: true
  tier: shared
  judge: false
  planner:
    {maxSpecialists: 3, requireJustification: true, maxJudgeCalls: 6, judgeModel: j, maxInstructionsLength: 1024, defaultModel: m, defaultProvider: groq}
hitl: {approvals: {beforeEmergent: true, beforeAgent: [writer]}, timeout: 1m}
`))
	if err != nil {
		t.Fatal(err)
	}
	no := false
	want := Spec{
		Name: "desk", Strategy: Hierarchical, Adaptive: true, Instructions: "Answer in one paragraph.", Model: "gpt-4o", Provider: "openai",
		Persona: "desk", Tools: []string{"http_request", "forge_tool"},
		Agents: []Agent{
			{
				Name: "researcher", Description: "finds facts", Instructions: "Find facts.", Model: "claude-haiku-4-5-20251001",
				Provider: "anthropic", Persona: "analyst", Tools: []string{"file_read"}, Delegates: []string{"writer"}, MaxSteps: 8,
			},
			{Name: "writer", Instructions: "Write."},
		},
		Limits: Limits{20, 6, 50, 1000, 2e6, 0.5, wire.Period(10 * time.Minute), 2, 2, 8},
		Emergent: Emergent{
			Enabled: true, Tier: tool.SharedTier, Judge: &no,
			Planner: Planner{3, true, 6, "j", 1024, "m", "groq"},
		},
		HITL: HITL{Approvals{true, []string{"writer"}}, wire.Period(time.Minute)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Emergent.Judged() || !(Emergent{}).Judged() {
		t.Error("a judge is asked unless the spec says no")
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := Parse([]byte(smallest + "emergent: {planner: {maxSpecialists: 3}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := s.WithDefaults()
	want := Spec{
		Name: "desk", Provider: "openai", Strategy: Hierarchical,
		Agents:   []Agent{{Name: "researcher", Instructions: "Find facts.", Persona: "researcher", MaxSteps: 5}},
		Limits:   Limits{10, 5, 100, 200, 1e6, 10, wire.Period(5 * time.Minute), 4, 3, 16},
		Emergent: Emergent{Tier: tool.SessionTier, Planner: Planner{MaxSpecialists: 3, MaxJudgeCalls: 6, MaxInstructionsLength: 8192}},
		HITL:     HITL{Timeout: wire.Period(5 * time.Minute)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Agents[0].Persona != "" {
		t.Error("the spec itself was changed")
	}
}

// mistakes are what a spec may not say, with the path and the words of the error.
var mistakes = map[string]struct{ text, path, want string }{
	"empty":                {"", "", "empty"},
	"unknown key":          {smallest + "managr: x\n", "/managr", `unknown key "managr"`},
	"wrong type":           {smallest + "adaptive: 1\n", "/adaptive", "true or false"},
	"zero limit":           {smallest + "limits: {maxSteps: 0}\n", "/limits/maxSteps", "above zero"},
	"negative limit":       {smallest + "limits: {maxTokens: -1}\n", "/limits/maxTokens", "above zero"},
	"zero dollars":         {smallest + "limits: {maxCostUSD: 0}\n", "/limits/maxCostUSD", "above zero"},
	"NaN dollars":          {smallest + "limits: {maxCostUSD: .nan}\n", "/limits/maxCostUSD", "dollars"},
	"too many steps":       {smallest + "limits: {maxSteps: 101}\n", "/limits/maxSteps", "maxSteps is 101: it is above zero and at most 100"},
	"huge limit":           {smallest + "limits: {maxSteps: 100G}\n", "/limits/maxSteps", "too large"},
	"too long":             {smallest + "limits: {timeout: 2h}\n", "/limits/timeout", "at most 1h0m0s"},
	"too dear":             {smallest + "limits: {maxCostUSD: 1e9}\n", "/limits/maxCostUSD", "at most 10000"},
	"patient":              {smallest + "hitl: {timeout: 2h}\n", "/hitl/timeout", "at most 1h0m0s"},
	"too many specialists": {smallest + "emergent: {planner: {maxSpecialists: 65}}\n", "/emergent/planner/maxSpecialists", "at most 64"},
	"no name":              {"provider: openai\nagents: [{name: a, instructions: b}]\n", "/name", "no name"},
	"bad name":             {"name: a/b\nprovider: openai\nagents: [{name: a, instructions: b}]\n", "/name", "is not a name"},
	"T-336 no model":       {"name: desk\nagents: [{name: a, instructions: b}]\n", "/provider", "neither a model nor a provider"},
	"no agents":            {"name: desk\nprovider: openai\nagents: []\n", "/agents", "no agents"},
	"agents are missing":   {"name: desk\nprovider: openai\n", "/agents", "no agents"},
	"more agents than maxAgents": {
		"name: desk\nprovider: openai\nagents: [{name: a, instructions: b}, {name: c, instructions: d}]\nlimits: {maxAgents: 1}\n", "/agents", "limits.maxAgents is 1",
	},
	"no instructions":     {"name: desk\nprovider: openai\nagents: [{name: a, instructions: ' '}]\n", "/agents/0/instructions", "no instructions"},
	"reserved role":       {"name: desk\nprovider: openai\nagents: [{name: Manager, instructions: b}]\n", "/agents/0/name", "reserved"},
	"prefixed role":       {"name: desk\nprovider: openai\nagents: [{name: delegate-to-a, instructions: b}]\n", "/agents/0/name", "reserved"},
	"role with spaces":    {"name: desk\nprovider: openai\nagents: [{name: a b, instructions: b}]\n", "/agents/0/name", "identifier"},
	"look-alike roles":    {"name: desk\nprovider: openai\nagents: [{name: a-b, instructions: b}, {name: A_b, instructions: b}]\n", "/agents/1/name", "another agent"},
	"persona of a chain":  {smallest + "persona: a/b\n", "/persona", "slash"},
	"tool of the manager": {smallest + "tools: [Delegate-to_researcher]\n", "/tools/0", "manager's own"},
	"spawn as a tool":     {smallest + "tools: [spawn_specialist]\n", "/tools/0", "manager's own"},
	"not a tool":          {smallest + "tools: ['*']\n", "/tools/0", "not the name of a tool"},
	"tool twice":          {smallest + "tools: [a_b, A-B]\n", "/tools/1", "listed twice"},
	"delegates to itself": {"name: desk\nprovider: openai\nagents: [{name: a, instructions: b, delegates: [a]}]\n", "/agents/0/delegates/0", "itself"},
	"delegates to nobody": {"name: desk\nprovider: openai\nagents: [{name: a, instructions: b, delegates: [c]}]\n", "/agents/0/delegates/0", "no agent"},
	"approval of nobody":  {smallest + "hitl: {approvals: {beforeAgent: [writer]}}\n", "/hitl/approvals/beforeAgent/0", "no agent"},
	"tier":                {smallest + "emergent: {tier: forever}\n", "/emergent/tier", "no tier"},
	"strategy":            {smallest + "strategy: swarm\n", "/strategy", "no strategy"},
	"not built":           {smallest + "strategy: debate\n", "/strategy", "cannot be run here"},
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(c.text))
			var e *tool.Error
			if !errors.As(err, &e) || e.Code != tool.InvalidRequest || e.Path != c.path || !strings.Contains(e.Message, c.want) {
				t.Fatalf("got %v, want %s at %s", err, c.want, c.path)
			}
			if c.text != "" && e.Line == 0 {
				t.Errorf("%v has no line", e)
			}
			if _, ok := errors.AsType[Problems](err); ok && e.Hint == "" && e.Snippet == "" { // what cannot be read says itself what belongs there
				t.Errorf("%v has no hint", e)
			}
		})
	}
}

func TestParseTellsAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte("name: desk\nlimits:\n  maxSteps: 1000\n  maxDepth: 9\nagents:\n  - name: plan\n    instructions: b\n"))
	all, ok := errors.AsType[Problems](err)
	if !ok || len(all) != 4 {
		t.Fatalf("got %v", err)
	}
	var places []int
	for _, one := range all {
		places = append(places, one.Line)
	}
	if want := []int{1, 6, 3, 4}; !slices.Equal(places, want) {
		t.Errorf("the lines are %v, want %v", places, want)
	}
	if !strings.Contains(err.Error(), "4 problems") || !strings.Contains(err.Error(), "line 4, column 13") {
		t.Errorf("got %v", err)
	}
}

// What cannot be read, what nobody knows and what is out of range are told together, each once.
func TestParseTellsMistakesOfEveryKindAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte(`name: 5
managr: x
provider: gemini
adaptive: 1
tools: nope
agents:
  - {name: 7, instructions: b, provider: chatgpt, maxSteps: 0}
  - [a]
  - {name: user, instructoins: b}
limits: {timeout: 2h, maxDepth: many}
hitl: {approvals: {beforeAgent: [writer]}, timeout: 2h}
`), "openai", "ollama")
	all, _ := errors.AsType[Problems](err)
	var got []string
	for _, p := range all {
		got = append(got, fmt.Sprintf("%d:%d %s", p.Line, p.Column, p.Path))
	}
	want := []string{
		"1:7 /name", "2:1 /managr", "4:11 /adaptive", "5:8 /tools", "7:12 /agents/0/name", "7:61 /agents/0/maxSteps", "8:5 /agents/1",
		"9:18 /agents/2/instructoins", "10:33 /limits/maxDepth", "9:12 /agents/2/name", "9:5 /agents/2/instructions", "10:19 /limits/timeout", "11:53 /hitl/timeout",
		"11:34 /hitl/approvals/beforeAgent/0", "3:11 /provider", "7:42 /agents/0/provider",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	spec := Spec{Name: "desk", Provider: "script", Agents: []Agent{{Name: "a", Instructions: "b"}}}
	if spec.Validate() != nil || spec.CheckProviders() != nil || spec.CheckProviders("script") != nil || !errors.Is(spec.CheckProviders("openai"), tool.InvalidRequest) {
		t.Error("providers are those that are given, if any")
	}
}

// Too many members do not hide what else is wrong.
func TestParseTellsMoreThanTheNumberOfAgents(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte("name: desk\nprovider: openai\nagents: [{name: a, instructions: b}, {name: plan, instructions: d}]\nlimits: {maxAgents: 1}\n"))
	if all, _ := errors.AsType[Problems](err); len(all) != 2 || !strings.Contains(all[1].Message, "reserved") {
		t.Errorf("got %v", err)
	}
}

func TestT343EmergentNeedsAManager(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Sequential, Parallel, Debate, ReviewLoop} {
		_, err := Parse([]byte(smallest + "emergent: {enabled: true}\nstrategy: " + string(strategy) + "\n"))
		if !errors.Is(err, tool.InvalidRequest) || !strings.Contains(err.Error(), "emergent") {
			t.Errorf("%s: %v", strategy, err)
		}
	}
}

func TestT344EmergentWithAManager(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "strategy: hierarchical\n", "adaptive: true\n", "strategy: debate\nadaptive: true\n"} {
		if _, err := Parse([]byte(smallest + "emergent: {enabled: true}\n" + text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A Spec that is written in Go is held to the same as one of a file.
func TestValidate(t *testing.T) {
	t.Parallel()
	good := Spec{Name: "desk", Model: "m", Agents: []Agent{{Name: "a", Instructions: "b"}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := good.WithDefaults().Validate(); err != nil {
		t.Errorf("with defaults: %v", err)
	}
	for path, spoil := range map[string]func(*Spec){
		"/limits/maxSteps":       func(s *Spec) { s.Limits.MaxSteps = -1 },
		"/limits/timeout":        func(s *Spec) { s.Limits.Timeout = -1 },
		"/limits/maxCostUSD":     func(s *Spec) { s.Limits.MaxCostUSD = -1 },
		"/agents/0/maxSteps":     func(s *Spec) { s.Agents = []Agent{{Name: "a", Instructions: "b", MaxSteps: 101}} },
		"/agents/0/instructions": func(s *Spec) { s.Agents = []Agent{{Name: "a", Instructions: strings.Repeat("b", 70_000)}} },
		"/instructions":          func(s *Spec) { s.Instructions = "\x00" },
		"/tools":                 func(s *Spec) { s.Tools = make([]string, 65) },
	} {
		s := good
		spoil(&s)
		if e := tool.AsError(s.Validate()); e == nil || e.Code != tool.InvalidRequest || e.Path != path {
			t.Errorf("got %v, want a mistake at %s", e, path)
		}
	}
}

func TestRoleProblem(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]string{
		"researcher": "", "Data-Helper_2": "", strings.Repeat("a", MaxRoleBytes): "",
		"": "identifier", strings.Repeat("a", MaxRoleBytes+1): "identifier", "1a": "identifier", "a b": "identifier", "a\nb": "identifier", "rese\u0430rcher": "identifier",
		"plan": "reserved", "Final-Answer": "reserved", "SPAWN_specialist": "reserved", "delegate_to_self": "reserved", "Delegate-To_writer": "reserved", "MANAGER": "reserved", "User": "reserved", "judge": "reserved", "system": "reserved",
	} {
		if got := RoleProblem(role); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", role, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(smallest)
	for _, c := range mistakes {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse([]byte(text))
		switch {
		case err != nil:
			if !errors.Is(err, tool.InvalidRequest) {
				t.Fatalf("got %v", err)
			}
		case s.Validate() != nil || s.WithDefaults().Validate() != nil:
			t.Fatalf("what was read is not valid: %v", s.Validate())
		case len(s.Agents) == 0:
			t.Fatal("there is nobody")
		}
	})
}
