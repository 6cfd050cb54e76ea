package toolsmith_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// Rows of sections 3.1, 3.7, 3.8 and 3.16 of the specification, with real rooms and a judge that is a stub.
// docs/behaviour.md says where ours differ.

func TestT10And143SuccessCarriesIdToolAndVerdict(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	if !result.Success || result.ToolID == "" || result.ToolID != result.Tool.ID || result.Tool.Name != "add_numbers" || !result.Verdict.Approved || result.Error != nil {
		t.Errorf("%+v", result)
	}
	members := membersOf(t, result)
	for _, name := range []string{"success", "toolId", "tool", "verdict"} {
		if members[name] == nil {
			t.Errorf("the JSON lacks %s", name)
		}
	}
	if members["error"] != nil {
		t.Errorf("the JSON has the error %s", members["error"])
	}
}

func TestT11And144FailureCarriesTheWholeResultAndTheError(t *testing.T) {
	t.Parallel()
	w := open(t, "", judgetest.Refusing(), nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.wants("rejected", err, tool.Rejected, "a stub says so")
	if result.Success || result.Tool != nil || result.ToolID != "" || result.Verdict == nil || result.Error == nil || result.Error.Error() != err.Error() || result.Error.Hint == "" {
		t.Errorf("%+v", result)
	}
	members := membersOf(t, result)
	for _, name := range []string{"success", "verdict", "error", "stage", "testResults", "report", "attempt"} {
		if members[name] == nil {
			t.Errorf("the JSON lacks %s", name)
		}
	}
}

func membersOf(t *testing.T, value any) (members map[string]json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		t.Fatal(err)
	}
	return members
}

// A panel that cannot be asked leaves an error and no verdict.
func TestT14PromotionFailsWithoutAVerdict(t *testing.T) {
	t.Parallel()
	ctx, leaves := leaving(t)
	w := open(t, "", nil, func(o *toolsmith.Options) { o.Judge = judgeOf(t, approveAll, leaves) })
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	_, _, err = w.Promote(t.Context(), tool.Actor{Caller: ann}, result.ToolID, tool.AgentTier, "eve")
	w.must(err)
	r, verdict, err := w.Promote(ctx, tool.Actor{Caller: ann}, result.ToolID, tool.SharedTier, "eve")
	w.wants("the panel is gone", err, tool.Canceled, "")
	if r != nil || verdict != nil {
		t.Errorf("%+v, %+v", r, verdict)
	}
	if now, err := w.shelf().Get(t.Context(), ann.Tenant, result.ToolID); err != nil || now.Tier != tool.AgentTier {
		t.Errorf("%+v, %v", now, err)
	}
}

// leaving is a judge's model during whose answer the caller leaves.
func leaving(t *testing.T) (context.Context, model.Model) {
	t.Helper()
	caller, leave := context.WithCancel(t.Context())
	return caller, judgetest.Func(func(ctx context.Context, _ judgetest.Prompt) (model.Reply, error) {
		leave()
		<-ctx.Done()
		return model.Reply{}, ctx.Err()
	})
}

// The words of refusals, whole: where an author reads them.
func TestRefusalRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code  string
		stage forge.Stage
		text  string // of the error
		hint  string // part of it
	}{
		"T-45 a violation":      {"function execute() { return { sum: process.pid } }", forge.StageStatic, "Code validation failed: process access is forbidden", "input"},
		"T-43 three at once":    {"function execute() { eval('1'); require('fs'); return { sum: process.pid } }", forge.StageStatic, "Code validation failed: ", ""},
		"T-47 no entry":         {"const add = 1; function helper() { return add }", forge.StageStatic, "must define execute(input) or run(input)", ""},
		"T-58 a declaration":    {"function execute(i) { const f = (x) => const y = x; return { sum: f(i.a) } }", forge.StageSyntax, "SyntaxError before execution", "braces"},
		"T-59 an interface":     {"interface Input { a: number }\nfunction execute(i) { return { sum: i.a } }", forge.StageSyntax, "SyntaxError before execution", "TypeScript"},
		"T-59 type annotations": {"function execute(i: Input): Output { return { sum: i.a } }", forge.StageSyntax, "SyntaxError before execution", "TypeScript"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judge := watched(approveAll)
			w := open(t, "", judge, nil)
			result, err := w.Forge(t.Context(), ann, request(t, map[string]string{"implementation": fmt.Sprintf(`{"mode":"sandbox","allowlist":[],"code":%q}`, c.code)}))
			w.wants(name, err, tool.InvalidSource, c.text)
			if result.Stage != c.stage || !strings.Contains(result.Error.Hint, c.hint) || judge.calls.Load() != 0 {
				t.Errorf("%s, hint %q, %d calls", result.Stage, result.Error.Hint, judge.calls.Load())
			}
			if strings.HasPrefix(name, "T-43") && len(result.Problems) != 3 {
				t.Errorf("the problems are %v", result.Problems)
			}
		})
	}
}

func TestT142And145ARequestIsItsCallers(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	for _, c := range []tool.Caller{ann, {Tenant: "acme", Persona: "bob", Session: "other"}} {
		result, err := w.Forge(t.Context(), c, request(t, nil))
		w.must(err)
		r := result.Tool
		if r.CreatedBy != c.Persona || r.SessionID != c.Session || result.Attempt != 1 {
			t.Errorf("%+v: attempt %d, %+v", c, result.Attempt, r)
		}
		if r.Name != "add_numbers" || r.Description != "Adds two numbers." || len(r.TestCases) != 2 || string(r.TestCases[1].Input) != `{"a":-1,"b":5}` {
			t.Errorf("the request became %+v", r)
		}
	}
	asked := w.audited(tool.ForgeRequested)
	if len(asked) != 2 || asked[0].PersonaID != "ann" || asked[1].PersonaID != "bob" || asked[1].SessionID != "other" {
		t.Errorf("the audit log says %+v", asked)
	}
}

func TestT146And147NobodyForgesNothing(t *testing.T) {
	t.Parallel()
	judge := watched(approveAll)
	w := open(t, "", judge, nil)
	for _, c := range []tool.Caller{{}, {Tenant: "acme"}, {Tenant: "acme", Session: "1"}, {Tenant: "acme", Persona: "ann"}} {
		result, err := w.Forge(t.Context(), c, request(t, nil))
		w.wants("nobody", err, tool.InvalidRequest, "is empty or too long")
		if result.Success || result.Stage != forge.StageShape || result.Attempt != 0 {
			t.Errorf("%+v: %+v", c, result)
		}
	}
	if len(w.audited(tool.ForgeRequested)) != 0 || judge.calls.Load() != 0 {
		t.Error("it was taken for a request")
	}
}

func TestT148And149RefusedBeforeAnythingHappens(t *testing.T) {
	t.Parallel()
	judge := watched(approveAll)
	w := open(t, "", judge, nil)
	for member, text := range map[string]string{"name": "name is required", "description": "description is required"} {
		_, err := w.Forge(t.Context(), ann, request(t, map[string]string{member: `""`}))
		w.wants(member, err, tool.InvalidRequest, text)
	}
	started := slices.ContainsFunc(w.forged, func(e forge.Event) bool { return e.Kind == forge.Started })
	if started || judge.calls.Load() != 0 {
		t.Error("it came beyond its shape")
	}
}

// approves is a judge's model that approves with a confidence, written as JSON.
func approves(confidence string) model.Model {
	return judgetest.Func(func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
		return model.Reply{Text: strings.Replace(judgetest.Approval(p.Canary), "0.95", confidence, 1)}, nil
	})
}

// refuses is one that does not approve, with a confidence all the same.
func refuses(confidence string) model.Model {
	return judgetest.Func(func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
		return model.Reply{Text: strings.Replace(judgetest.Refusal(p.Canary), "0.9,", confidence+",", 1)}, nil
	})
}

// What the original captures and logs of each request, ours tells as events.
func TestEventRows(t *testing.T) {
	t.Parallel()
	const anything = `{"type":"object","additionalProperties":true}`
	inText := map[string]string{
		"inputSchema":  quoted(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`),
		"outputSchema": quoted(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`),
		"testCases":    quoted(`[{"input":{"a":1,"b":2},"expectedOutput":{"sum":3}},{"input":{"a":-1,"b":5},"expectedOutput":{"sum":4}}]`),
	}
	for name, c := range map[string]struct {
		judge   model.Model
		members map[string]string
		kinds   []forge.EventKind
		last    forge.Event // its confidence, stage and reason
	}{
		"T-150 open schemas":            {approves("0.9"), map[string]string{"inputSchema": anything, "outputSchema": anything}, told(forge.Approved), forge.Event{Confidence: 0.9}},
		"T-151, T-158 shape":            {approveAll, map[string]string{"testCases": `[]`}, []forge.EventKind{forge.Rejected}, forge.Event{Stage: forge.StageShape, Reason: "Shape check failed"}},
		"T-152 rejected with 0.42":      {refuses("0.42"), nil, told(forge.Rejected), forge.Event{Stage: forge.StageJudge, Reason: "a stub says so"}},
		"T-153, T-157 approved by 0.73": {approves("0.73"), nil, told(forge.Approved), forge.Event{Confidence: 0.73}},
		"T-154 without a confidence":    {approves("null"), nil, told(forge.Rejected), forge.Event{Stage: forge.StageJudge}},
		"T-159 mode javascript": {
			approveAll,
			map[string]string{"implementation": `{"mode":"javascript","code":"function execute(i) { return { sum: i.a + i.b } }"}`},
			told(forge.Approved),
			forge.Event{Confidence: 0.95},
		},
		"T-160 schemas and tests as text": {approveAll, inText, told(forge.Approved), forge.Event{Confidence: 0.95}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, "", c.judge, nil)
			result, _ := w.Forge(t.Context(), ann, request(t, c.members))
			w.tells(c.kinds, c.last)
			if result.Success != (c.last.Reason == "" && c.last.Stage == "") {
				t.Errorf("%+v", result.Error)
			}
		})
	}
}

func told(end forge.EventKind) []forge.EventKind { return []forge.EventKind{forge.Started, end} }

// tells checks the events of one request for add_numbers: of these kinds, by ann, the last one as it should be.
func (w *world) tells(kinds []forge.EventKind, last forge.Event) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var got []forge.EventKind
	for _, e := range w.forged {
		got = append(got, e.Kind)
		if e.By.Caller != ann { // T-156 of the specification has a scope here
			w.t.Errorf("%s is told of %+v", e.Kind, e.By)
		}
	}
	if !slices.Equal(got, kinds) {
		w.t.Fatalf("told was %v; want %v: %+v", got, kinds, w.forged)
	}
	e := w.forged[len(w.forged)-1]
	if e.Confidence != last.Confidence || e.Stage != last.Stage || !strings.Contains(e.Reason, last.Reason) || (e.Kind == forge.Approved) == (e.Reason != "") {
		w.t.Errorf("told was %+v; want %+v", e, last)
	}
	if known := e.Stage != forge.StageShape; known && (e.Name != "add_numbers" || e.Mode != tool.SandboxMode) || !known && e.Name != "unnamed" {
		w.t.Errorf("told of is %s, %s", e.Name, e.Mode)
	}
}

func TestT155And156AFailureOfTheHostIsToldOf(t *testing.T) {
	t.Parallel()
	ctx, leaves := leaving(t)
	w := open(t, "", leaves, nil)
	result, err := w.Forge(ctx, ann, request(t, nil))
	w.wants("the caller is gone", err, tool.Canceled, "")
	w.tells(told(forge.Failed), forge.Event{Stage: forge.StageJudge, Reason: tool.AsError(err).Message})
	if result.Success || result.Verdict != nil || result.Error == nil {
		t.Errorf("%+v", result)
	}
}

func TestT241And247WithoutForging(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Config.Emergent = false
		o.Tools = []runtime.Tool{ownTool("echo", "", func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return call.Input, nil })}
	})
	_, err := w.Forge(t.Context(), ann, request(t, nil))
	w.wants("forging", err, tool.Denied, "disabled")
	if got, err := w.call(ann, "echo", `{"a":1}`); err != nil || got != `{"a":1}` {
		t.Errorf("calling: %s, %v", got, err)
	}
	if gone, err := w.shelf().EndSession(t.Context(), tool.Actor{Caller: ann}, ann); err != nil || len(gone) != 0 {
		t.Errorf("ending a session: %v, %v", gone, err)
	}
}

// forge_tool is no tool among others: the faces offer it by its definition, and pipelines cannot call it.
func TestT242ForgeToolIsOfferedByItsDefinition(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	d := forge.ToolDefinition()
	if d.Name != "forge_tool" || !strings.Contains(d.Description, "Create a new tool") {
		t.Errorf("%+v", d)
	}
	tools, err := w.Tools(t.Context(), ann)
	if err != nil || slices.ContainsFunc(tools, func(f runtime.Face) bool { return f.Name == d.Name }) {
		t.Errorf("it is among the others: %v", err)
	}
	_, err = w.call(ann, d.Name, "{}")
	w.wants("as a tool", err, tool.NotFound, d.Name)
	_, err = w.Forge(t.Context(), ann, request(t, map[string]string{"name": quoted(d.Name)}))
	w.wants("its name", err, tool.Collision, d.Name)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	if err != nil || !result.Success {
		t.Errorf("forging: %v", err)
	}
}

func TestT246And248And251AToolsLife(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, nil)
	result, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	_, err = w.Forge(t.Context(), session("2"), request(t, nil))
	w.must(err)
	if got, err := w.call(ann, "add_numbers", `{"a":7,"b":8}`); err != nil || got != `{"sum":15}` {
		t.Errorf("%s, %v", got, err)
	}
	sessions, err := w.shelf().Sessions(t.Context(), ann.Tenant)
	if err != nil || len(sessions) != 2 {
		t.Errorf("%+v, %v", sessions, err)
	}
	gone, err := w.shelf().EndSession(t.Context(), tool.Actor{Caller: ann}, ann)
	if err != nil || len(gone) != 1 || gone[0].ID != result.ToolID || gone[0].SessionID != ann.Session {
		t.Errorf("%+v, %v", gone, err)
	}
	_, err = w.call(ann, "add_numbers", `{"a":7,"b":8}`)
	w.wants("after the end", err, tool.NotFound, "add_numbers")
	if ended := w.audited(tool.CleanedUp); len(ended) != 1 || ended[0].ToolID != result.ToolID {
		t.Errorf("the audit log says %+v", ended)
	}
}

func TestT249LimitsOfOnesOwn(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.MaxSessionTools, o.Config.EmergentConfig.MaxAgentTools = 1, 1
	})
	_, err := w.Forge(t.Context(), ann, request(t, nil))
	w.must(err)
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{"name": `"another"`}))
	w.wants("one more", err, tool.Limit, "Session tool limit reached")
	if result.Stage != forge.StageLimit {
		t.Errorf("the stage is %s", result.Stage)
	}
}

// Outputs below the minimum of their schema are failures: they count, and never bring a tool before the panel.
func TestT137BrokenPromisesAreNeverPromoted(t *testing.T) {
	t.Parallel()
	panel := watched(approveAll)
	w := open(t, "", nil, func(o *toolsmith.Options) { o.Judge = judgeOf(t, approveAll, panel) })
	result, err := w.Forge(t.Context(), ann, request(t, map[string]string{
		"outputSchema": `{"type":"object","properties":{"sum":{"type":"number","minimum":0}},"required":["sum"]}`,
	}))
	w.must(err)
	for range 6 {
		_, err := w.call(ann, "add_numbers", `{"a":-5,"b":1}`)
		w.wants("below the minimum", err, tool.InvalidOutput, "must be at least 0")
	}
	w.must(w.shelf().Settle(t.Context()))
	_, err = w.call(ann, "add_numbers", `{"a":1,"b":1}`)
	w.wants("after that", err, tool.Suspended, "")
	r, err := w.shelf().Get(t.Context(), ann.Tenant, result.ToolID)
	if err != nil || r.Tier != tool.SessionTier || r.UsageStats.FailureCount != 6 || r.UsageStats.SuccessCount != 0 || panel.calls.Load() != 0 {
		t.Errorf("%+v, %v, %d calls", r, err, panel.calls.Load())
	}
}
