package toolsmith_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// counting is a judge's model that counts what it is asked, and keeps the last prompt.
type counting struct {
	model.Model
	calls  atomic.Int64
	mu     sync.Mutex
	prompt string
}

func (c *counting) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	c.calls.Add(1)
	c.mu.Lock()
	c.prompt = req.Messages[len(req.Messages)-1].Text
	c.mu.Unlock()
	return c.Model.Chat(ctx, req)
}

func watched(m model.Model) *counting { return &counting{Model: m} }

func session(name string) tool.Caller {
	return tool.Caller{Tenant: "acme", Persona: "ann", Session: name}
}

func TestT123And124Forge(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{
		"name": `"add_then_say"`, "implementation": `{"mode":"compose","steps":[
			{"name":"one","tool":"add_numbers","inputMapping":{"a":"$input.a","b":"$input.b"}}]}`,
	}))
	w.wants("a step that is not there", err, tool.InvalidRequest, "add_numbers")
	if result.Stage != forge.StageStatic {
		t.Errorf("the stage is %s", result.Stage)
	}
	for _, r := range []map[string]string{nil, {
		"name": `"add_then_say"`, "implementation": `{"mode":"compose","steps":[
			{"name":"one","tool":"add_numbers","inputMapping":{"a":"$input.a","b":"$input.b"}}]}`,
	}} {
		result, err := w.Forge(t.Context(), ann, request(t, r))
		w.must(err)
		r := result.Tool
		if !result.Success || !strings.HasPrefix(r.ID, "emergent:") || r.Tier != tool.SessionTier || r.CreatedBy != "ann" || !result.Verdict.Approved {
			t.Errorf("%+v", result)
		}
		if got, err := w.call(ann, r.Name, `{"a":7,"b":8}`); err != nil || got != `{"sum":15}` {
			t.Errorf("called: %s %v", got, err)
		}
	}
	if got := len(w.audited(tool.ForgeApproved)); got != 2 {
		t.Errorf("%d approvals are in the audit log", got)
	}
}

// Refusals before the judge never ask it.
func TestRefusedBeforeTheJudge(t *testing.T) {
	t.Parallel()
	const code = `{"mode":"sandbox","allowlist":[],"code":%q}`
	for name, c := range map[string]struct {
		change  func(*toolsmith.Options)
		members map[string]string
		stage   forge.Stage
		code    tool.Code
		text    string
	}{
		"T-125 code is not allowed": {
			func(o *toolsmith.Options) { o.Config.EmergentConfig.AllowSandboxTools = false },
			nil, forge.StagePermission, tool.Denied, "Sandboxed emergent tools are disabled",
		},
		"T-127 eval": {
			nil,
			map[string]string{"implementation": fmt.Sprintf(code, "function execute(i) { return { sum: eval('1') } }")},
			forge.StageStatic, tool.InvalidSource, "Code validation failed: eval",
		},
		"T-128 a failing test": {
			nil,
			map[string]string{"testCases": `[{"input":{"a":1,"b":2},"expectedOutput":{"sum":4}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`},
			forge.StageTests, tool.Rejected, "test case 0: expected {\"sum\":4}, got {\"sum\":3}",
		},
		"T-132 disabled": {
			func(o *toolsmith.Options) { o.Config.Emergent = false }, nil, forge.StageDisabled, tool.Denied, "disabled",
		},
		"T-58 syntax": {
			nil,
			map[string]string{"implementation": fmt.Sprintf(code, "const execute = (i) => const x = 1;")},
			forge.StageSyntax, tool.InvalidSource, "SyntaxError before execution",
		},
		"throws": {
			nil,
			map[string]string{"implementation": fmt.Sprintf(code, "function execute(i) { throw new Error('runtime boom') }")},
			forge.StageTests, tool.Rejected, "runtime boom",
		},
		"breaks its schema": {
			nil,
			map[string]string{
				"implementation": fmt.Sprintf(code, "function execute(i) { return { sum: String(i.a + i.b) } }"),
				"testCases":      `[{"input":{"a":1,"b":2}},{"input":{"a":-1,"b":5}}]`,
			},
			forge.StageTests, tool.Rejected, "does not fit the output schema",
		},
		"one run is not the other": {
			nil,
			map[string]string{"implementation": fmt.Sprintf(code, "function execute(i) { return { sum: i.a + i.b + (new Date().getFullYear() > 2027 ? 1 : 0) } }")},
			forge.StageTests, tool.Rejected, "a second run",
		},
		"shape": {
			nil, map[string]string{"testCases": `[]`}, forge.StageShape, tool.InvalidRequest, "Shape check failed",
		},
		"a name of the host": {
			nil, map[string]string{"name": `"http_request"`}, forge.StageCollision, tool.Collision, "http_request",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := watched(approveAll)
			w := open(t, "", judge, c.change)
			result, err := w.Forge(t.Context(), ann, request(t, c.members))
			w.wants(name, err, c.code, c.text)
			if result.Success || result.Stage != c.stage || judge.calls.Load() != 0 || result.Error == nil || result.Error.Hint == "" {
				t.Errorf("%+v, %d calls, %+v", result, judge.calls.Load(), result.Error)
			}
			if tools, err := w.Tools(t.Context(), ann); err != nil || slices.ContainsFunc(tools, func(f runtime.Face) bool { return f.ID != "" }) {
				t.Errorf("something is registered: %v", err)
			}
			audited := w.audited(tool.ForgeRejected)
			if want := map[bool]int{true: 0, false: 1}[c.stage == forge.StageDisabled]; len(audited) != want {
				t.Errorf("%d refusals are in the audit log", len(audited))
			}
			if len(w.forged) == 0 || w.forged[len(w.forged)-1].Kind != forge.Rejected {
				t.Errorf("the events are %+v", w.forged)
			}
		})
	}
}

func TestT126JudgeRejects(t *testing.T) {
	t.Parallel()
	w := open(t, "", judgetest.Refusing(), nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.wants("rejected", err, tool.Rejected, "a stub says so")
	if result.Verdict == nil || result.Verdict.Approved || result.Stage != forge.StageJudge || len(result.TestResults) != 2 {
		t.Errorf("%+v", result)
	}
	if tools, err := w.Tools(t.Context(), ann); err != nil || slices.ContainsFunc(tools, func(f runtime.Face) bool { return f.ID != "" }) {
		t.Errorf("something is registered: %v", err)
	}
	refused := w.audited(tool.ForgeRejected)
	if len(refused) != 1 || !strings.Contains(string(refused[0].Data), `"verdict"`) || strings.Contains(string(refused[0].Data), "function execute") {
		t.Errorf("the audit log says %v", refused)
	}
}

func TestT250NoModel(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.wants("no model", err, tool.Rejected, "LLM call failed")
	if result.Verdict.Approved || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("%v", err)
	}
}

// Sessions have their own tools of one name, and lose them with their end.
func TestT129And133And138SessionsHaveTheirOwnTools(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	ids := map[string]bool{}
	var mu sync.Mutex
	var both sync.WaitGroup
	for _, s := range []string{"sess-1", "sess-10"} {
		both.Go(func() {
			result, err := w.Forge(context.Background(), session(s), request(t, nil))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			ids[result.ToolID] = true
		})
	}
	both.Wait()
	if len(ids) != 2 {
		t.Fatalf("the ids are %v", ids)
	}
	gone, err := w.shelf().EndSession(t.Context(), tool.Actor{Caller: session("sess-1")}, session("sess-1"))
	if err != nil || len(gone) != 1 {
		t.Errorf("%d tools went, %v", len(gone), err)
	}
	_, err = w.call(session("sess-1"), "add_numbers", `{"a":1,"b":1}`)
	w.wants("after the end", err, tool.NotFound, "")
	if got, err := w.call(session("sess-10"), "add_numbers", `{"a":1,"b":1}`); err != nil || got != `{"sum":2}` {
		t.Errorf("the other session: %s %v", got, err)
	}
	_, err = w.call(session("none"), "add_numbers", `{"a":1,"b":1}`)
	w.wants("an unknown session", err, tool.NotFound, "")
}

// One's own tool, forged again, is a next version; the loser of a race is told.
func TestForgeAgain(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	first, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	second, err := w.Forge(t.Context(), ann, request(t, map[string]string{"description": `"Adds two numbers, exactly."`}))
	w.must(err)
	if second.Tool.Version != 2 || second.Tool.Supersedes != first.ToolID {
		t.Errorf("%+v", second.Tool)
	}
	bob := tool.Caller{Tenant: "acme", Persona: "bob", Session: "1"}
	result, err := w.Forge(t.Context(), bob, request(t, nil))
	if err != nil || result.Tool.Version != 1 {
		t.Errorf("another persona: %+v %v", result, err)
	}
}

// Steps with effects are not run for a request that nobody has approved.
func TestEffectsWaitForTheJudge(t *testing.T) {
	t.Parallel()
	ran := atomic.Int64{}
	sends := func(o *toolsmith.Options) {
		mail := ownTool("send_mail", "", func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			ran.Add(1)
			return json.RawMessage(`{"sum":3}`), nil
		})
		mail.SideEffects = true
		o.Tools = []runtime.Tool{mail}
	}
	mails := request(t, map[string]string{
		"implementation": `{"mode":"compose","steps":[{"name":"one","tool":"send_mail","inputMapping":{"to":"$input.a"}}]}`,
		"testCases":      `[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":2,"b":1},"expectedOutput":{"sum":3}}]`,
	})
	refusing := open(t, "", judgetest.Refusing(), sends)
	if _, err := refusing.Forge(t.Context(), ann, mails); err == nil || ran.Load() != 0 {
		t.Errorf("refused: it ran %d times, %v", ran.Load(), err)
	}
	w := open(t, "", approveAll, sends)
	result, err := w.Forge(t.Context(), ann, mails)
	w.must(err)
	if ran.Load() != 2 || len(result.TestResults) != 2 || !result.Report.SideEffects || result.Report.Deterministic {
		t.Errorf("approved: it ran %d times, %+v", ran.Load(), result.Report)
	}
}

// What is measured is in the report, and the judge is told before anything else.
func TestMeasuredGrowth(t *testing.T) {
	t.Parallel()
	textual := map[string]string{
		"inputSchema":  `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`,
		"outputSchema": `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`,
		"testCases":    `[{"input":{"text":"some words that are here"}},{"input":{"text":"others"}}]`,
	}
	numeric := map[string]string{
		"inputSchema":  `{"type":"object","properties":{"k":{"type":"integer"}},"required":["k"]}`,
		"outputSchema": textual["outputSchema"],
		"testCases":    `[{"input":{"k":11}},{"input":{"k":9}}]`,
	}
	for name, c := range map[string]struct {
		members map[string]string
		code    string
		fuel    tool.GrowthClass
		bounded bool
	}{
		"constant":    {textual, `return { n: input.text.length }`, tool.GrowthConstant, true},
		"linear":      {textual, `let n = 0; for (const c of input.text) n += c.charCodeAt(0) % 7; return { n }`, tool.GrowthLinear, true},
		"quadratic":   {textual, `let n = 0; for (const a of input.text) for (const b of input.text) if (a === b) n++; return { n }`, tool.GrowthQuadratic, true},
		"exponential": {numeric, `const f = (k) => k < 2 ? k : f(k - 1) + f(k - 2); return { n: f(input.k) }`, tool.GrowthExponential, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := watched(approveAll)
			w := open(t, "", judge, byFuel)
			members := map[string]string{"implementation": fmt.Sprintf(`{"mode":"sandbox","code":%q}`, "function execute(input) { "+c.code+" }")}
			maps.Copy(members, c.members)
			result, err := w.Forge(t.Context(), ann, request(t, members))
			if c.bounded != (err == nil) {
				t.Errorf("%v", err)
			}
			if g := result.Report.Growth; g == nil || g.Fuel != c.fuel || g.Bounded != c.bounded || len(g.Points) < 3 && c.bounded {
				t.Errorf("%+v", g)
			}
			if !strings.Contains(judge.prompt, string(c.fuel)) {
				t.Error("the judge is not told of the growth")
			}
		})
	}
}

// Inputs at the edges of the schema are run by the host, and what becomes of them is in the report.
func TestProbes(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, byFuel)
	for name, c := range map[string]struct {
		code string
		flag bool
		end  string
	}{
		"holds":               {"return { sum: input.a + input.b }", false, "ok"},
		"throws, as it may":   {"if (input.a === 0) throw new Error('not 0'); return { sum: input.a + input.b }", false, "guest_error"},
		"breaks its schema":   {"return { sum: input.a === 0 ? 'none' : input.a + input.b }", true, "invalid_output"},
		"runs into its limit": {"while (input.a > 1e8); return { sum: input.a + input.b }", true, "out_of_fuel"},
	} {
		result, err := w.Forge(t.Context(), session(name), request(t, map[string]string{
			"implementation": fmt.Sprintf(`{"mode":"sandbox","code":%q}`, "function execute(input) { "+c.code+" }"),
		}))
		w.must(err)
		if slices.Contains(result.Report.Flags, tool.FlagEdgeFailure) != c.flag {
			t.Errorf("%s: the flags are %v", name, result.Report.Flags)
		}
		if !slices.ContainsFunc(result.Report.Probes, func(p tool.Probe) bool { return p.Kind == tool.Edge && p.Outcome == c.end }) {
			t.Errorf("%s: the probes are %+v", name, result.Report.Probes)
		}
	}
}

// Promotion goes by uses and the panel, in the background.
func TestT130And131And134Promotion(t *testing.T) {
	t.Parallel()
	judge := watched(approveAll)
	w := open(t, "", judge, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	use := func(times int) {
		t.Helper()
		for range times {
			_, err := w.call(ann, "add_numbers", `{"a":1,"b":1}`)
			w.must(err)
		}
	}
	asked := judge.calls.Load()
	use(2)
	time.Sleep(400 * time.Millisecond)
	if got := judge.calls.Load(); got != asked {
		t.Errorf("T-131: the panel was asked after 2 uses: %d calls", got-asked)
	}
	use(3)
	r := w.soon(result.ToolID, func(r *tool.Record) bool { return r.Tier == tool.AgentTier })
	if got := judge.calls.Load(); got != asked+2 || r.UsageStats.SuccessRate() != 1 || len(r.JudgeVerdicts) != 2 {
		t.Errorf("%d calls, %+v", got-asked, r)
	}
	if got, err := w.call(session("another"), "add_numbers", `{"a":1,"b":2}`); err != nil || got != `{"sum":3}` {
		t.Errorf("T-134: %s %v", got, err)
	}
}

// soon waits until a record is as it should be.
func (w *world) soon(id string, is func(*tool.Record) bool) *tool.Record {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		r, err := w.shelf().Get(context.Background(), ann.Tenant, id)
		w.must(err)
		if is(r) {
			return r
		}
	}
	w.t.Fatal("it never came to pass")
	return nil
}

func TestT136PanelRejects(t *testing.T) {
	t.Parallel()
	judge := watched(judgetest.Refusing())
	w := open(t, "", nil, func(o *toolsmith.Options) { o.Judge = judgeOf(t, approveAll, judge) })
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	for range 9 {
		_, err := w.call(ann, "add_numbers", `{"a":1,"b":1}`)
		w.must(err)
	}
	r := w.soon(result.ToolID, func(r *tool.Record) bool { return r.Panels.Rejections == 1 })
	if r.Tier != tool.SessionTier || len(r.JudgeVerdicts) != 2 {
		t.Errorf("%+v", r)
	}
	for range 5 {
		_, err := w.call(ann, "add_numbers", `{"a":1,"b":1}`)
		w.must(err)
	}
	time.Sleep(400 * time.Millisecond)
	if got := judge.calls.Load(); got != 2 {
		t.Errorf("the panel was asked again before uses have doubled: %d calls", got)
	}
}

// A person who judges is asked about promotion by people alone.
func TestAPersonIsNoPanelOfTheHost(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, func(o *toolsmith.Options) {
		human, err := judge.NewHuman(judge.HumanOptions{ApproveAs: "vera"})
		if err != nil {
			t.Fatal(err)
		}
		o.Judge = human
	})
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	for range 6 {
		_, err := w.call(ann, "add_numbers", `{"a":1,"b":1}`)
		w.must(err)
	}
	time.Sleep(400 * time.Millisecond)
	r, err := w.shelf().Get(t.Context(), ann.Tenant, result.ToolID)
	if err != nil || r.Tier != tool.SessionTier || r.UsageStats.TotalUses != 6 {
		t.Errorf("%+v %v", r, err)
	}
	by := tool.Actor{Caller: ann}
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.AgentTier, "eve")
	w.must(err)
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, " eve")
	w.wants("not a name", err, tool.InvalidRequest, "not a name")
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "VERA")
	w.wants("the panel itself", err, tool.Rejected, "one person")
	_, verdict, err := w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "eve")
	if err != nil || verdict.Person() != "vera" {
		t.Errorf("%+v %v", verdict, err)
	}
}

// A refusal says how to go on by what happened.
func TestHintsOfTheJudge(t *testing.T) {
	t.Parallel()
	person := func(says string) judge.Judge {
		t.Helper()
		j, err := judge.NewHuman(judge.HumanOptions{In: strings.NewReader(says)})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	ofModel := func(m model.Model) judge.Judge { return judgeOf(t, m, m) }
	for name, c := range map[string]struct {
		judge judge.Judge
		hint  string
	}{
		"none":             {ofModel(nil), "an operator has to configure a judge"},
		"down":             {ofModel(judgetest.Fails()), "try again later"},
		"prose":            {ofModel(model.NewScripted(model.Say("fine"))), "could not be read"},
		"with concerns":    {ofModel(judgetest.Func(refusal(`["it lies"]`))), "mend what the judge names: it lies"},
		"without":          {ofModel(judgetest.Func(refusal(`[]`))), "mend what the reason names"},
		"nobody answered":  {person(""), "somebody is there"},
		"a person":         {person("no\nit is rude\n"), "a person said no: change what their reason names"},
		"who says no more": {person("no\n\n"), "a person said no"},
		"who says neither": {person("hm\nhm\nhm\n"), "answer yes or no; nothing is wrong"},
	} {
		w := open(t, "", nil, func(o *toolsmith.Options) { o.Judge = c.judge })
		_, err := w.Forge(t.Context(), ann, request(t, nil))
		w.wants(name, err, tool.Rejected, "")
		if hint := tool.AsError(err).Hint; !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %v, hint %q", name, err, hint)
		}
	}
}

// refusal is what a model says that has such concerns.
func refusal(concerns string) func(context.Context, judgetest.Prompt) (model.Reply, error) {
	return func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
		return model.Reply{Provider: "stub", Model: "stub", Text: fmt.Sprintf(
			`{"canary":%q,"safety":{"passed":false,"concerns":%s},"correctness":{"passed":true},"confidence":0.9,"reasoning":"no"}`, p.Canary, concerns)}, nil
	}
}

// Shared takes a person who is not the owner, and the panel.
func TestPromoteToShared(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	by := tool.Actor{Caller: ann, Name: "operator"}
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "eve")
	w.wants("in one step", err, tool.InvalidRequest, "agent tier first")
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.AgentTier, "eve")
	w.must(err)
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "")
	w.wants("by nobody", err, tool.Rejected, "a person's approval")
	_, _, err = w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "ann")
	w.wants("by the owner", err, tool.Rejected, "owner")
	r, verdict, err := w.Promote(t.Context(), by, result.ToolID, tool.SharedTier, "eve")
	if err != nil || r.Tier != tool.SharedTier || verdict == nil || !verdict.Approved || r.PromotedBy != "eve" {
		t.Errorf("%+v %+v %v", r, verdict, err)
	}
	bob := tool.Caller{Tenant: "acme", Persona: "bob", Session: "9"}
	if got, err := w.call(bob, "add_numbers", `{"a":1,"b":2}`); err != nil || got != `{"sum":3}` {
		t.Errorf("%s %v", got, err)
	}
	_, err = w.Forge(t.Context(), bob, request(t, nil))
	w.wants("another's name", err, tool.Collision, "ann")
}

func TestAttemptsAreCapped(t *testing.T) {
	t.Parallel()
	judge := watched(judgetest.Refusing())
	w := open(t, "", judge, func(o *toolsmith.Options) { o.Config.EmergentConfig.MaxForgeAttemptsPerSession = 2 })
	for range 2 {
		_, err := w.Forge(t.Context(), ann, request(t, nil))
		w.wants("refused", err, tool.Rejected, "")
	}
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.wants("no attempt left", err, tool.Limit, "2 attempts")
	if result.Stage != forge.StageLimit || judge.calls.Load() != 2 {
		t.Errorf("%+v, %d calls", result, judge.calls.Load())
	}
	if _, err := w.Forge(t.Context(), session("2"), request(t, nil)); err == nil || !strings.Contains(err.Error(), "a stub") {
		t.Errorf("another session: %v", err)
	}
}

// Tools outlive the process, in their tiers, with their numbers.
func TestRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := open(t, dir, approveAll, nil)
	result, err := first.Forge(t.Context(), ann, request(t, nil))
	first.must(err)
	_, _, err = first.Promote(t.Context(), tool.Actor{Caller: ann}, result.ToolID, tool.AgentTier, "eve")
	first.must(err)
	_, err = first.Forge(t.Context(), ann, request(t, map[string]string{
		"name": `"through_own"`, "implementation": `{"mode":"compose","steps":[{"name":"one","tool":"own","inputMapping":{"a":"$input.a"}}]}`,
		"outputSchema": `{"type":"object","properties":{"a":{}}}`, "testCases": `[{"input":{"a":1,"b":2}},{"input":{"a":3,"b":2}}]`,
	}))
	first.wants("before the tool is there", err, tool.InvalidRequest, "own")
	first.close()
	second := open(t, dir, approveAll, nil)
	if got, err := second.call(session("later"), "add_numbers", `{"a":2,"b":2}`); err != nil || got != `{"sum":4}` {
		t.Errorf("%s %v", got, err)
	}
}

// 32 goroutines forge, call, promote and remove at once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.MaxSessionTools, o.Config.EmergentConfig.MaxAgentTools = 3, 4
		o.Config.EmergentConfig.MaxForgeAttemptsPerSession = 10_000
	})
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	var all sync.WaitGroup
	for worker := range 32 {
		all.Go(func() {
			c := session(fmt.Sprint(worker % 8))
			for round := range rounds {
				name := fmt.Sprintf("tool_%d", (worker+round)%5)
				result, err := w.Forge(context.Background(), c, request(t, map[string]string{"name": quoted(name)}))
				w.onlyCodes(err, tool.Limit, tool.Collision)
				_, err = w.call(c, name, `{"a":1,"b":2}`)
				w.onlyCodes(err, tool.NotFound, tool.Inactive, tool.OverQuota)
				if err != nil || result.ToolID == "" {
					continue
				}
				switch worker % 3 {
				case 0:
					_, _, err = w.Promote(context.Background(), tool.Actor{Caller: c}, result.ToolID, tool.AgentTier, "eve")
					w.onlyCodes(err, tool.Limit, tool.Collision, tool.NotFound, tool.Inactive, tool.InvalidRequest)
				case 1:
					w.onlyCodes(w.shelf().Remove(context.Background(), tool.Actor{Caller: c}, result.ToolID), tool.NotFound)
				}
			}
		})
	}
	all.Wait()
	w.invariants(3, 4)
}

func (w *world) onlyCodes(err error, codes ...tool.Code) {
	if err != nil && !slices.Contains(codes, tool.AsError(err).Code) {
		w.t.Errorf("got %v", err)
	}
}

// invariants checks caps and uniqueness over all records.
func (w *world) invariants(perSession, perAgent int) {
	w.t.Helper()
	list, err := w.shelf().List(context.Background(), ann.Tenant, tiers.Filter{})
	w.must(err)
	sessions, names := map[string]int{}, map[string]bool{}
	agent := 0
	for _, r := range list {
		key := string(r.Tier) + "/" + r.Name
		if r.Tier == tool.SessionTier {
			sessions[r.SessionID]++
			key += "/" + r.SessionID
		} else {
			agent++
		}
		if names[key] {
			w.t.Errorf("%s is there twice", key)
		}
		names[key] = true
	}
	for id, n := range sessions {
		if n > perSession {
			w.t.Errorf("session %s has %d tools", id, n)
		}
	}
	if agent > perAgent {
		w.t.Errorf("there are %d tools of the agent tier", agent)
	}
}

func TestForgeTellsOfItsStages(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	var stages []forge.Stage
	ctx := forge.WithStages(t.Context(), func(_ string, s forge.Stage) { stages = append(stages, s) })
	_, err := w.Forge(ctx, ann, request(t, nil))
	w.must(err)
	if want := []forge.Stage{forge.StageStatic, forge.StageTests, forge.StageJudge, forge.StageRegister}; !slices.Equal(stages, want) {
		t.Errorf("told of %v, want %v", stages, want)
	}
}
