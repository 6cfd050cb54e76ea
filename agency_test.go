package toolsmith_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
)

// agencies is a world whose agents have a model that answers with the steps.
func agencies(t *testing.T, dir string, change func(*toolsmith.Options), steps ...modeltest.Step) (*world, *modeltest.Server) {
	t.Helper()
	server := modeltest.Start(steps...)
	t.Cleanup(server.Close)
	return open(t, dir, approveAll, func(o *toolsmith.Options) {
		o.Getenv = func(name string) string { return server.Env("openai")[name] }
		if change != nil {
			change(o)
		}
	}), server
}

// desk is a team of a writer, whose manager may spawn specialists that nobody judges.
func desk(tools ...string) hierarchy.Spec {
	no := false
	return hierarchy.Spec{
		Name: "desk", Provider: "openai", Tools: tools,
		Agents:   []hierarchy.Agent{{Name: "writer", Instructions: "Write."}},
		Emergent: hierarchy.Emergent{Enabled: true, Judge: &no},
	}
}

func (w *world) agency(spec hierarchy.Spec, opt toolsmith.AgencyOptions) *toolsmith.Agency {
	w.t.Helper()
	a, err := w.Agency(spec, opt)
	w.must(err)
	return a
}

// calls is a reply of calls: names and arguments in turn.
func calls(texts ...string) (step modeltest.Step) {
	for i := 0; i+1 < len(texts); i += 2 {
		step.Calls = append(step.Calls, modeltest.Call{Name: texts[i], Arguments: modeltest.Arguments(texts[i+1])})
	}
	return step
}

func spawns(role string) modeltest.Step {
	return calls(hierarchy.SpawnTool, fmt.Sprintf(`{"role":%q,"instructions":"Do it.","justification":"Nobody does."}`, role))
}

var onDuty = tool.Caller{Tenant: "acme", Persona: "ann"} // without a session

// seen is a tool that notes who calls it, and what they are granted.
type seen struct {
	mu   sync.Mutex
	list []string
}

func (s *seen) tool(name string) runtime.Tool {
	return ownTool(name, "", func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, fmt.Sprintf("%s: %s may %v", name, call.Caller.Persona, call.Policy.Crypto))
		return json.RawMessage(`{}`), nil
	})
}

// Members act as personas of their own, and specialists as nobody who may do more than the manager that spawned them: not even
// as a persona of that name.
func TestAgentsHaveTheirOwnRightsAndNoMore(t *testing.T) {
	t.Parallel()
	var s seen
	wide := policy.Document{Version: "1.0"}
	wide.Permissions.Crypto.Allow = []string{"sha256"}
	w, server := agencies(
		t, "", func(o *toolsmith.Options) {
			o.Config.Policies = map[string]policy.Document{"wide": wide}
			o.Config.Personas = map[string]config.Persona{"admin": {Policy: "wide"}}
			o.Tools = []runtime.Tool{s.tool("look"), s.tool("vault")}
			o.Permit = func(c tool.Caller, name string) bool { return name != "vault" || c.Persona != "ann" }
		},
		calls("delegate_to_writer", `{"task":"look"}`), calls("look", `{}`, "vault", `{}`), modeltest.Text("looked"),
		spawns("admin"), calls("delegate_to_admin", `{"task":"look"}`), calls("look", `{}`, "vault", `{}`), modeltest.Text("looked, too"),
		calls("look", `{}`, "vault", `{}`), modeltest.Text("done"),
	)
	spec := desk("look", "vault")
	spec.Agents[0].Persona, spec.Limits.MaxParallel = "admin", 1
	result, err := w.agency(spec, toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "Go.", nil)
	w.must(err)
	want := "look: admin may [sha256]\nvault: admin may [sha256]\nlook: ann/admin may []\nlook: ann may []"
	if got := strings.Join(s.list, "\n"); got != want || result.Output != "done" || server.Left() != 0 {
		t.Errorf("got %s\nwant %s\nafter %+v", got, want, result)
	}
	for _, call := range result.AgentCalls {
		if failed := call.ToolCalls[1].Failed; failed != call.Emergent {
			t.Errorf("%s: vault failed: %v", call.Agent, failed)
		}
	}
}

// A member forges a tool and calls it. Both end with the session of the run, and so do the agents: a specialist of before is
// nobody who sees anything.
func TestForgingEndsWithTheRun(t *testing.T) {
	t.Parallel()
	w, server := agencies(
		t, "", nil,
		calls("delegate_to_writer", `{"task":"add"}`), calls("forge_tool", string(request(t, nil))), calls("add_numbers", `{"a":1,"b":2}`), modeltest.Text("3"),
		spawns("adder"), calls("delegate_to_adder", `{"task":"add"}`), calls("add_numbers", `{"a":1,"b":2}`), modeltest.Text("I cannot."), modeltest.Text("It is 3."),
	)
	result, err := w.agency(desk("forge_tool"), toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "Add.", nil)
	w.must(err)
	if result.Output != "It is 3." || server.Left() != 0 || len(result.AgentCalls) != 2 {
		t.Fatalf("%+v", result)
	}
	for i, want := range []bool{false, true} { // it is the tool of the session of whoever forged it
		if last := result.AgentCalls[i].ToolCalls; last[len(last)-1].Failed != want {
			t.Errorf("%s: %+v", result.AgentCalls[i].Agent, last)
		}
	}
	session := result.Caller.Session
	if !strings.HasPrefix(session, "agency-") {
		t.Errorf("the session is %q", session)
	}
	for _, persona := range []string{"writer", "ann/adder"} {
		_, err := w.Call(t.Context(), tool.Caller{Tenant: "acme", Persona: persona, Session: session}, "add_numbers", json.RawMessage(`{"a":1,"b":2}`))
		w.wants(persona, err, tool.NotFound, "")
	}
	shelf, err := w.Shelf(t.Context())
	w.must(err)
	all, err := shelf.Sessions(t.Context(), "acme")
	w.must(err)
	if len(all) != 0 {
		t.Errorf("sessions are left: %+v", all)
	}
}

// What judging the tools of agents took is among what the run has used, whatever became of them.
func TestJudgingIsAmongTheUsageOfARun(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]func(canary string) string{"approved": judgetest.Approval, "rejected": judgetest.Refusal} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := agencies(t, "", func(o *toolsmith.Options) {
				reviewer := judgetest.Func(func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
					return model.Reply{Provider: "stub", Model: "stub", Text: text(p.Canary), Usage: model.Usage{InputTokens: 4000, OutputTokens: 300}}, nil
				})
				o.Judge = judgeOf(t, reviewer, reviewer)
			}, calls("forge_tool", string(request(t, nil))), modeltest.Text("done"))
			result, err := w.agency(desk("forge_tool"), toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "Add.", nil)
			w.must(err)
			if got := result.Usage.TotalTokens - result.ManagerUsage.TotalTokens; got != 4300 || result.ManagerUsage.TotalTokens == 0 {
				t.Errorf("%d tokens besides those of the manager: %+v", got, result.Usage)
			}
		})
	}
}

// A specialist forges no more than its manager, whatever it is called (attack hie-006).
func TestSpecialistsForgeNoMoreThanTheirManager(t *testing.T) {
	t.Parallel()
	wide := policy.Document{Version: "1.0"}
	wide.Permissions.Crypto.Allow = []string{"sha256"}
	hashes := string(request(t, map[string]string{
		"implementation": `{"mode":"sandbox","allowlist":["crypto"],"code":"function execute(input) { crypto.createHash('sha256').update('a').digest('hex'); return { sum: input.a + input.b }; }"}`,
		"description":    `"Adds two numbers, and hashes with crypto."`,
	}))
	w, server := agencies(
		t, "", func(o *toolsmith.Options) {
			o.Config.Policies = map[string]policy.Document{"wide": wide}
			o.Config.Personas = map[string]config.Persona{"admin": {Policy: "wide"}}
		},
		calls("delegate_to_writer", `{"task":"forge"}`), calls("forge_tool", hashes), modeltest.Text("forged"),
		spawns("admin"), calls("delegate_to_admin", `{"task":"forge"}`), calls("forge_tool", hashes), modeltest.Text("not forged"), modeltest.Text("done"),
	)
	spec := desk("forge_tool")
	spec.Agents[0].Persona = "admin"
	result, err := w.agency(spec, toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "Go.", nil)
	w.must(err)
	if server.Left() != 0 || len(result.AgentCalls) != 2 {
		t.Fatalf("%+v", result)
	}
	for i, want := range []bool{false, true} {
		if call := result.AgentCalls[i]; call.ToolCalls[0].Failed != want {
			t.Errorf("%s: %+v, %+v", call.Agent, call.ToolCalls, result.Transcript)
		}
	}
}

// There are no agents in the sandbox (attack hie-031).
func TestNoAgentsInTheSandbox(t *testing.T) {
	t.Parallel()
	b, err := box()
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Run(t.Context(), runtime.Request{
		Code:  "function execute(input) { return [typeof spawn_specialist, typeof forge_tool, typeof callTool, typeof delegate_to_writer]; }",
		Input: json.RawMessage(`{}`),
	})
	if want := `["undefined","undefined","undefined","undefined"]`; err != nil || string(got.Output) != want {
		t.Errorf("%s, %v", got.Output, err)
	}
}

// Without forging in the configuration there is no forge_tool; a session that the caller names goes on.
func TestAgentsForgeWhereTheHostDoes(t *testing.T) {
	t.Parallel()
	w, server := agencies(t, "", func(o *toolsmith.Options) { o.Config.Emergent = false }, modeltest.Text("no"))
	result, err := w.agency(desk("forge_tool"), toolsmith.AgencyOptions{}).Run(t.Context(), ann, "Add.", nil)
	w.must(err)
	if strings.Contains(string(server.Seen()[0].Body), `"forge_tool"`) || result.Caller != ann {
		t.Errorf("%s, %+v", server.Seen()[0].Body, result.Caller)
	}
}

func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, _ := agencies(t, dir, nil, calls("delegate_to_writer", `{"task":"go"}`), modeltest.Text("gone"), modeltest.Text("done"))
	team := w.agency(desk(), toolsmith.AgencyOptions{})
	first, err := team.Run(t.Context(), onDuty, "Go.", nil)
	w.must(err)
	second, err := team.Run(t.Context(), onDuty, "Again.", nil) // the model has nothing more to say
	if err == nil || second.Reason != hierarchy.Failed {
		t.Fatalf("%v, %+v", err, second)
	}
	w.close()

	w = open(t, dir, approveAll, nil)
	list, err := w.AgencyRuns(t.Context(), "acme", "ann")
	w.must(err)
	if len(list) != 2 || list[0].ID != first.ID || list[1].ID != second.ID || list[0].Prompt != "Go." || list[0].Result.Transcript != nil {
		t.Fatalf("%+v", list)
	}
	run, err := w.AgencyRun(t.Context(), "acme", "ann", first.ID)
	w.must(err)
	if run.Result.Output != "done" || len(run.Result.Transcript) != 4 || run.Result.AgentCalls[0].Output != "gone" {
		t.Errorf("%+v", run.Result)
	}
	for _, other := range [][2]string{{"acme", "bob"}, {"other", "ann"}} {
		_, err := w.AgencyRun(t.Context(), other[0], other[1], first.ID)
		w.wants(other[0]+"/"+other[1], err, tool.NotFound, "no run")
	}
	shelf, err := w.Shelf(t.Context())
	w.must(err)
	_, err = shelf.Verify(t.Context(), "acme")
	w.must(err)
}

// However much agents say, a run can be kept.
func TestRunsAreKeptWithinBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 16<<10)
	var steps []modeltest.Step
	for range 5 {
		var many []string
		for range 15 {
			many = append(many, "delegate_to_writer", `{"task":"`+long+`"}`)
		}
		step := calls(many...)
		step.When = "manager agent of a team"
		steps = append(steps, step)
		for range 15 {
			steps = append(steps, modeltest.Step{When: `"content":"Write."`, Text: long})
		}
	}
	w, _ := agencies(t, "", nil, append(steps, modeltest.Text("done"))...)
	result, err := w.agency(desk(), toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "Go.", nil)
	w.must(err)
	run, err := w.AgencyRun(t.Context(), "acme", "ann", result.ID)
	w.must(err)
	if run.Result.Output != "done" || len(run.Result.AgentCalls) == 0 || len(run.Result.AgentCalls) >= len(result.AgentCalls) {
		t.Errorf("%q with %d of %d calls", run.Result.Output, len(run.Result.AgentCalls), len(result.AgentCalls))
	}
}

func TestSharedSpecialistsAreKept(t *testing.T) {
	t.Parallel()
	w, server := agencies(t, "", nil, spawns("adder"), modeltest.Text("one"), modeltest.Text("two"), modeltest.Text("three"))
	spec := desk()
	spec.Emergent.Tier = tool.SharedTier
	_, err := w.Agency(spec, toolsmith.AgencyOptions{})
	w.wants("nobody to approve", err, tool.InvalidRequest, "shared")
	opt := toolsmith.AgencyOptions{Approve: hierarchy.AlwaysApprove("eve")}
	_, err = w.agency(spec, opt).Run(t.Context(), onDuty, "One.", nil)
	w.must(err)
	for i, c := range []tool.Caller{{Tenant: "acme", Persona: "bob"}, {Tenant: "other", Persona: "ann"}} {
		_, err = w.agency(spec, opt).Run(t.Context(), c, "Next.", nil)
		w.must(err)
		body := string(server.Seen()[2+i].Body)
		if got, want := strings.Contains(body, "delegate_to_adder"), c.Tenant == "acme"; got != want {
			t.Errorf("%v has the specialist: %v", c, got)
		}
	}
	kept := ""
	for _, e := range w.events {
		if e.EventType == tool.SpecialistKept {
			kept = string(e.Data) + " by " + e.Actor
		}
	}
	if want := `{"agency":"desk","approvedBy":"eve","role":"adder","version":1} by eve`; kept != want {
		t.Errorf("got %s, want %s", kept, want)
	}
}

// The judge fails closed: without a model, there is no specialist.
func TestAgentsAreJudgedByWhoIsThere(t *testing.T) {
	t.Parallel()
	w, _ := agencies(t, "", nil, spawns("adder"), modeltest.Text("one"))
	spec := desk()
	spec.Emergent.Judge = nil
	result, err := w.agency(spec, toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "One.", nil)
	w.must(err)
	if len(result.Spawns) != 1 || result.Spawns[0].Approved || !strings.Contains(result.Spawns[0].Reason, "no model is configured to judge") {
		t.Errorf("%+v", result.Spawns)
	}
}

func TestAgenciesNeedModels(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	_, err := w.Agency(desk(), toolsmith.AgencyOptions{})
	w.wants("no key", err, tool.Unavailable, "")
	spec := desk()
	spec.Provider, spec.Model = "", "large-1"
	_, err = w.Agency(spec, toolsmith.AgencyOptions{})
	w.wants("no provider", err, tool.Unavailable, "no model is configured")
	spec.Agents = nil
	if _, err = w.Agency(spec, toolsmith.AgencyOptions{}); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("no agents: %v", err)
	}
	w.close()
	_, err = w.Agency(desk(), toolsmith.AgencyOptions{})
	w.wants("closed", err, tool.Unavailable, "closed")
}

// The judge that the configuration names judges specialists, too; without one it is a small model of the agency's provider.
func TestSpecialistsAreJudgedByTheConfiguredJudge(t *testing.T) {
	t.Parallel()
	judged := modeltest.Step{JSON: json.RawMessage(`{"canary":"$1","approved":true,"reasoning":"narrow"}`), Echo: "repeats as it is: ([0-9a-f]{32})"}
	for name, c := range map[string]struct {
		change  func(*config.Config)
		planner string
		own     bool // asked at the judge's own server
		want    string
	}{
		"named":                     {func(c *config.Config) { c.Models.Judge.Model = "claude-judge" }, "", true, "claude-judge"},
		"named, and by the spec":    {func(c *config.Config) { c.Models.Judge.Model = "claude-judge" }, "strict-1", true, "strict-1"},
		"of the provider":           {func(*config.Config) {}, "", true, "claude-haiku-4-5-20251001"},
		"under emergentConfig":      {func(c *config.Config) { c.Models.Judge, c.EmergentConfig.JudgeModel = config.Model{}, "strict-2" }, "", false, "strict-2"},
		"none":                      {func(c *config.Config) { c.Models.Judge = config.Model{} }, "", false, "gpt-4o-mini"},
		"none, one named by a spec": {func(c *config.Config) { c.Models.Judge = config.Model{} }, "strict-3", false, "strict-3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			court := modeltest.Start(judged)
			t.Cleanup(court.Close)
			steps := []modeltest.Step{spawns("adder"), modeltest.Text("one")}
			if !c.own {
				steps = []modeltest.Step{spawns("adder"), judged, modeltest.Text("one")}
			}
			w, server := agencies(t, "", func(o *toolsmith.Options) {
				environment := o.Getenv
				o.Judge, o.Getenv = nil, func(name string) string {
					return cmp.Or(environment(name), map[string]string{"ANTHROPIC_API_KEY": modeltest.Key}[name])
				}
				o.Config.Models.Judge = config.Model{Provider: "anthropic", BaseURL: court.URL}
				c.change(o.Config)
			}, steps...)
			spec := desk()
			spec.Provider, spec.Model, spec.Emergent.Judge, spec.Emergent.Planner.JudgeModel = "openai", "gpt-x", nil, c.planner
			if name == "none" { // the provider is then that of the environment
				spec.Provider = ""
			}
			result, err := w.agency(spec, toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "One.", nil)
			w.must(err)
			seen := append(court.Seen(), server.Seen()[1])[0]
			if s := result.Spawns[0]; !s.Approved || s.Reasoning != "narrow" || s.JudgedBy == "" || !strings.Contains(string(seen.Body), `{"model":"`+c.want+`"`) {
				t.Errorf("%+v\n%.100s", s, seen.Body)
			}
			if (len(court.Seen()) == 1) != c.own {
				t.Errorf("the judge's server was asked %d times", len(court.Seen()))
			}
		})
	}
}

// A persona's model is that of the agents which act as it, unless the agency's file names another, or another provider.
func TestAgentsHaveTheModelsOfTheirPersonas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change          func(*hierarchy.Spec)
		manager, writer string // the models that they are asked with
	}{
		"no model is named":              {func(*hierarchy.Spec) {}, "ann-1", "writer-1"},
		"personas by name":               {func(s *hierarchy.Spec) { s.Persona, s.Agents[0].Persona = "bob", "ann" }, "usual-1", "ann-1"},
		"a model of the agency":          {func(s *hierarchy.Spec) { s.Model = "all-1" }, "all-1", "all-1"},
		"a model of the member":          {func(s *hierarchy.Spec) { s.Agents[0].Model = "own-1" }, "ann-1", "own-1"},
		"a member of another provider's": {func(s *hierarchy.Spec) { s.Agents[0].Provider = "ollama" }, "ann-1", "llama3.2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, server := agencies(t, "", func(o *toolsmith.Options) {
				environment := o.Getenv
				o.Getenv = func(name string) string {
					return cmp.Or(environment(name), map[string]string{"OLLAMA_HOST": strings.TrimSuffix(environment("OPENAI_BASE_URL"), "/v1")}[name])
				}
				o.Config.Models.Manager = config.Model{Provider: "openai", Model: "usual-1", BaseURL: environment("OPENAI_BASE_URL")}
				o.Config.Personas = map[string]config.Persona{"ann": {Model: "ann-1"}, "writer": {Model: "writer-1"}, "bob": {}}
			}, calls("delegate_to_writer", `{"task":"Write."}`), modeltest.Text("one"), modeltest.Text("two"))
			spec := desk()
			c.change(&spec)
			_, err := w.agency(spec, toolsmith.AgencyOptions{}).Run(t.Context(), onDuty, "One.", nil)
			w.must(err)
			for i, want := range []string{c.manager, c.writer, c.manager} {
				if seen := server.Seen()[i]; !strings.Contains(string(seen.Body), `"model":"`+want+`"`) {
					t.Errorf("request %d is not of %s: %.100s", i, want, seen.Body)
				}
			}
		})
	}
}

func TestAgencyLacks(t *testing.T) {
	t.Parallel()
	w, _ := agencies(t, "", func(o *toolsmith.Options) {
		o.Config.Emergent = false
		o.Permit = func(c tool.Caller, name string) bool { return c.Persona != "writer" || name != "text_template" }
	})
	spec := desk("text_template", "forge_tool")
	spec.Agents[0].Tools = []string{"nope"}
	lacks, err := w.AgencyLacks(t.Context(), onDuty, spec)
	w.must(err)
	if got := fmt.Sprint(lacks); got != "[no tool forge_tool for manager no tool text_template, forge_tool, nope for writer]" {
		t.Error(got)
	}
}

func TestAgenciesNeedProvidersThatThereAre(t *testing.T) {
	t.Parallel()
	w, _ := agencies(t, "", nil)
	spec := desk()
	spec.Provider, spec.Agents[0].Provider = "gemini", "chatgpt"
	_, err := w.Agency(spec, toolsmith.AgencyOptions{})
	w.wants("gemini and chatgpt", err, tool.InvalidRequest, "2 problems")
}

func TestSharedSpecialistsAreListedAndRemoved(t *testing.T) {
	t.Parallel()
	w, server := agencies(t, "", nil, spawns("adder"), modeltest.Text("one"), modeltest.Text("two"))
	spec := desk()
	spec.Emergent.Tier = tool.SharedTier
	team := w.agency(spec, toolsmith.AgencyOptions{Approve: hierarchy.AlwaysApprove("eve")})
	_, err := team.Run(t.Context(), onDuty, "One.", nil)
	w.must(err)
	for agency, want := range map[string]int{"": 1, "desk": 1, "other": 0} {
		list, err := w.SharedSpecialists(t.Context(), "acme", agency)
		w.must(err)
		if len(list) != want || want == 1 && (list[0].Agency != "desk" || list[0].Specialist.Role != "adder" || list[0].ApprovedBy != "eve" || list[0].Version != 1) {
			t.Errorf("%q: %+v", agency, list)
		}
	}
	by := tool.Actor{Caller: onDuty, Name: "eve"}
	w.wants("another", w.RemoveSpecialist(t.Context(), by, "desk", "subtracter"), tool.NotFound, "no specialist")
	w.wants("another tenant's", w.RemoveSpecialist(t.Context(), tool.Actor{Caller: tool.Caller{Tenant: "other", Persona: "ann"}}, "desk", "adder"), tool.NotFound, "")
	w.must(w.RemoveSpecialist(t.Context(), by, "desk", "Adder"))
	_, err = team.Run(t.Context(), onDuty, "Two.", nil)
	w.must(err)
	if list, err := w.SharedSpecialists(t.Context(), "acme", ""); err != nil || len(list) != 0 || strings.Contains(string(server.Seen()[2].Body), "delegate_to_adder") {
		t.Errorf("%+v, %v", list, err)
	}
	if last := w.events[len(w.events)-3]; last.EventType != tool.SpecialistRemoved || last.Actor != "eve" {
		t.Errorf("%+v", last)
	}
}
