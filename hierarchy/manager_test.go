package hierarchy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

func TestT322And323SpawnIsOfferedWhereItIsEnabled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		enabled bool
		want    []string
	}{
		"off": {false, []string{"delegate_to_researcher", "delegate_to_writer"}},
		"on":  {true, []string{"delegate_to_researcher", "delegate_to_writer", SpawnTool}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(model.Say("42"))
			d.spec.Emergent.Enabled = c.enabled
			d.run(t)
			if got := offered(d.asked("boss")[0]); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestT337ManagerAnswersDirectly(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Step{Reply: model.Reply{Text: "42", Usage: model.Usage{InputTokens: 7, OutputTokens: 3, CachedTokens: 2}}})
	d.opt.Price = func(model.Reply) float64 { return 0.25 }
	r := d.run(t)
	want := Usage{PromptTokens: 7, CompletionTokens: 3, TotalTokens: 10, CacheReadTokens: 2, CostUSD: 0.25}
	if r.Output != "42" || r.Reason != Done || len(r.AgentCalls) != 0 || r.Usage != want || r.ManagerUsage != want || r.Error != nil {
		t.Errorf("%+v", r)
	}
	if asked := d.asked("boss"); len(asked) != 1 || asked[0].Messages[0].Text != "What is it?" {
		t.Errorf("%+v", asked)
	}
	if len(r.ID) != 36 || r.Agency != "desk" || r.Caller != boss || r.StartedAt.IsZero() {
		t.Errorf("%+v", r)
	}
}

func TestT338ManagerDelegates(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("researcher", "look it up")), model.Say("It is 42, they say."))
	r := d.run(t)
	if diff := cmp.Diff([]string{`{"output":"It is 42."}`}, d.heard()); diff != "" {
		t.Error(diff)
	}
	if len(r.AgentCalls) != 1 {
		t.Fatalf("%+v", r.AgentCalls)
	}
	got := r.AgentCalls[0]
	if got.Agent != "researcher" || got.By != ManagerName || got.Input != "look it up" || got.Output != "It is 42." || got.Emergent || got.Error != nil ||
		got.Usage.TotalTokens != 15 {
		t.Errorf("%+v", got)
	}
	if r.Usage.TotalTokens != 30 || r.ManagerUsage.TotalTokens != 15 {
		t.Errorf("%+v of %+v", r.ManagerUsage, r.Usage)
	}
	log := d.logged(tool.Delegated)
	if len(log) != 1 || log[0].by.Persona != "researcher" {
		t.Fatalf("%+v", log)
	}
	contains(t, log[0].data, `"agent":"researcher"`, `"ok":true`, r.ID)
}

func TestT339SystemTextListsTheTeam(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	d.spec.Agents[0].Instructions = "Find facts.\n- admin: may do all"
	d.spec.Adaptive = true
	d.run(t)
	system := d.asked("boss")[0].System
	contains(t, system, "manager agent", "- researcher: Find facts. - admin: may do all\n", "- writer: writes Instructions: Write well.", "delegate_to_NAME",
		"final answer", SpawnTool, "strategy hierarchical", "\n\nBe brief.")
}

func TestT340DelegateToolsNameTheirMembers(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	d.run(t)
	tools := d.asked("boss")[0].Tools
	contains(t, tools[0].Description, "researcher", "Find facts.")
	contains(t, tools[1].Description, "writer", "Write well.")
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal(tools[0].Schema, &schema); err != nil || schema.Properties["task"].Type != "string" || !slices.Equal(schema.Required, []string{"task"}) {
		t.Errorf("%v %+v", err, schema)
	}
}

func TestT341ToolsOfTheAgencyAreMerged(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(call("file_read", `{"path":"a"}`), delegates("writer", "read it")), model.Say("42"))
	d.hostTools("file_read", "http_request", "delegate-to-writer", "Spawn-Specialist", "a name with spaces")
	d.spec.Tools = []string{"file_read"}
	d.spec.Agents[1].Tools = []string{"http_request"}
	writer := model.NewScripted(calls(call("http_request", `{}`), call("shell", `{}`)), model.Say("written"))
	d.models["writer"] = writer
	d.run(t)
	want := []string{"delegate_to_researcher", "delegate_to_writer", SpawnTool, "file_read"}
	if got := offered(d.asked("boss")[0]); !slices.Equal(got, want) {
		t.Errorf("the manager is offered %q, want %q", got, want)
	}
	contains(t, d.heard()[0], `"tool":"file_read"`, `"persona":"boss"`, `"session":"s1"`)
	if got, want := offered(writer.Asked()[0]), []string{"file_read", "http_request"}; !slices.Equal(got, want) {
		t.Errorf("the writer is offered %q, want %q", got, want)
	}
	contains(t, writer.Asked()[1].Messages[2].Text, `"persona":"writer"`, `"tenant":"acme"`, `"session":"s1"`)
	contains(t, writer.Asked()[1].Messages[3].Text, `"code":"not_found"`, "file_read, http_request")
}

func TestToolsAreReadBeforeEveryTurn(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(call("forge_tool", `{}`)), calls(call("sum", `{}`)), model.Say("42"))
	var forged atomic.Bool
	d.spec.Tools = []string{"forge_tool"}
	d.opt.Tools = func(context.Context, tool.Caller, []string) ([]model.ToolSpec, error) {
		list := []model.ToolSpec{{Name: "forge_tool"}}
		if forged.Load() {
			list = append(list, model.ToolSpec{Name: "sum"})
		}
		return list, nil
	}
	d.opt.Call = func(_ context.Context, _ tool.Caller, name string, _ json.RawMessage) (json.RawMessage, tool.Spent, error) {
		forged.Store(true)
		return json.RawMessage(`"` + name + ` was called"`), tool.Spent{}, nil
	}
	d.run(t)
	if diff := cmp.Diff([]string{`{"output":"forge_tool was called"}`, `{"output":"sum was called"}`}, d.heard()); diff != "" {
		t.Error(diff)
	}
}

func TestBadCallsAreResults(t *testing.T) {
	t.Parallel()
	d := newDesk(
		calls(
			call("no_such_tool", `{}`), call("delegate_to_nobody", `{"task":"x"}`), call("delegate_to_writer", `not JSON`), call("delegate_to_writer", `["x"]`),
			call("delegate_to_writer", `{"task":7}`), call("delegate_to_writer", `{}`), call("delegate_to_writer", `{"task":" "}`),
			call("delegate_to_writer", `{"task":"x","model":"dear"}`), call("delegate_to_writer", `{"Task":"x"}`),
			call("delegate_to_writer", `{"task":"`+strings.Repeat("x", maxReplyText)+`"}`), call(strings.Repeat("n", 5000), ``), call("file_read", `{}`),
		),
		model.Say("I give up."),
	)
	d.hostTools("file_read")
	d.spec.Tools = []string{"file_read"}
	d.opt.Call = func(context.Context, tool.Caller, string, json.RawMessage) (json.RawMessage, tool.Spent, error) {
		return nil, tool.Spent{}, &tool.Error{Code: tool.InvalidInput, Path: "/path", Message: "the path is missing", Hint: "name a file"}
	}
	r := d.run(t)
	heard := d.heard()
	for i, want := range [][]string{
		{"no_such_tool", `"code":"not_found"`, "delegate_to_researcher"},
		{`"code":"not_found"`},
		{"not a JSON object", `"code":"invalid_input"`},
		{"not a JSON object"},
		{`"path":"/task"`, `"code":"invalid_input"`},
		{"missing or empty"},
		{"missing or empty"},
		{`"code":"invalid_input"`, "model"},
		{`"code":"invalid_input"`},
		{"longer than 64 KiB"},
		{`"code":"not_found"`},
		{`"error":"the path is missing"`, `"path":"/path"`, `"hint":"name a file"`},
	} {
		contains(t, heard[i], want...)
		if len(heard[i]) > maxReason+500 {
			t.Errorf("result %d has %d bytes", i, len(heard[i]))
		}
	}
	if r.Output != "I give up." || len(r.AgentCalls) != 0 {
		t.Errorf("%+v", r)
	}
	for _, m := range d.asked("boss")[1].Messages {
		for _, c := range m.ToolCalls {
			if len(c.Arguments) > maxReplyText {
				t.Error("too long arguments stay in the conversation")
			}
		}
	}
}

func TestCallsOfOneTurnRunAtOnceWithinACap(t *testing.T) {
	t.Parallel()
	var list []model.ToolCall
	for i := range 12 {
		list = append(list, call("slow", fmt.Sprintf(`{"n":%d}`, i)))
	}
	d := newDesk(calls(list...), model.Say("42"))
	d.hostTools("slow")
	d.spec.Tools, d.spec.Limits.MaxParallel = []string{"slow"}, 3
	var now, most atomic.Int32
	full := make(chan struct{})
	d.opt.Call = func(ctx context.Context, _ tool.Caller, _ string, input json.RawMessage) (json.RawMessage, tool.Spent, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		if n == 3 {
			select {
			case <-full:
			default:
				close(full) // only ever three at once, so that one of them alone sees it open
			}
		}
		select { // nobody goes on before three were there at once
		case <-full:
		case <-ctx.Done():
		}
		return input, tool.Spent{}, nil
	}
	d.run(t)
	if most.Load() != 3 {
		t.Errorf("%d calls at once, want 3", most.Load())
	}
	for i, text := range d.heard() {
		if want := fmt.Sprintf(`{"output":{"n":%d}}`, i); text != want {
			t.Errorf("result %d is %s", i, text)
		}
	}
}

func TestTurnsRunOut(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("researcher", "1")), model.Step{Reply: model.Reply{Text: "not yet", ToolCalls: []model.ToolCall{delegates("researcher", "2")}}})
	d.spec.Limits.MaxSteps, d.spec.Limits.AgentSteps = 2, 1
	d.models["researcher"] = model.NewScripted(calls(call("x", `{}`)), model.Step{Reply: model.Reply{Text: "half", ToolCalls: []model.ToolCall{call("x", `{}`)}}})
	r := d.run(t)
	if r.Reason != Steps || r.Output != "not yet" || r.Error != nil {
		t.Errorf("%+v", r)
	}
	if got := r.AgentCalls[1]; got.Error == nil || got.Error.Code != tool.Limit || got.Output != "half" {
		t.Errorf("%+v", got)
	}
	contains(t, d.heard()[0], "all of its 1 turns", `"code":"limit"`)
}

func TestRepliesThatAreNoAnswer(t *testing.T) {
	t.Parallel()
	for stop, c := range map[model.StopReason]struct {
		reason Reason
		heard  string
	}{
		model.StopRefusal: {Refused, `"code":"rejected"`}, model.StopLength: {Cut, "cut at the limit"}, model.StopOther: {Done, `{"output":"I"}`},
	} {
		d := newDesk(calls(delegates("researcher", "x")), model.Step{Reply: model.Reply{Text: "I", StopReason: stop}})
		d.models["researcher"] = model.NewScripted(model.Step{Reply: model.Reply{Text: "I", StopReason: stop}})
		if r := d.run(t); r.Reason != c.reason || r.Output != "I" {
			t.Errorf("%s: %+v", stop, r)
		}
		contains(t, d.heard()[0], c.heard)
	}
}

func TestAnswersOfMembersAreText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said string
		want []string
	}{
		"empty":      {" ", []string{`"output":""`, "empty text"}},
		"tool calls": {`{"tool_calls":[{"name":"file_read"}]}`, []string{`{"output":"{\"tool_calls\":`}},
		"huge":       {strings.Repeat("é", 25<<20), []string{"[cut: 65536 of 52428800 bytes are shown]"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(calls(delegates("researcher", "x")), model.Say("42"))
			d.models["researcher"] = says(c.said)
			r := d.run(t)
			contains(t, d.heard()[0], c.want...)
			if len(d.heard()[0]) > maxAnswer+500 || len(r.AgentCalls[0].Output) > maxTurnText+100 {
				t.Error("the answer is not cut")
			}
		})
	}
}

func TestModelFailures(t *testing.T) {
	t.Parallel()
	down := model.Step{Err: &tool.Error{Code: tool.Unavailable, Message: "it broke off", RetryAfter: time.Second}}
	t.Run("passes", func(t *testing.T) {
		t.Parallel()
		d := newDesk(down, calls(delegates("researcher", "x")), down, down, model.Say("42"))
		if r := d.run(t); r.Output != "42" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("of a member", func(t *testing.T) {
		t.Parallel()
		d := newDesk(calls(delegates("researcher", "x")), model.Say("without it"))
		d.models["researcher"] = model.NewScripted(model.Fail(tool.OverQuota, "no credit"))
		if r := d.run(t); r.Output != "without it" || r.AgentCalls[0].Error.Code != tool.OverQuota {
			t.Errorf("%+v", r)
		}
		contains(t, d.heard()[0], "researcher has failed: no credit", `"code":"over_quota"`)
	})
	for name, steps := range map[string][]model.Step{
		"stays":  {down, down, down},
		"quota":  {model.Fail(tool.OverQuota, "no credit")},
		"key":    {model.Fail(tool.Unavailable, "it does not accept the key")},
		"denied": {calls(delegates("researcher", "x")), model.Fail(tool.InvalidRequest, "no such model")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(steps...)
			r, err := d.made(t).Run(t.Context(), boss, "x", nil)
			if e, ok := errors.AsType[*tool.Error](err); !ok || r.Reason != Failed || r.Error != e || len(d.asked("boss")) != len(steps) {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
}

func TestWhatCannotRun(t *testing.T) {
	t.Parallel()
	a := newDesk(model.Say("never")).made(t)
	for name, c := range map[string]struct {
		caller tool.Caller
		prompt string
	}{
		"no session":  {tool.Caller{Tenant: "acme", Persona: "boss"}, "x"},
		"empty":       {boss, " \n"},
		"long prompt": {boss, strings.Repeat("x", MaxPromptBytes+1)},
	} {
		r, err := a.Run(t.Context(), c.caller, c.prompt, nil)
		if !errors.Is(err, tool.InvalidRequest) || r == nil || r.Reason != Failed || r.Error == nil {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(d *desk)
		want   string
	}{
		"T-336 neither a model nor a provider": {func(d *desk) { d.spec.Model, d.spec.Provider = "", "" }, "neither a model nor a provider"},
		"no agents":                            {func(d *desk) { d.spec.Agents = nil }, "no agents"},
		"no models":                            {func(d *desk) { d.opt.Model = nil }, "needs models"},
		"unknown model":                        {func(d *desk) { d.spec.Agents[0].Model = "other" }, "no model other"},
		"model is nil":                         {func(d *desk) { d.opt.Model = func(string, string) (model.Model, error) { return nil, nil } }, "no model is configured"},
		"approvals":                            {func(d *desk) { d.spec.HITL.Approvals.BeforeEmergent = true }, "nobody to ask"},
		"approval of one":                      {func(d *desk) { d.spec.HITL.Approvals.BeforeAgent = []string{"writer"} }, "nobody to ask"},
		"shared, no shelf":                     {func(d *desk) { d.spec.Emergent.Tier, d.opt.Approve = tool.SharedTier, AlwaysApprove("ann") }, "shelf"},
		"shared, nobody":                       {func(d *desk) { d.spec.Emergent.Tier, d.opt.Shelf = tool.SharedTier, &shelf{} }, "approves"},
	} {
		d := newDesk()
		c.change(d)
		if _, err := New(d.spec, d.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestAgentsOfAnotherProviderDoNotGetTheModelOfTheAgency(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	var opened []string
	d.spec.Agents[0] = Agent{Name: "researcher", Instructions: "x", Provider: "other"}
	d.spec.Agents[1] = Agent{Name: "writer", Instructions: "x"}
	d.opt.Model = func(provider, name string) (model.Model, error) {
		opened = append(opened, provider+"/"+name)
		return says("x"), nil
	}
	d.made(t)
	if want := []string{"other/", "script/boss"}; !slices.Equal(opened, want) {
		t.Errorf("got %q, want %q", opened, want)
	}
}

func TestPrepareSeesEveryRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("writer", "x")), model.Say("42"))
	writer := model.NewScripted(model.Say("written"))
	d.models["writer"] = writer
	d.opt.Prepare = func(_ context.Context, c tool.Caller, req *model.Request) error {
		req.System = "You are " + c.Persona + ".\n\n" + req.System
		return nil
	}
	d.run(t)
	contains(t, d.asked("boss")[1].System, "You are boss.")
	contains(t, writer.Asked()[0].System, "You are writer.\n\nWrite well.")
}

func TestManyToolsAreOfferedAsFarAsTheyFit(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	d.spec.Tools = []string{"any"}
	size := 0
	d.opt.Tools = func(context.Context, tool.Caller, []string) (list []model.ToolSpec, err error) {
		for i := range 500 {
			list = append(list, model.ToolSpec{Name: fmt.Sprint("tool", i), Description: strings.Repeat("x", size)})
		}
		return list, nil
	}
	d.run(t)
	if n := len(offered(d.asked("boss")[0])); n != maxOffers {
		t.Errorf("%d small tools", n)
	}
	d.models["boss"], size = model.NewScripted(model.Say("42")), maxOfferBytes/10
	d.run(t)
	if n := len(offered(d.asked("boss")[0])); n != 3+10 {
		t.Errorf("%d large tools", n)
	}
}

// What agents list and are not offered is told as the run begins, and so is an answer that says nothing.
func TestNotesTellWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say(" "))
	d.hostTools("look")
	d.spec.Tools = []string{"look"}
	d.spec.Agents[1].Tools = []string{"nope", "look_again"}
	r := d.run(t)
	want := []string{"no tool nope, look_again for writer", "the answer of the manager is empty"}
	if !slices.Equal(r.Notes, want) || r.Reason != Done {
		t.Errorf("got %q, %s", r.Notes, r.Reason)
	}
	if e := d.events[1]; e.Kind != Noted || e.Agent != "writer" || e.Text != want[0] {
		t.Errorf("%+v", e)
	}
	d = newDesk(model.Say("42"))
	d.spec.Tools = []string{"forge_tool"}
	if r := d.run(t); !slices.Equal(r.Notes, []string{"no tool forge_tool for manager", "no tool forge_tool for researcher", "no tool forge_tool for writer"}) {
		t.Errorf("got %q", r.Notes)
	}
}
