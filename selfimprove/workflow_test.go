package selfimprove_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith/runtime/compose"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/selfimprove"
	"example.com/toolsmith/tiers"
)

// workshop is workflows on a shelf, with a few tools that write down who called them.
type workshop struct {
	*selfimprove.Workflows
	t     *testing.T
	shelf selfimprove.Shelf

	mu     sync.Mutex
	calls  []string // "persona/session tool arguments"
	hidden map[string]bool
	events []tool.AuditEvent
}

var (
	flowAnn  = tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "1"}}
	flowAnn2 = tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann", Session: "2"}}
	flowBob  = tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "bob", Session: "1"}}
	flowEve  = tool.Actor{Caller: tool.Caller{Tenant: "evil", Persona: "ann", Session: "1"}}
)

func newWorkshop(t *testing.T, change func(*selfimprove.WorkflowOptions)) *workshop {
	t.Helper()
	w := &workshop{t: t, hidden: map[string]bool{}}
	shelf, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{
		TendEvery: -1, Watch: func(e tool.AuditEvent) { w.mu.Lock(); defer w.mu.Unlock(); w.events = append(w.events, e) },
	})
	w.must(err)
	t.Cleanup(func() { w.must(shelf.Close()) })
	w.shelf = shelf
	w.open(change)
	return w
}

// open makes the workflows anew, as after a restart.
func (w *workshop) open(change func(*selfimprove.WorkflowOptions)) {
	opt := selfimprove.WorkflowOptions{
		AllowedTools: []string{"*"}, Call: w.call, Now: func() time.Time { return time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC) },
		Visible: func(_ context.Context, _ tool.Caller, name string) bool {
			return workshopTools[name] != nil && !w.isHidden(name)
		},
	}
	if change != nil {
		change(&opt)
	}
	w.Workflows = selfimprove.NewWorkflows(w.shelf, opt)
}

var workshopTools = map[string]func(ctx context.Context, input json.RawMessage) (json.RawMessage, error){
	"echo":  func(_ context.Context, input json.RawMessage) (json.RawMessage, error) { return input, nil },
	"large": func(context.Context, json.RawMessage) (json.RawMessage, error) { return textOfBytes(500 << 10), nil },
	"huge":  func(context.Context, json.RawMessage) (json.RawMessage, error) { return textOfBytes(1 << 20), nil },
	"failing": func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &tool.Error{Code: tool.GuestError, Message: "service unavailable", Hint: "try later"}
	},
	"hanging": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
	"slow": func(ctx context.Context, input json.RawMessage) (json.RawMessage, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(29 * time.Second):
			return input, nil
		}
	},
	"create_workflow": func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("called") },
	"forge_tool":      func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("called") },
}

func textOfBytes(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("<", n) + `"`) }

func (w *workshop) call(ctx context.Context, c tool.Caller, name string, input json.RawMessage) (json.RawMessage, error) {
	w.mu.Lock()
	w.calls = append(w.calls, fmt.Sprintf("%s/%s %s %s", c.Persona, c.Session, name, input))
	w.mu.Unlock()
	return workshopTools[name](ctx, input)
}

func (w *workshop) isHidden(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hidden[name]
}

func (w *workshop) hide(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hidden[name] = true
}

func (w *workshop) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// act calls the tool.
func (w *workshop) act(by tool.Actor, format string, args ...any) (string, error) {
	w.t.Helper()
	out, err := w.Tool().Run(w.t.Context(), by.Caller, json.RawMessage(fmt.Sprintf(format, args...)))
	return string(out), err
}

// done is what an action that must succeed returns.
func (w *workshop) done(by tool.Actor, format string, args ...any) string {
	w.t.Helper()
	out, err := w.act(by, format, args...)
	w.must(err)
	return out
}

// refused checks what an action is refused with, and returns the error.
func (w *workshop) refused(by tool.Actor, code tool.Code, words []string, format string, args ...any) tool.Error {
	w.t.Helper()
	out, err := w.act(by, format, args...)
	e := tool.AsError(err)
	if e == nil || e.Code != code {
		w.t.Fatalf("%s: %s %v, want %s", fmt.Sprintf(format, args...), out, err, code)
	}
	for _, word := range words {
		if !strings.Contains(e.Error(), word) {
			w.t.Errorf("%v lacks %q", e, word)
		}
	}
	return *e
}

const twoSteps = `{"action":"create","name":"pair","description":"echoes twice","steps":[
	{"tool":"echo","args":{"text":"$input.text"}},{"tool":"echo","args":{"all":["$prev"],"before":"$steps[0].text","price":"$$5"}}]}`

func TestT285CreateAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	if got, want := w.done(flowAnn, twoSteps), `{"workflowId":"workflow-1","name":"pair","stepCount":2}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := `{"workflows":[{"id":"workflow-1","name":"pair","description":"echoes twice","stepCount":2,"runCount":0,"createdAt":"2026-09-01T08:00:00.000Z"}]}`
	if got := w.done(flowAnn, `{"action":"list"}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	e := w.events[len(w.events)-1]
	if e.EventType != tool.WorkflowCreated || e.PersonaID != "ann" || !strings.Contains(string(e.Data), `"workflowId":"workflow-1"`) {
		t.Errorf("the audit log has %+v", e)
	}
}

func TestT286RunAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, twoSteps)
	want := `{"workflowId":"workflow-1","runCount":1,"stepResults":[{"step":0,"tool":"echo","output":{"text":"$input <&> $prev"}},` +
		`{"step":1,"tool":"echo","output":{"all":[{"text":"$input <&> $prev"}],"before":"$input <&> $prev","price":"$5"}}],` +
		`"finalOutput":{"all":[{"text":"$input <&> $prev"}],"before":"$input <&> $prev","price":"$5"}}`
	if got := w.done(flowAnn2, `{"action":"run","workflowId":"workflow-1","input":{"text":"$input <&> $prev"}}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(w.calls) != 2 || !strings.HasPrefix(w.calls[0], `ann/2 echo {"text":`) {
		t.Errorf("called: %q", w.calls)
	}
	if e := w.events[len(w.events)-1]; e.EventType != tool.WorkflowRun || e.SessionID != "2" || !strings.Contains(string(e.Data), `"ok":true`) {
		t.Errorf("the audit log has %+v", e)
	}
	w.open(nil) // what is kept outlives who keeps it
	if got := w.done(flowAnn, `{"action":"run","workflowId":"workflow-1","input":{"text":""}}`); !strings.Contains(got, `"runCount":2`) {
		t.Error(got)
	}
}

// A row that a rule replaces: workflows are those of a persona, in all of its sessions.
func TestT287OthersSeeNoWorkflows(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, twoSteps)
	if got := w.done(flowAnn2, `{"action":"list"}`); !strings.Contains(got, `"workflow-1"`) {
		t.Errorf("another session of the persona sees %s", got)
	}
	for _, other := range []tool.Actor{flowBob, flowEve} {
		if got := w.done(other, `{"action":"list"}`); got != `{"workflows":[]}` {
			t.Errorf("%v sees %s", other, got)
		}
		for _, action := range []string{"run", "remove"} {
			w.refused(other, tool.NotFound, []string{"workflow-1", "not found"}, `{"action":%q,"workflowId":"workflow-1"}`, action)
		}
		if _, _, err := w.ForgeRequest(t.Context(), other.Caller, "workflow-1", "pair", "", json.RawMessage("[]")); !errors.Is(err, tool.NotFound) {
			t.Errorf("%v forges it: %v", other, err)
		}
	}
	if len(w.calls) > 0 {
		t.Errorf("called: %q", w.calls)
	}
}

func TestT288To291RefusedWorkflows(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, func(opt *selfimprove.WorkflowOptions) {
		opt.MaxSteps, opt.AllowedTools = 5, []string{"echo", "create_workflow", "forge_tool", "nothing"}
	})
	const create = `{"action":"create","name":%q,"description":%q,"steps":[%s]}`
	six := strings.TrimSuffix(strings.Repeat(`{"tool":"echo"},`, 6), ",")
	for _, c := range []struct {
		about, name, description, steps string
		path                            string
		words                           []string
	}{
		{"no name", "", "d", `{"tool":"echo"}`, "/name", []string{"name"}},
		{"a blank name", " ", "d", `{"tool":"echo"}`, "/name", []string{"name"}},
		{"a long name", strings.Repeat("n", 201), "d", `{"tool":"echo"}`, "/name", []string{"200"}},
		{"no description", "n", "", `{"tool":"echo"}`, "/description", []string{"description"}},
		{"a long description", "n", strings.Repeat("d", 1025), `{"tool":"echo"}`, "/description", []string{"1024"}},
		{"no steps", "n", "d", ``, "/steps", []string{"steps"}},
		{"T-288 six steps, limit five", "n", "d", six, "/steps", []string{"maxSteps", "6", "5"}},
		{"T-289 a create_workflow step", "n", "d", `{"tool":"create_workflow"}`, "/steps/0/tool", []string{"recursion"}},
		{"T-289 in another spelling", "n", "d", `{"tool":"Create-Workflow"}`, "/steps/0/tool", []string{"recursion"}},
		{"T-290 unknown tool", "n", "d", `{"tool":"nothing"}`, "/steps/0/tool", []string{"nothing", "not available"}},
		{"T-291 known but not allowed tool", "n", "d", `{"tool":"failing"}`, "/steps/0/tool", []string{"failing", "not permitted"}},
		{"a meta tool", "n", "d", `{"tool":"forge_tool"}`, "/steps/0/tool", []string{"forge_tool", "may not be a step"}},
		{"a meta tool that is not there", "n", "d", `{"tool":"delegate_to_bob"}`, "/steps/0/tool", []string{"delegate_to_bob", "may not be a step"}},
		{"a meta tool in another spelling", "n", "d", `{"tool":"Forge-Tool"}`, "/steps/0/tool", []string{"not available"}},
		{"no tool", "n", "d", `{"tool":" "}`, "/steps/0/tool", []string{"names no tool"}},
		{"args that are a list", "n", "d", `{"tool":"echo","args":[1]}`, "/steps/0/args", []string{"args is a list"}},
		{"a later step", "n", "d", `{"tool":"echo","args":{"a~/":"$steps[1]"}}`, "/steps/0/args/a~0~1", []string{"$steps[1]"}},
		{"long args", "n", "d", `{"tool":"echo","args":{"a":"` + strings.Repeat("a", 64<<10) + `"}}`, "/steps", []string{"bytes"}},
	} {
		e := w.refused(flowAnn, tool.InvalidRequest, c.words, create, c.name, c.description, c.steps)
		if problems, _ := errors.AsType[compose.Problems](e.Cause); len(problems) == 0 || problems[0].Path != c.path {
			t.Errorf("%s: %v, want it at %s", c.about, problems, c.path)
		}
	}
	if got := w.done(flowAnn, `{"action":"list"}`); got != `{"workflows":[]}` {
		t.Errorf("what was refused is kept: %s", got)
	}
}

func TestAllProblemsOfAWorkflowAreTold(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, func(opt *selfimprove.WorkflowOptions) { opt.AllowedTools = []string{"echo"} })
	e := w.refused(flowAnn, tool.InvalidRequest, []string{"7 problems"}, `{"action":"create","steps":[{"tool":"nothing"},{"tool":"failing"},
		{"tool":"create_workflow","args":{"a":"$steps.later"}},{"tool":"self_evaluate"}]}`)
	var paths []string
	problems, _ := errors.AsType[compose.Problems](e.Cause)
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	want := []string{"/name", "/description", "/steps/2/tool", "/steps/0/tool", "/steps/1/tool", "/steps/2/args/a", "/steps/3/tool"}
	if !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}

// All that is wrong is told in one answer, whatever part of the text or of the plan it is in.
func TestAllProblemsOfATextAreToldAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, func(opt *selfimprove.WorkflowOptions) {
		opt.MaxSteps = 3
		opt.InputSchema = func(context.Context, tool.Caller, string) json.RawMessage {
			return json.RawMessage(`{"type":"object","required":["query"],"properties":{"query":{"type":"string"},"data":{}},"additionalProperties":false}`)
		}
		opt.CheckText = func(_, member, text string) error {
			if member == "query" && strings.Contains(text, "[") {
				return &tool.Error{Code: tool.InvalidInput, Message: "no query", Hint: "close the bracket"}
			}
			return nil
		}
	})
	plan, misread, err := selfimprove.ReadWorkflow([]byte(`{"name":"n","extra":1,"steps":[
		{"tool":"echo","args":{"data":"$typo","more":1}},
		{"tool":"nothing","cond":"$input"},
		{"tool":"echo","args":{"query":5},"condition":true},
		{"tool":"echo","args":{"query":"$$["},"condition":"$input.a ="},
		{"tool":"echo","args":[]},
		7]}`))
	w.must(err)
	_, err = w.Create(t.Context(), flowAnn, plan, misread...)
	e := tool.AsError(err)
	problems, _ := errors.AsType[compose.Problems](err)
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Path)
	}
	want := []string{
		"/extra", "/steps/1/cond", "/steps/2/condition", "/steps/5", "/description", "/steps", "/steps/1/tool", "/steps/3/condition",
		"/steps/0/args/data", "/steps/0/args/query", "/steps/0/args/more", "/steps/1/args/query", "/steps/2/args/query", "/steps/3/args/query", "/steps/4/args",
	}
	slices.Sort(paths)
	slices.Sort(want)
	if !slices.Equal(paths, want) {
		t.Errorf("%q, want\n%q", paths, want)
	}
	for _, path := range want {
		if !strings.Contains(e.Message, "(at "+path+")") {
			t.Errorf("%s lacks %s", e.Message, path)
		}
	}
	for _, hint := range []string{"close the bracket (/steps/3/args/query)", "its members are tool, args, condition (/steps/1/cond, /steps/5)", "make several workflows of it (/steps)"} {
		if !strings.Contains(e.Hint, hint) {
			t.Errorf("%s lacks %s", e.Hint, hint)
		}
	}
	if e.Path != "" || e.Code != tool.InvalidRequest {
		t.Errorf("%+v", e)
	}
}

func TestProblemsOfAWorkflowAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	plan, misread, err := selfimprove.ReadWorkflow([]byte(`{"steps":[` + strings.Repeat("{},", 50_000) + `{}]}`))
	w.must(err)
	_, err = w.Create(t.Context(), flowAnn, plan, misread...)
	if e := tool.AsError(err); e == nil || !strings.HasPrefix(e.Message, "the first 20 problems: ") || !strings.Contains(e.Message, "50001 steps") {
		t.Errorf("%v", err)
	}
}

func TestMalformedActions(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.refused(flowAnn, tool.InvalidInput, []string{"frob"}, `{"action":"frob"}`)
	w.refused(flowAnn, tool.InvalidInput, nil, `{"action":`)
	w.refused(flowAnn, tool.InvalidRequest, []string{"workflowId"}, `{"action":"run"}`)
	w.refused(flowAnn, tool.NotFound, []string{"not found"}, `{"action":"run","workflowId":"workflow-9"}`)
	none := selfimprove.NewWorkflows(w.shelf, selfimprove.WorkflowOptions{})
	plan := selfimprove.WorkflowPlan{Name: "n", Description: "d", Steps: []selfimprove.WorkflowStep{{Tool: "echo"}}}
	if _, err := none.Create(t.Context(), flowAnn, plan); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("without tools: %v", err)
	}
	plan.Steps[0].Args = json.RawMessage(`{`)
	if _, err := w.Create(t.Context(), flowAnn, plan); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("args that are not JSON: %v", err)
	}
}

// stepsOf are a workflow of tools without arguments.
func stepsOf(tools ...string) selfimprove.WorkflowPlan {
	plan := selfimprove.WorkflowPlan{Name: "n", Description: "d"}
	for _, name := range tools {
		plan.Steps = append(plan.Steps, selfimprove.WorkflowStep{Tool: name})
	}
	return plan
}

func TestAFailedRunTellsWhatWasDone(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	for _, c := range []struct {
		tools []string
		code  tool.Code
		words []string
		value string
	}{
		{[]string{"echo", "failing", "echo"}, tool.GuestError, []string{"step 1", "failing", "failed: service unavailable"}, `{"completedSteps":1,"stepResults":[{"step":0,"tool":"echo","output":{}}]}`},
		{[]string{"huge", "echo"}, tool.OutputTooLarge, []string{"step 0", "huge"}, `{"completedSteps":0,"stepResults":[]}`},
	} {
		made, err := w.Create(t.Context(), flowAnn, stepsOf(c.tools...))
		w.must(err)
		e := w.refused(flowAnn, c.code, c.words, `{"action":"run","workflowId":%q}`, made.ID)
		if string(e.Value) != c.value {
			t.Errorf("%q: %s, want %s", c.tools, e.Value, c.value)
		}
		if after, err := w.Get(t.Context(), flowAnn.Caller, made.ID); err != nil || after.RunCount != 0 {
			t.Errorf("a run that failed counts: %+v %v", after, err)
		}
		if e := w.events[len(w.events)-1]; e.EventType != tool.WorkflowRun || !strings.Contains(string(e.Data), `"code":"`+string(c.code)) {
			t.Errorf("the audit log has %s %s", e.EventType, e.Data)
		}
	}
}

func TestARunChecksItsStepsAgain(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	made, err := w.Create(t.Context(), flowAnn, stepsOf("echo", "large"))
	w.must(err)
	w.open(func(opt *selfimprove.WorkflowOptions) { opt.AllowedTools = []string{"echo"} })
	w.refused(flowAnn, tool.Inactive, []string{"large", "not permitted"}, `{"action":"run","workflowId":%q}`, made.ID)
	w.open(nil)
	w.hide("large")
	w.refused(flowAnn, tool.Inactive, []string{"large", "not available"}, `{"action":"run","workflowId":%q}`, made.ID)
	if e := w.events[len(w.events)-1]; e.EventType != tool.WorkflowRun || string(e.Data) != `{"code":"inactive","completedSteps":0,"ok":false,"workflowId":"workflow-1"}` {
		t.Errorf("the audit log has %s %s", e.EventType, e.Data)
	}
	if len(w.calls) > 0 {
		t.Errorf("called before all was checked: %q", w.calls)
	}
}

func TestResultsOfARunAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	made, err := w.Create(t.Context(), flowAnn, stepsOf("large", "large", "echo", "large"))
	w.must(err)
	out := w.done(flowAnn, `{"action":"run","workflowId":%q}`, made.ID)
	var run selfimprove.WorkflowRun
	w.must(json.Unmarshal([]byte(out), &run))
	const size = 500<<10 + 2
	want := []selfimprove.StepResult{
		{Step: 0, Tool: "large", OmittedBytes: size},
		{Step: 1, Tool: "large", OmittedBytes: size},
		{Step: 2, Tool: "echo", Output: json.RawMessage("{}")},
		{Step: 3, Tool: "large", OmittedBytes: size},
	}
	if len(out) > tool.DefaultLimits.OutputBytes || len(run.FinalOutput) != size || !reflect.DeepEqual(run.StepResults, want) {
		t.Errorf("%d bytes: %+v", len(out), run.StepResults)
	}
}

// documentsInMemory is a shelf that waits for nothing, so that time can run as a test wants it.
type documentsInMemory struct {
	selfimprove.Shelf
	of map[tool.DocumentRef][]byte
}

func (m documentsInMemory) Document(_ context.Context, d tool.DocumentRef) ([]byte, error) {
	return m.of[d], nil
}

func (m documentsInMemory) EditDocument(ctx context.Context, _ tool.Actor, d tool.DocumentRef, fn func([]byte) (tool.DocumentChange, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	change, err := fn(m.of[d])
	if err == nil {
		m.of[d] = change.Value
	}
	return err
}

func TestT292AStepTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &workshop{t: t, shelf: documentsInMemory{of: map[tool.DocumentRef][]byte{}}}
		w.open(func(opt *selfimprove.WorkflowOptions) { opt.Now = time.Now })
		for _, c := range []struct {
			tools []string
			took  time.Duration
			words []string
			done  int
		}{
			{[]string{"echo", "hanging"}, 30 * time.Second, []string{"step 1", "hanging", "timed out", "30s"}, 1},
			{slices.Repeat([]string{"slow"}, 6), 2 * time.Minute, []string{"step 4", "slow", "timed out", "2m0s"}, 4},
		} {
			made, err := w.Create(t.Context(), flowAnn, stepsOf(c.tools...))
			w.must(err)
			began := time.Now()
			e := w.refused(flowAnn, tool.Timeout, c.words, `{"action":"run","workflowId":%q}`, made.ID)
			if took := time.Since(began); took != c.took || !strings.HasPrefix(string(e.Value), fmt.Sprintf(`{"completedSteps":%d,`, c.done)) {
				t.Errorf("it took %s: %.100s", took, e.Value)
			}
		}
	})
}

func TestARunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &workshop{t: t, shelf: documentsInMemory{of: map[tool.DocumentRef][]byte{}}}
		w.open(nil)
		made, err := w.Create(t.Context(), flowAnn, stepsOf("echo", "hanging"))
		w.must(err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = w.Run(ctx, flowAnn, made.ID, json.RawMessage("{}"))
		if e := tool.AsError(err); e == nil || e.Code != tool.Timeout || !strings.HasPrefix(string(e.Value), `{"completedSteps":1,`) {
			t.Errorf("%v", err)
		}
		canceled, stop := context.WithCancel(t.Context())
		stop()
		if _, err := w.Run(canceled, flowAnn, made.ID, json.RawMessage("{}")); !errors.Is(err, tool.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestRemoveAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, twoSteps)
	w.done(flowAnn, twoSteps)
	if got := w.done(flowAnn, `{"action":"remove","workflowId":"workflow-2"}`); got != `{"removed":true,"workflowId":"workflow-2"}` {
		t.Error(got)
	}
	if e := w.events[len(w.events)-1]; e.EventType != tool.Removed || string(e.Data) != `{"workflowId":"workflow-2"}` {
		t.Errorf("the audit log has %s %s", e.EventType, e.Data)
	}
	w.refused(flowAnn, tool.NotFound, nil, `{"action":"remove","workflowId":"workflow-2"}`)
	w.open(nil)
	if got := w.done(flowAnn, twoSteps); !strings.Contains(got, `"workflow-3"`) {
		t.Errorf("an id is used again: %s", got)
	}
}

func TestAPersonaHasSoManyWorkflows(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	for range selfimprove.MaxWorkflows {
		_, err := w.Create(t.Context(), flowAnn, stepsOf("echo"))
		w.must(err)
	}
	if _, err := w.Create(t.Context(), flowAnn, stepsOf("echo")); !errors.Is(err, tool.Limit) {
		t.Errorf("one more: %v", err)
	}
	w.must(w.Remove(t.Context(), flowAnn, "workflow-50"))
	if made, err := w.Create(t.Context(), flowAnn, stepsOf("echo")); err != nil || made.ID != "workflow-101" {
		t.Errorf("%s %v", made.ID, err)
	}
}

// Whatever personas do at once, each sees its own: what it made and did not remove, once, and its runs.
func TestWorkflowsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	personas := []tool.Actor{flowAnn, flowBob, flowEve}
	const workers, rounds = 3, 6
	kept := make([][]string, len(personas))
	var mu sync.Mutex
	var running sync.WaitGroup
	for p, by := range personas {
		for range workers {
			running.Go(func() {
				for round := range rounds {
					plan := stepsOf("echo")
					plan.Name = by.Tenant + "/" + by.Persona
					made, err := w.Create(t.Context(), by, plan)
					if err != nil {
						t.Error(err)
						return
					}
					if run, err := w.Run(t.Context(), by, made.ID, json.RawMessage("{}")); err != nil || run.RunCount != 1 {
						t.Errorf("%v %v", run, err)
					}
					if round%2 == 0 {
						if err := w.Remove(t.Context(), by, made.ID); err != nil {
							t.Error(err)
						}
						continue
					}
					mu.Lock()
					kept[p] = append(kept[p], made.ID)
					mu.Unlock()
				}
			})
		}
	}
	running.Wait()
	for p, by := range personas {
		list, err := w.List(t.Context(), by.Caller)
		w.must(err)
		var ids []string
		for _, one := range list {
			ids = append(ids, one.ID)
			if one.Name != by.Tenant+"/"+by.Persona || one.RunCount != 1 {
				t.Errorf("%v has %+v", by, one)
			}
		}
		slices.Sort(ids)
		slices.Sort(kept[p])
		if !slices.Equal(ids, kept[p]) {
			t.Errorf("%v has %q, kept %q", by, ids, kept[p])
		}
	}
}

func TestAWorkflowThatIsRemovedWhileItRuns(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.open(func(opt *selfimprove.WorkflowOptions) {
		opt.Call = func(ctx context.Context, c tool.Caller, _ string, input json.RawMessage) (json.RawMessage, error) {
			return input, w.Remove(ctx, tool.Actor{Caller: c}, "workflow-1")
		}
	})
	_, err := w.Create(t.Context(), flowAnn, stepsOf("echo"))
	w.must(err)
	if got := w.done(flowAnn, `{"action":"run","workflowId":"workflow-1","input":{"text":"a"}}`); !strings.Contains(got, `"runCount":1`) {
		t.Error(got)
	}
	if got := w.done(flowAnn, `{"action":"list"}`); got != `{"workflows":[]}` {
		t.Errorf("it is back: %s", got)
	}
}

func TestForgeRequestOfAWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, twoSteps)
	const cases = `[{"input":{"text":"a"}}]`
	text, notes, err := w.ForgeRequest(t.Context(), flowAnn.Caller, "workflow-1", "echo_pair", "", json.RawMessage(cases))
	w.must(err)
	want := `{"description":"echoes twice","implementation":{"mode":"compose","steps":[` +
		`{"name":"step_1","tool":"echo","inputMapping":{"text":"$input.text"}},` +
		`{"name":"step_2","tool":"echo","inputMapping":{"all":["$prev"],"before":"$steps[0].text","price":"$$5"}}]},` +
		`"inputSchema":{"type":"object"},"name":"echo_pair","outputSchema":{"type":"object"},"testCases":` + cases + `}`
	if string(text) != want || notes != nil {
		t.Errorf("%s %q, want %s", text, notes, want)
	}
	if _, _, err := w.ForgeRequest(t.Context(), flowAnn.Caller, "workflow-1", "n", "d", json.RawMessage(`[`)); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("cases that are not JSON: %v", err)
	}
}

// What may be null is said to the forge, which infers what objects have.
func TestForgeRequestsMayReturnNull(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, twoSteps)
	w.done(flowAnn, `{"action":"create","name":"n","description":"d","steps":[{"tool":"echo","args":{"a":1},"condition":"$input.go"}]}`)
	const text = `{"input":{"b":1},"expectedOutput":{"text":"a"}}`
	const textOrNull = `{"type":["object","null"],"properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`
	for _, c := range []struct{ id, cases, output, note string }{
		{"workflow-1", `[` + text + `]`, `{"type":"object"}`, ""},
		{"workflow-1", `[` + text + `,{"input":{},"expectedOutput":null}]`, textOrNull, "expects null"},
		{"workflow-1", `[{"input":{},"expectedOutput":null}]`, `{"type":["object","null"]}`, "expects null"},
		{"workflow-1", `[{"input":{},"partial":true,"expectedOutput":null}]`, `{"type":"object"}`, ""},
		{"workflow-2", `[` + text + `]`, textOrNull, "may be skipped"},
		{"workflow-2", `{}`, `{"type":["object","null"]}`, "may be skipped"},
	} {
		request, notes, err := w.ForgeRequest(t.Context(), flowAnn.Caller, c.id, "pair", "", json.RawMessage(c.cases))
		w.must(err)
		var made struct{ OutputSchema json.RawMessage }
		w.must(json.Unmarshal(request, &made))
		if string(made.OutputSchema) != c.output || (c.note == "") != (notes == nil) || !strings.Contains(strings.Join(notes, "; "), c.note) {
			t.Errorf("%s %s: %s %q, want %s", c.id, c.cases, made.OutputSchema, notes, c.output)
		}
	}
}

func FuzzCreateWorkflow(f *testing.F) {
	f.Add(twoSteps)
	f.Add(`{"action":"create","name":"n","description":"d","steps":[{"tool":"echo","args":{"a":"$prev.[","b":{"c":["$steps[0]"]}}}]}`)
	f.Add(`{"action":"run","workflowId":"workflow-1","input":{"text":1e400}}`)
	f.Add(`{"action":"create","steps":[null,{"args":null}]}`)
	f.Fuzz(func(t *testing.T, input string) {
		w := &workshop{t: t, shelf: documentsInMemory{of: map[tool.DocumentRef][]byte{}}}
		w.open(func(opt *selfimprove.WorkflowOptions) {
			opt.Call = func(_ context.Context, _ tool.Caller, _ string, input json.RawMessage) (json.RawMessage, error) {
				return input, nil
			}
		})
		w.done(flowAnn, twoSteps)
		out, err := w.act(flowAnn, "%s", input)
		if _, known := errors.AsType[*tool.Error](err); err != nil && !known || err == nil && !json.Valid([]byte(out)) {
			t.Errorf("%s %v", out, err)
		}
		list, err := w.List(t.Context(), flowAnn.Caller)
		w.must(err)
		for _, one := range list {
			if _, err := w.Run(t.Context(), flowAnn, one.ID, json.RawMessage("{}")); errors.Is(err, tool.Inactive) || errors.Is(err, tool.Internal) {
				t.Errorf("what was kept cannot be run: %v", err)
			}
		}
	})
}

// A step whose condition does not hold is not called.
func TestConditionsOfSteps(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	w.done(flowAnn, `{"action":"create","name":"n","description":"d","steps":[
		{"tool":"echo","args":{"a":1}},{"tool":"failing","condition":"$input.go == true"},{"tool":"echo","args":{"after":"$prev","first":"$steps[0].a"}},
		{"tool":"failing","condition":"$input < 3"}]}`)
	want := `{"workflowId":"workflow-1","runCount":1,"stepResults":[{"step":0,"tool":"echo","output":{"a":1}},{"step":1,"tool":"failing","skipped":true},` +
		`{"step":2,"tool":"echo","output":{"after":null,"first":1}},{"step":3,"tool":"failing","skipped":true,"notes":["the condition cannot be evaluated: an object and a number have no order: compare two numbers or two strings"]}],"finalOutput":null}`
	if got := w.done(flowAnn, `{"action":"run","workflowId":"workflow-1"}`); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	e := w.refused(flowAnn, tool.GuestError, []string{"step 1", "unavailable"}, `{"action":"run","workflowId":"workflow-1","input":{"go":true}}`)
	if string(e.Value) != `{"completedSteps":1,"stepResults":[{"step":0,"tool":"echo","output":{"a":1}}]}` {
		t.Errorf("%s", e.Value)
	}
	e = w.refused(flowAnn, tool.InvalidRequest, []string{"condition"}, `{"action":"create","name":"n","description":"d","steps":[{"tool":"echo","condition":"$input.a ="}]}`)
	if e.Path != "/steps/0/condition" {
		t.Errorf("at %s", e.Path)
	}
	request, _, err := w.ForgeRequest(t.Context(), flowAnn.Caller, "workflow-1", "pair", "", json.RawMessage("[]"))
	if err != nil || !strings.Contains(string(request), `"condition":"$input.go == true"`) {
		t.Errorf("%s %v", request, err)
	}
}

// What a run would fail with is told when the workflow is made, as far as it can be known.
func TestArgumentsAreCheckedBeforehand(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, func(opt *selfimprove.WorkflowOptions) {
		opt.InputSchema = func(_ context.Context, _ tool.Caller, name string) json.RawMessage {
			return map[string]json.RawMessage{
				"echo": json.RawMessage(`{"type":"object","required":["text"],"additionalProperties":false,"properties":{"text":{"type":"string","minLength":2},
					"many":{"type":"array","items":{"type":"integer"},"minItems":2},"deep":{"anyOf":[{"type":"string"},{"type":"object","required":["a"]}]}}}`),
				"large": json.RawMessage(`{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`),
				"huge":  json.RawMessage(`{"type": 5}`),
			}[name]
		}
	})
	for _, c := range []struct{ tool, args, want string }{
		{"echo", `{"text":"abc"}`, ""},
		{"echo", `{"text":"$input"}`, ""},
		{"echo", `{"text":"$$"}`, "/steps/0/args/text"},
		{"echo", `{"text":"$$5"}`, ""},
		{"echo", `{"text":"a $input.b"}`, ""},
		{"echo", `{"text":"$input","many":[1,"$prev"]}`, ""},
		{"echo", `{"text":"$input","many":["$prev"]}`, ""}, // how many are wanted may depend on more than literals
		{"echo", `{"text":"$input","many":[1.5,"$input.n"]}`, "/steps/0/args/many/0"},
		{"echo", `{"text":"$input","deep":{"a":"$input"}}`, ""},
		{"echo", `{"text":"$input","deep":5}`, "/steps/0/args/deep"},
		{"echo", `{"text":5}`, "/steps/0/args/text"},
		{"echo", `{"many":"$input.list"}`, "/steps/0/args/text"},
		{"echo", `{}`, "/steps/0/args/text"},
		{"echo", `{"text":"$input.t","bogus":"$input"}`, "/steps/0/args/bogus"},
		{"large", `{"a":"$input.a"}`, ""},
		{"large", `{"a":1}`, "/steps/0/args/b"},
		{"huge", `{"a":1}`, ""},
		{"failing", `{"a":1}`, ""},
		{"failing", `{"a":["$typo"]}`, "/steps/0/args/a/0"},
		{"failing", `{"a":"costs $typo"}`, ""},
		{"failing", `{"a":"$prev.b"}`, "/steps/0/args/a"},
		{"failing", `{"a":"$prev"}`, ""},
	} {
		_, err := w.Create(t.Context(), flowAnn, selfimprove.WorkflowPlan{Name: "n", Description: "d", Steps: []selfimprove.WorkflowStep{{Tool: c.tool, Args: json.RawMessage(c.args)}}})
		if e := tool.AsError(err); c.want == "" && err != nil || c.want != "" && (e == nil || e.Path != c.want || e.Code != tool.InvalidRequest || e.Hint == "") {
			t.Errorf("%s %s: %v, want %q", c.tool, c.args, err, c.want)
		}
	}
	w.refused(flowAnn, tool.InvalidRequest, []string{"3 problems", "/steps/0/args/data", "/steps/1/args/text)", "/steps/1/args/bogus"}, `{"action":"create","name":"n","description":"d","steps":[
		{"tool":"failing","args":{"data":"$typo"}},{"tool":"echo","args":{"bogus":1}}]}`)
}

func TestAllWorkflowsOfAPersonaAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t, nil)
	text := strings.Repeat("a", 60<<10)
	for range 16 {
		w.done(flowAnn, `{"action":"create","name":"n","description":"d","steps":[{"tool":"echo","args":{"a":%q}}]}`, text)
	}
	w.refused(flowAnn, tool.Limit, []string{"the workflows of ann take 1023 KiB together: at most 1000 KiB"}, `{"action":"create","name":"n","description":"d","steps":[{"tool":"echo","args":{"a":%q}}]}`, text)
	w.done(flowAnn, `{"action":"run","workflowId":"workflow-1"}`)
}
