package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

func TestT310To316SpecialistsBecomeAgents(t *testing.T) {
	t.Parallel()
	of := Spec{Name: "desk", Provider: "openai", Model: "gpt-4o", Tools: []string{"file_read"}}
	other := of
	other.Emergent.Planner = Planner{DefaultModel: "small", DefaultProvider: "groq", MaxInstructionsLength: 1024}
	long := strings.Repeat("x", 50_000)
	for name, c := range map[string]struct {
		spec Specialist
		of   Spec
		want Agent
		err  string
	}{
		"T-310 minimal":             {Specialist{Role: "poet", Instructions: "Rhyme."}, of, Agent{Provider: "openai", Model: "gpt-4o"}, ""},
		"T-310 defaults of planner": {Specialist{Role: "poet", Instructions: "Rhyme."}, other, Agent{Provider: "groq", Model: "small"}, ""},
		"T-312 no instructions":     {Specialist{Role: "poet", Instructions: " \n"}, of, Agent{}, "Forge rejected: the instructions"},
		"T-313 reserved":            {Specialist{Role: "plan", Instructions: "Rhyme."}, of, Agent{}, "reserved"},
		"T-314 spaces":              {Specialist{Role: "a poet", Instructions: "Rhyme."}, of, Agent{}, "identifier"},
		"T-315 too long":            {Specialist{Role: "poet", Instructions: long}, other, Agent{}, "50000 characters"},
		"T-316 own model": {
			Specialist{Role: "poet", Instructions: "Rhyme.", Model: "m", Provider: "p"}, other, Agent{Provider: "p", Model: "m"}, "",
		},
	} {
		got, err := c.spec.Agent(c.of, "boss")
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %q", name, err, c.err)
			}
			continue
		}
		// T-311 what it inherits: turns, the tools of the agency (which all agents have), and a persona below the manager's
		c.want.Name, c.want.Instructions, c.want.Persona, c.want.MaxSteps = "poet", "Rhyme.", "boss/poet", 5
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestT311SpecialistsInheritToolsAndNoMore(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", "nobody rhymes")), calls(delegates("poet", "rhyme")), model.Say("roses"))
	d.hostTools("file_read", "http_request")
	d.spec.Tools, d.spec.Agents[0].Tools = []string{"file_read"}, []string{"http_request"}
	special := model.NewScripted(calls(call("file_read", `{}`), call("http_request", `{}`), delegates("writer", "x"), spawn("other", "x", "x")), model.Say("red"))
	d.models["special"] = special
	r := d.run(t)
	if got := offered(special.Asked()[0]); !slices.Equal(got, []string{"file_read"}) {
		t.Errorf("it is offered %q", got)
	}
	messages := special.Asked()[1].Messages
	contains(t, messages[2].Text, `"persona":"boss/poet"`, `"tenant":"acme"`, `"session":"s1"`)
	for _, m := range messages[3:] {
		contains(t, m.Text, `"code":"not_found"`)
	}
	if len(r.Spawns) != 1 || len(r.AgentCalls) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestT324And329And332SpecialistIsSpawnedAndUsed(t *testing.T) {
	t.Parallel()
	for name, judged := range map[string]bool{"T-324 without a judge": false, "T-332 with one that approves": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []judge.Agent
			d := newDesk(calls(spawn("poet", "Rhyme.", "nobody rhymes")), calls(delegates("poet", "rhyme")), model.Say("roses"))
			d.spec.Emergent.Judge = &judged
			d.opt.Judge = judges(func(a judge.Agent) judge.AgentVerdict {
				seen = append(seen, a)
				return judge.AgentVerdict{Approved: true, Spent: tool.Spent{Calls: 1, InputTokens: 100, OutputTokens: 20}}
			})
			r := d.run(t)
			asked := d.asked("boss")
			if slices.Contains(offered(asked[0]), "delegate_to_poet") || !slices.Contains(offered(asked[1]), "delegate_to_poet") {
				t.Errorf("%q then %q", offered(asked[0]), offered(asked[1]))
			}
			contains(t, asked[1].System, "- poet: Rhyme.")
			contains(t, d.heard()[0], "delegate_to_poet", "next turn")
			contains(t, d.heard()[1], `{"output":"Done by a specialist."}`)
			if c := r.AgentCalls[0]; c.Agent != "poet" || !c.Emergent || c.Output != "Done by a specialist." {
				t.Errorf("%+v", c)
			}
			want := Usage{PromptTokens: 30, CompletionTokens: 15, TotalTokens: 45}
			if judged {
				want = want.plus(Usage{PromptTokens: 100, CompletionTokens: 20, TotalTokens: 120})
				if diff := cmp.Diff([]judge.Agent{{Role: "poet", Instructions: "Rhyme.", Justification: "nobody rhymes", Members: []string{"researcher", "writer"}}}, seen); diff != "" {
					t.Error(diff)
				}
			}
			if r.Usage != want || !judged && len(seen) > 0 {
				t.Errorf("%+v", r.Usage)
			}
			d.sawSpawn(t, Spawn{AgentName: "poet", Instructions: "Rhyme.", Justification: "nobody rhymes", Approved: true})
		})
	}
}

// sawSpawn checks that what became of one wish was told: an event (T-329), an audit entry and a record.
func (d *desk) sawSpawn(t *testing.T, want Spawn) {
	t.Helper()
	var told []Spawn
	for _, e := range d.events {
		if e.Kind == SpawnDecided {
			told = append(told, *e.Spawn)
			if (e.Error == nil) != want.Approved {
				t.Errorf("%+v", e)
			}
		}
	}
	if len(told) != 1 {
		t.Fatalf("%d events", len(told))
	}
	if told[0].Timestamp < time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("it happened at %d", told[0].Timestamp)
	}
	want.Timestamp = told[0].Timestamp
	if diff := cmp.Diff(want, told[0]); diff != "" {
		t.Error(diff)
	}
	event := tool.SpawnRejected
	if want.Approved {
		event = tool.Spawned
	}
	log := d.logged(event)
	if len(log) != 1 || log[0].by.Caller != boss {
		t.Fatalf("%+v", d.logs)
	}
	contains(t, log[0].data, string(encode(want))[1:])
}

// Each refusal is a result, an event (T-330) and an audit entry, and changes nothing (T-331).
func TestT325To333Refusals(t *testing.T) {
	t.Parallel()
	poet := func(d *desk) {
		d.models["boss"] = model.NewScripted(calls(spawn("poet", "Rhyme.", "why")), model.Say("42"))
	}
	asks := func(role, instructions string) func(*desk) {
		return func(d *desk) {
			d.models["boss"] = model.NewScripted(calls(spawn(role, instructions, "why")), model.Say("42"))
		}
	}
	for name, c := range map[string]struct {
		change func(d *desk)
		want   []string
	}{
		"T-326 no justification": {func(d *desk) {
			d.spec.Emergent.Planner.RequireJustification = true
			d.models["boss"] = model.NewScripted(calls(spawn("poet", "Rhyme.", " ")), model.Say("42"))
		}, []string{"justification", `"code":"invalid_input"`}},
		"T-327 in the roster":        {asks("writer", "x"), []string{"already exists", "delegate_to_writer", `"code":"collision"`}},
		"in the roster, almost":      {asks("WRITER", "x"), []string{"already exists", "call delegate_to_writer,"}},
		"T-328 reserved":             {asks("final_answer", "x"), []string{"Forge rejected", "reserved"}},
		"reserved, in other letters": {asks("Spawn-Specialist", "x"), []string{"reserved"}},
		"the manager":                {asks("Manager", "x"), []string{"reserved"}},
		"prefix":                     {asks("delegate_to_writer", "x"), []string{"reserved"}},
		"look-alike":                 {asks("rese\u0430rcher", "x"), []string{"identifier"}},
		"long role":                  {asks(strings.Repeat("a", 53), "x"), []string{"identifier"}},
		"instructions too long":      {asks("poet", strings.Repeat("é", 8193)), []string{"8193 characters", "maxInstructionsLength"}},
		"name of a tool": {func(d *desk) {
			d.hostTools("file_read")
			d.spec.Tools = []string{"file_read"}
			asks("File-Read", "x")(d)
		}, []string{"name of a tool", `"code":"collision"`}},
		"T-331 judge rejects": {func(d *desk) {
			poet(d)
			d.opt.Judge = judges(rejects)
		}, []string{"Judge rejected: too vague", `"code":"rejected"`}},
		"no judge": {func(d *desk) {
			poet(d)
			d.opt.Judge = nil
		}, []string{"Judge rejected", "could not be asked: there is no judge"}},
		"the judge cannot be asked": {func(d *desk) {
			poet(d)
			d.opt.Judge = judges(func(judge.Agent) judge.AgentVerdict {
				return judge.AgentVerdict{Unheard: true, Reason: "the line is dead"}
			})
		}, []string{"Judge rejected: the judge could not be asked: the line is dead", `"code":"rejected"`, "nothing is wrong with the wish"}},
		"T-333 a person rejects": {func(d *desk) {
			poet(d)
			d.spec.HITL.Approvals.BeforeEmergent, d.opt.Approve = true, AlwaysReject("not today")
		}, []string{"HITL rejected: not today", `"code":"denied"`}},
		"the person cannot be asked": {func(d *desk) {
			poet(d)
			d.spec.HITL.Approvals.BeforeEmergent = true
			d.opt.Approve = func(context.Context, ApprovalRequest) (Decision, error) {
				return Decision{Approved: true}, errors.New("no terminal")
			}
		}, []string{"HITL rejected", "nobody could be asked"}},
		"nobody answers": {func(d *desk) {
			poet(d)
			d.spec.HITL.Approvals.BeforeEmergent, d.spec.HITL.Timeout = true, wire.Period(20*time.Millisecond)
			d.opt.Approve = func(context.Context, ApprovalRequest) (Decision, error) {
				<-t.Context().Done() // of the test; who is asked does not listen to the one of the question
				return Decision{Approved: true}, nil
			}
		}, []string{"HITL rejected", "nobody has answered within 20ms"}},
		"agents enough": {func(d *desk) {
			poet(d)
			d.spec.Limits.MaxAgents = 2
		}, []string{"maxAgents cap"}},
		"tools are asked for": {func(d *desk) {
			d.models["boss"] = model.NewScripted(calls(call(SpawnTool, `{"role":"poet","instructions":"x","tools":["*"]}`)), model.Say("42"))
		}, []string{"tools", "all that can be asked for"}},
		"it cannot be written down": {func(d *desk) {
			poet(d)
			log := d.opt.Log
			d.opt.Log = func(ctx context.Context, by tool.Actor, event tool.EventType, data any) error {
				if event == tool.Spawned {
					return tool.Errorf(tool.Unavailable, "the disk is full")
				}
				return log(ctx, by, event, data)
			}
		}, []string{"the disk is full"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			c.change(d)
			r := d.run(t)
			contains(t, d.heard()[0], c.want...)
			if len(r.Spawns) != 1 {
				t.Fatalf("%+v", r.Spawns)
			}
			if r.Spawns[0].Approved || r.Spawns[0].Reason == "" {
				t.Errorf("%+v", r.Spawns[0])
			}
			if first, second := offered(d.asked("boss")[0]), offered(d.asked("boss")[1]); !slices.Equal(first, second) {
				t.Errorf("offered %q, then %q", first, second)
			}
			if name != "it cannot be written down" {
				want := r.Spawns[0]
				d.sawSpawn(t, want)
			}
		})
	}
}

func TestT325CapOfSpecialists(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", "")), calls(spawn("critic", "Judge.", "")), model.Say("42"))
	d.spec.Emergent.Planner.MaxSpecialists = 1
	r := d.run(t)
	contains(t, d.heard()[1], "maxSpecialists cap", `"code":"limit"`)
	if len(r.Spawns) != 2 || !r.Spawns[0].Approved || r.Spawns[1].Approved {
		t.Errorf("%+v", r.Spawns)
	}
}

func TestT333And334PersonsAreAskedWhereTheSpecSaysSo(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", "nobody rhymes")), model.Say("42"))
	d.hostTools("look")
	d.spec.HITL.Approvals.BeforeEmergent, d.spec.Tools = true, []string{"look"}
	var asked []ApprovalRequest
	d.opt.Approve = func(_ context.Context, r ApprovalRequest) (Decision, error) {
		asked = append(asked, r)
		return Decision{Approved: true, By: "ann", Instructions: "Only sonnets."}, nil
	}
	var judged judge.Agent
	d.opt.Judge = judges(func(a judge.Agent) judge.AgentVerdict {
		judged = a
		return approves(a)
	})
	r := d.run(t)
	if len(asked) != 1 {
		t.Fatalf("asked %d times", len(asked))
	}
	q := asked[0]
	if len(q.ID) != 36 || q.Type != ApproveEmergent || q.Agent != ManagerName || q.Action != "spawn_specialist:poet" || q.Caller != boss || q.Run != r.ID ||
		q.Context.TotalTokens != 15 || q.Deadline.IsZero() {
		t.Errorf("%+v", q)
	}
	contains(t, q.Description, "poet")
	if !slices.Equal(q.Tools, []string{"look"}) || !slices.Equal(q.Members, []string{"researcher", "writer"}) {
		t.Errorf("it could call %q, and %q are there", q.Tools, q.Members)
	}
	if diff := cmp.Diff(map[string]string{"role": "poet", "instructions": "Rhyme.", "justification": "nobody rhymes"}, q.Details); diff != "" {
		t.Error(diff)
	}
	if s := r.Spawns[0]; !s.Approved || s.ApprovedBy != "ann" || s.Instructions != "Rhyme.\n\nOnly sonnets." || judged.Instructions != s.Instructions {
		t.Errorf("%+v, judged %+v", s, judged)
	}

	d = newDesk(calls(spawn("poet", "Rhyme.", "")), model.Say("42"))
	d.opt.Approve = func(context.Context, ApprovalRequest) (Decision, error) {
		t.Error("T-334 nobody is to be asked")
		return Decision{}, nil
	}
	d.run(t)
}

// Who judged and approved, and why, stands in the result, in the event and in the log.
func TestRecordsTellWhoJudged(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		d := newDesk(calls(spawn("poet", "Rhyme.", "")), model.Say("42"))
		d.spec.HITL.Approvals.BeforeEmergent, d.opt.Approve = true, AlwaysApprove("ann")
		d.opt.Judge = judges(func(judge.Agent) judge.AgentVerdict {
			return judge.AgentVerdict{Approved: approved, Reason: "a narrow mandate", JudgeModel: "human:zoe"}
		})
		r := d.run(t)
		if s := r.Spawns[0]; s.ApprovedBy != "ann" || s.JudgedBy != "human:zoe" || s.Reasoning != "a narrow mandate" || s.Approved != approved {
			t.Errorf("%+v", s)
		}
		d.sawSpawn(t, r.Spawns[0])
		event := map[bool]tool.EventType{true: tool.Spawned, false: tool.SpawnRejected}[approved]
		contains(t, d.logged(event)[0].data, `"approvedBy":"ann"`, `"judgedBy":"human:zoe"`, `"reasoning":"a narrow mandate"`)
	}
}

func TestT335CapOfJudgeCalls(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("a", "x", "")), calls(spawn("b", "x", "")), calls(spawn("c", "x", "")), model.Say("42"))
	d.spec.Emergent.Planner.MaxJudgeCalls = 2
	d.opt.Judge = judges(rejects)
	r := d.run(t)
	contains(t, d.heard()[1], "Judge rejected")
	contains(t, d.heard()[2], "maxJudgeCalls cap")
	if slices.ContainsFunc(r.Spawns, func(s Spawn) bool { return s.Approved }) || len(r.Spawns) != 3 {
		t.Errorf("%+v", r.Spawns)
	}
}

func TestT346AlwaysApproveAndAlwaysReject(t *testing.T) {
	t.Parallel()
	for _, kind := range []ApprovalType{ApproveEmergent, ApproveAgent} {
		if d, err := AlwaysApprove("ann")(t.Context(), ApprovalRequest{Type: kind}); err != nil || !d.Approved || d.By != "ann" {
			t.Errorf("%s: %+v %v", kind, d, err)
		}
		if d, err := AlwaysReject("no")(t.Context(), ApprovalRequest{Type: kind}); err != nil || d.Approved || d.Reason != "no" {
			t.Errorf("%s: %+v %v", kind, d, err)
		}
	}
}

// However many are asked for at once, the cap holds.
func TestParallelSpawnsNeverPassTheCap(t *testing.T) {
	t.Parallel()
	var list []model.ToolCall
	for i := range 60 {
		list = append(list, spawn(fmt.Sprintf("s%d", i), "x", ""))
	}
	d := newDesk(calls(list...), model.Say("42"))
	d.spec.Limits.MaxParallel = 16
	var judged atomic.Int32
	d.opt.Judge = judges(func(a judge.Agent) judge.AgentVerdict {
		judged.Add(1)
		return approves(a)
	})
	d.run(t)
	if got := len(offered(d.asked("boss")[1])); got != 3+5 || judged.Load() != 5 {
		t.Errorf("%d tools, %d judged", got, judged.Load())
	}
	if n := len(d.logged(tool.Spawned)); n != 5 {
		t.Errorf("%d spawned", n)
	}
}

func TestSpecialistOfTheSameTurnIsThereOnTheNext(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", ""), delegates("poet", "x")), calls(delegates("poet", "x")), model.Say("42"))
	d.spec.Limits.MaxParallel = 1
	d.run(t)
	contains(t, d.heard()[1], `"code":"not_found"`)
	contains(t, d.heard()[2], "Done by a specialist.")
}

func TestTiers(t *testing.T) {
	t.Parallel()
	other, elsewhere := boss, boss
	other.Persona, elsewhere.Tenant = "clerk", "umbrella"
	for tier, c := range map[tool.Tier]struct{ again, other, elsewhere bool }{
		tool.SessionTier: {}, tool.AgentTier: {again: true}, tool.SharedTier: {again: true, other: true, elsewhere: true}, // this shelf tells no tenants apart
	} {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			d := newDesk(calls(spawn("poet", "Rhyme.", "")), model.Say("1"), model.Say("2"), model.Say("3"), model.Say("4"))
			kept := &shelf{}
			d.spec.Emergent.Tier, d.opt.Shelf, d.opt.Approve = tier, kept, AlwaysApprove("ann")
			a := d.made(t)
			for _, by := range []tool.Caller{boss, boss, other, elsewhere} {
				if _, err := a.Run(t.Context(), by, "x", nil); err != nil {
					t.Fatal(err)
				}
			}
			asked := d.asked("boss")
			for i, want := range []bool{c.again, c.other, c.elsewhere} {
				if got := slices.Contains(offered(asked[i+2]), "delegate_to_poet"); got != want {
					t.Errorf("run %d has the specialist: %v, want %v", i+1, got, want)
				}
			}
			if tier == tool.SharedTier && (len(kept.list) != 1 || kept.by[0] != "ann in desk" || kept.list[0].Instructions != "Rhyme.") {
				t.Errorf("%+v", kept)
			}
		})
	}
}

func TestSharedSpecialistsNeedAName(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", "")), model.Say("42"))
	kept := &shelf{}
	d.spec.Emergent.Tier, d.opt.Shelf, d.opt.Approve = tool.SharedTier, kept, deciding(Decision{Approved: true})
	d.run(t)
	contains(t, d.heard()[0], "HITL rejected", "name of the person")
	if len(kept.list) != 0 {
		t.Errorf("%+v", kept.list)
	}
}

// What is stored is no more trusted than what a manager asks for.
func TestStoredSpecialistsAreCheckedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	d.spec.Emergent.Tier, d.opt.Approve = tool.SharedTier, AlwaysApprove("ann")
	d.spec.Limits.MaxAgents = 3
	d.opt.Shelf = &shelf{list: []Specialist{
		{Role: "Writer", Instructions: "x"}, {Role: "manager", Instructions: "x"}, {Role: "poet", Instructions: "x"}, {Role: "critic", Instructions: "x"},
	}}
	d.run(t)
	want := []string{"delegate_to_researcher", "delegate_to_writer", "delegate_to_poet", SpawnTool}
	if got := offered(d.asked("boss")[0]); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
