package hierarchy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// attack is one case of testdata/hierarchy.json.
type attack struct {
	ID, Title, Expect, Judge, Approval string
	ExpectAny                          []string
	Request                            json.RawMessage
	Roster, ManagerTools               []string
	Config                             struct{ MaxSpecialists int }
	Steps                              []struct {
		Op       string
		Request  json.RawMessage
		Count    int
		Parallel bool
		Script   map[string]string
	}
}

// elsewhere are the attacks that need a sandbox, a policy or the prompt of a judge.
var elsewhere = map[string]string{
	"hie-006": "the host's tests: a specialist forges no more than its manager",
	"hie-023": "package judge: what a specialist's instructions say to the judge",
	"hie-031": "the host's tests: there are no agents in the sandbox",
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/hierarchy.json")
	if err != nil {
		t.Fatal(err)
	}
	var attacks []attack
	if err := json.Unmarshal(text, &attacks); err != nil || len(attacks) != 31 {
		t.Fatalf("%v, %d attacks", err, len(attacks))
	}
	for _, a := range attacks {
		if elsewhere[a.ID] != "" {
			continue
		}
		t.Run(a.ID+" "+a.Title, func(t *testing.T) {
			t.Parallel()
			got := a.run(t)
			t.Log(got)
			if !a.takes(got) {
				t.Errorf("ends with %q, want %s or one of %q", got, a.Expect, a.ExpectAny)
			}
		})
	}
}

// takes reports whether an outcome is one of those that are right.
func (a attack) takes(code string) bool {
	if code == "invalid_request" {
		code = "invalid_input"
	}
	right := append([]string{a.Expect}, a.ExpectAny...)
	return slices.Contains(right, "error:"+code) || code == "ok" && slices.Contains(right, code) ||
		slices.Contains(right, "reject-at-validation") && slices.Contains([]string{"invalid_input", "rejected", "collision", "limit"}, code)
}

// run carries out an attack, and returns the code of its outcome.
func (a attack) run(t *testing.T) string {
	t.Helper()
	d := newDesk()
	a.prepare(t, d)
	switch {
	case len(a.Steps) == 0:
		return a.spawnOnce(t, d, a.Request)
	case a.Steps[0].Op == "delegate-script":
		return a.delegate(t, d, a.Steps[0].Script)
	case a.Steps[0].Op == "spawn-many":
		return a.spawnMany(t, d, a.Steps[0].Count, a.Steps[0].Parallel)
	case a.Steps[0].Op == "spawn-chain":
		d.models["special"] = echo(spawn("grandchild", "x", "x"))
		d.models["boss"] = model.NewScripted(calls(spawn("child", "x", "x")), calls(delegates("child", "spawn another")), model.Say("done"))
		return code(t, d.run(t), "child")
	case a.ID == "hie-028":
		d.models["boss"] = model.NewScripted(calls(spawn("data_helper", "x", "x")), model.Say("1"), calls(delegates("data_helper", "x")), model.Say("2"))
		d.run(t)
		return code(t, d.run(t), ManagerName)
	}
	outcome := ""
	for _, s := range a.Steps { // each has to be refused
		if outcome = a.spawnOnce(t, d, s.Request); outcome == "ok" {
			return outcome
		}
	}
	return outcome
}

func (a attack) prepare(t *testing.T, d *desk) {
	t.Helper()
	if a.Roster != nil {
		d.spec.Agents = nil
	}
	for _, name := range a.Roster {
		d.spec.Agents = append(d.spec.Agents, Agent{Name: name, Instructions: "x", Model: "researcher"})
	}
	d.hostTools("web_search", "shell_exec")
	d.spec.Tools = a.ManagerTools
	d.spec.Emergent.Planner.MaxSpecialists = Count(a.Config.MaxSpecialists)
	switch a.Judge {
	case "none":
		d.opt.Judge = nil
	case "error":
		failing, err := judge.New(judge.Options{Creation: model.NewScripted(model.Fail(tool.Unavailable, "down"))})
		if err != nil {
			t.Fatal(err)
		}
		d.opt.Judge = failing
	}
	if a.Approval == "timeout" {
		d.spec.HITL.Approvals.BeforeEmergent, d.spec.HITL.Timeout = true, 1
		d.opt.Approve = func(ctx context.Context, _ ApprovalRequest) (Decision, error) {
			<-ctx.Done()
			return Decision{Approved: true}, nil
		}
	}
}

// spawnOnce makes one request. A specialist that is there has no more than its manager: rights, identity, model.
func (a attack) spawnOnce(t *testing.T, d *desk, request json.RawMessage) string {
	t.Helper()
	var asked struct{ Role, Instructions string }
	if err := json.Unmarshal(request, &asked); err != nil {
		t.Fatal(err)
	}
	special := model.NewScripted(calls(call("web_search", `{}`), call("shell_exec", `{}`)), model.Say("done"))
	d.models["special"] = special
	d.models["boss"] = model.NewScripted(calls(call(SpawnTool, string(request))), calls(delegates(asked.Role, "x")), model.Say("done"))
	r := d.run(t)
	if len(r.Spawns) != 1 {
		t.Fatalf("%+v", r.Spawns)
	}
	if !r.Spawns[0].Approved {
		if len(r.AgentCalls) > 0 && r.AgentCalls[0].Emergent || len(special.Asked()) > 0 {
			t.Errorf("it was refused, and works: %+v", r.AgentCalls)
		}
		return code(t, r, ManagerName)
	}
	first := special.Asked()[0]
	if first.System != asked.Instructions || !slices.Equal(offered(first), a.ManagerTools) {
		t.Errorf("it is told %q and offered %q", first.System, offered(first))
	}
	if len(a.ManagerTools) > 0 {
		contains(t, special.Asked()[1].Messages[2].Text, `"persona":"boss/`, `"tenant":"acme"`)
	}
	return code(t, r, ManagerName)
}

// spawnMany asks for many specialists, one a turn or many at once. The last is what counts.
func (a attack) spawnMany(t *testing.T, d *desk, count int, parallel bool) string {
	t.Helper()
	size := 1
	if parallel {
		size = model.MaxToolCalls
	}
	var steps []model.Step
	for at := 0; at < count && len(steps) < 90; at += size { // no more turns than there may be
		var list []model.ToolCall
		for i := range min(size, count-at) {
			list = append(list, spawn(fmt.Sprintf("s%d", at+i), "x", "x"))
		}
		steps = append(steps, calls(list...))
	}
	d.models["boss"] = model.NewScripted(append(steps, model.Say("done"))...)
	d.spec.Limits.MaxSteps, d.spec.Limits.MaxParallel = 100, 16
	r := d.run(t)
	there := 0
	for _, s := range r.Spawns {
		if s.Approved {
			there++
		}
	}
	if there != a.Config.MaxSpecialists {
		t.Errorf("%d are there, want %d", there, a.Config.MaxSpecialists)
	}
	return code(t, r, ManagerName)
}

var delegatesTo = regexp.MustCompile(`^delegate (\w+)(?: x(\d+))?$`)

// delegate lets agents do as they are told: delegate on, or return text.
func (a attack) delegate(t *testing.T, d *desk, script map[string]string) string {
	t.Helper()
	d.spec.Agents, d.spec.Limits.MaxToolCalls = nil, 10_000
	for name, does := range script {
		agent := Agent{Name: name, Instructions: "x", Model: name}
		if m := delegatesTo.FindStringSubmatch(does); m != nil {
			times, err := strconv.Atoi(m[2])
			if err != nil {
				times = 1
			}
			if m[1] != name {
				agent.Delegates = []string{m[1]}
			}
			d.models[name] = echo(slices.Repeat([]model.ToolCall{delegates(m[1], "go")}, times)...)
		} else if text, ok := strings.CutPrefix(does, "return text: "); ok {
			d.models[name] = says(text)
		} else {
			d.models[name] = says(strings.Repeat("x", 50<<20))
		}
		d.spec.Agents = append(d.spec.Agents, agent)
	}
	d.models["boss"] = model.NewScripted(calls(delegates("a", "go")), model.Say("done"))
	r, err := d.made(t).Run(t.Context(), boss, "go", nil)
	if n := len(r.Transcript); n > 110 {
		t.Errorf("%d turns", n)
	}
	for _, turn := range r.Transcript {
		for _, c := range turn.Calls {
			if !strings.HasPrefix(c.Tool, DelegatePrefix) {
				t.Errorf("text became a call of %s", c.Tool)
			}
		}
	}
	if err != nil {
		return string(tool.AsError(err).Code)
	}
	return code(t, r, "")
}

// code is the outcome of the last call of an agent ("" is any) that failed; ok when none did.
func code(t *testing.T, r *Result, agent string) string {
	t.Helper()
	outcome := "ok"
	for _, turn := range r.Transcript {
		for _, c := range turn.Calls {
			var reply struct{ Code string }
			if agent != "" && turn.Agent != agent || !c.Failed {
				continue
			}
			if err := json.Unmarshal([]byte(c.Result), &reply); err != nil {
				t.Fatalf("%v: %s", err, c.Result)
			}
			if outcome == "ok" {
				outcome = reply.Code
			}
		}
	}
	return outcome
}

// FuzzArguments: whatever a model writes, the answer is JSON of a bounded size with output or error, and no more than the caps
// says comes of it.
func FuzzArguments(f *testing.F) {
	f.Add(SpawnTool, `{"role":"poet","instructions":"Rhyme.","justification":"x"}`)
	f.Add(SpawnTool, `{"role":"p\u043eet","instructions":"\u0000","tools":["*"]}`)
	f.Add(SpawnTool, `{"role":"poet","Role":"x","instructions":"x"}`)
	f.Add("delegate_to_writer", `{"task":"\ud800"}`)
	f.Add("delegate_to_writer", `{"task":"x","task":"y"}`)
	f.Add("delegate-to-writer", `{"task":[[[[]]]]}`)
	f.Add("", `nothing`)
	f.Fuzz(func(t *testing.T, name, arguments string) {
		d := newDesk(calls(call(name, arguments)), model.Say("42"))
		r, err := d.made(t).Run(t.Context(), boss, "x", nil)
		if err != nil && strings.Contains(err.Error(), "needs an id") {
			t.Skip("the script does not take it")
		}
		if err != nil || r.Output != "42" {
			t.Fatalf("%v %+v", err, r)
		}
		heard := d.heard()[0]
		var reply map[string]any
		if err := json.Unmarshal([]byte(heard), &reply); err != nil || len(heard) > 7*maxAnswer || (reply["output"] == nil) == (reply["error"] == nil) {
			t.Fatalf("%v: %s", err, heard)
		}
		for _, s := range r.Spawns {
			if !s.Approved {
				continue
			}
			again, err := readSpecialist(json.RawMessage(arguments))
			if err != nil || RoleProblem(s.AgentName) != "" || again.Instructions != s.Instructions {
				t.Fatalf("%v: %+v", err, s)
			}
		}
		for _, c := range r.AgentCalls {
			var asked delegation
			if err := wire.JSON([]byte(arguments), &asked); err != nil || c.Agent != "writer" && c.Agent != "researcher" || blank(asked.Task) {
				t.Fatalf("%v: %+v", err, c)
			}
		}
	})
}
