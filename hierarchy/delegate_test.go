package hierarchy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// echo is a brain that calls one tool in its first turn, and then says what the tool returned.
func echo(list ...model.ToolCall) brain {
	return func(_ context.Context, req model.Request) (model.Reply, error) {
		if last := req.Messages[len(req.Messages)-1]; last.Role == model.Tool {
			return model.Reply{Text: last.Text, StopReason: model.StopEnd}, nil
		}
		reply := model.Reply{StopReason: model.StopToolUse}
		for i, c := range list {
			c.ID = "call_" + string(rune('a'+i))
			reply.ToolCalls = append(reply.ToolCalls, c)
		}
		return reply, nil
	}
}

// chain is an agency in which a asks b, b asks c and c asks d or whoever.
func chain(last string) *desk {
	d := newDesk(calls(delegates("a", "go")), model.Say("42"))
	d.spec.Agents = nil
	names := []string{"a", "b", "c", "d", "e"}
	for i, name := range names {
		next := append(names, "e")[i+1]
		if name == "c" {
			next = last
		}
		agent := Agent{Name: name, Instructions: "x", Model: name, Delegates: []string{next}}
		if next == name {
			agent.Delegates = nil
		}
		d.spec.Agents = append(d.spec.Agents, agent)
		d.models[name] = echo(delegates(next, "go"))
	}
	return d
}

func TestMembersDelegateWhereTheSpecSaysSo(t *testing.T) {
	t.Parallel()
	d := chain("d")
	d.spec.Limits.MaxDepth = 4
	d.models["d"] = says("It is d.")
	r := d.run(t)
	contains(t, d.heard()[0], "It is d.")
	if len(r.AgentCalls) != 4 || r.AgentCalls[0].Agent != "d" || r.AgentCalls[0].By != "c" || r.AgentCalls[3].Agent != "a" {
		t.Errorf("%+v", r.AgentCalls)
	}
	for _, c := range r.AgentCalls {
		if c.Error != nil {
			t.Errorf("%+v", c)
		}
	}
}

func TestDelegationIsCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ last, want string }{
		"too deep": {"d", "limits.maxDepth"},
		"circle":   {"a", "in a circle"},
		"itself":   {"c", "in a circle"},
		"a pair":   {"b", "in a circle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := chain(c.last)
			r := d.run(t)
			contains(t, d.heard()[0], c.want, "denied")
			if len(r.AgentCalls) != 3 {
				t.Errorf("%d tasks", len(r.AgentCalls))
			}
		})
	}
}

func TestMembersDelegateToNobodyElse(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("researcher", "x")), model.Say("42"))
	d.models["researcher"] = echo(delegates("writer", "x"))
	d.run(t)
	contains(t, d.heard()[0], "not_found", "you have no tools")
}

func TestTasksWaitForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decision Decision
		heard    string
		task     string
	}{
		"no":          {Decision{Reason: "too dear"}, "HITL rejected: too dear", ""},
		"yes":         {Decision{Approved: true}, "A fine text.", "write"},
		"with advice": {Decision{Approved: true, Instructions: "In verse."}, "A fine text.", "write\n\nIn verse."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(calls(delegates("writer", "write"), delegates("researcher", "look")), model.Say("42"))
			d.spec.HITL.Approvals.BeforeAgent = []string{"writer"}
			var asked []ApprovalRequest
			d.opt.Approve = func(_ context.Context, r ApprovalRequest) (Decision, error) {
				asked = append(asked, r)
				return c.decision, nil
			}
			writer := model.NewScripted(model.Say("A fine text."))
			d.models["writer"] = writer
			r := d.run(t)
			contains(t, d.heard()[0], c.heard)
			contains(t, d.heard()[1], "It is 42.")
			if len(asked) != 1 || asked[0].Type != ApproveAgent || asked[0].Action != "delegate_to_writer" || asked[0].Details["task"] != "write" {
				t.Errorf("%+v", asked)
			}
			if c.task == "" {
				if len(writer.Asked()) != 0 || len(r.AgentCalls) != 1 {
					t.Errorf("%+v", r.AgentCalls)
				}
				return
			}
			if got := writer.Asked()[0].Messages[0].Text; got != c.task {
				t.Errorf("the task is %q", got)
			}
			for _, call := range r.AgentCalls {
				if call.Agent == "writer" && call.Input != "write" {
					t.Errorf("the record has %q", call.Input)
				}
			}
		})
	}
}

func TestLongConversationsLoseTheirOldestResults(t *testing.T) {
	t.Parallel()
	var steps []model.Step
	for range 60 {
		steps = append(steps, calls(delegates("researcher", "more")))
	}
	d := newDesk(append(steps, model.Say("42"))...)
	d.spec.Limits.MaxSteps, d.spec.Limits.MaxModelCalls = 100, 1000
	d.models["researcher"] = says(strings.Repeat("x", maxAnswer))
	r := d.run(t)
	heard := d.heard()
	if r.Output != "42" || len(heard) != 60 || len(heard[59]) < maxAnswer {
		t.Errorf("%q, %d results", r.Output, len(heard))
	}
	contains(t, heard[0], "left out")
	if asked := d.asked("boss"); asked[60].Messages[0].Text != "What is it?" {
		t.Error("the prompt is gone")
	}
	size := 0
	for _, turn := range r.Transcript {
		size += turn.size()
	}
	if size > maxTranscript+maxTranscript/10 {
		t.Errorf("the transcript has %d bytes", size)
	}
}

func TestMembersActAsThemselves(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("researcher", "x"), delegates("writer", "x")), model.Say("42"))
	d.hostTools("file_read")
	d.spec.Agents[0].Persona = "analyst"
	d.spec.Tools = []string{"file_read"}
	d.models["researcher"], d.models["writer"] = echo(call("file_read", `{}`)), echo(call("file_read", `{}`))
	d.run(t)
	contains(t, d.heard()[0], `\"persona\":\"analyst\"`, `\"session\":\"s1\"`)
	contains(t, d.heard()[1], `\"persona\":\"writer\"`, `\"tenant\":\"acme\"`)
	if log := d.logged(tool.Delegated); len(log) != 2 {
		t.Errorf("%+v", log)
	}
}

func TestManyRecordsAreShort(t *testing.T) {
	t.Parallel()
	var steps []model.Step
	long := strings.Repeat("x", maxReason)
	for range 6 {
		steps = append(steps, calls(slices.Repeat([]model.ToolCall{delegates("researcher", long), spawn("writer", long, long)}, 25)...))
	}
	d := newDesk(append(steps, model.Say("42"))...)
	d.spec.Limits.MaxSteps, d.spec.Limits.MaxModelCalls, d.spec.Limits.MaxToolCalls = 10, 1000, 1000
	d.models["researcher"] = says(long)
	r := d.run(t)
	whole, all := 0, len(r.AgentCalls)+len(r.Spawns)
	for _, c := range r.AgentCalls {
		whole += len(c.Input) / maxReason
	}
	for _, s := range r.Spawns {
		whole += len(s.Instructions) / maxReason
	}
	if all != 300 || whole != maxWhole {
		t.Errorf("%d of %d records have their texts", whole, all)
	}
}

// Decisions on tasks are in the log: with the task, or on their own when nothing was done.
func TestDecisionsOnTasksAreLogged(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		d := newDesk(calls(delegates("writer", "write")), model.Say("42"))
		d.spec.HITL.Approvals.BeforeAgent = []string{"writer"}
		d.opt.Approve = deciding(Decision{Approved: approved, By: "ann", Reason: "not today"})
		r := d.run(t)
		done, refused := d.logged(tool.Delegated), d.logged(tool.DelegateRejected)
		if approved {
			if len(done) != 1 || len(refused) != 0 || r.AgentCalls[0].ApprovedBy != "ann" {
				t.Fatalf("%+v, %+v, %+v", done, refused, r.AgentCalls)
			}
			contains(t, done[0].data, `"approvedBy":"ann"`)
			continue
		}
		if len(done) != 0 || len(refused) != 1 || refused[0].by.Caller != boss {
			t.Fatalf("%+v, %+v", done, refused)
		}
		contains(t, refused[0].data, `"run":"`+r.ID, `"agent":"writer","by":"manager","decidedBy":"ann","reason":"HITL rejected: not today"`)
	}
}
