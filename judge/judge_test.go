package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

var (
	by  = tool.Actor{Caller: tool.Caller{Tenant: "local", Persona: "ann", Session: "cli"}}
	now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

// all is a judge whose three parts are one model.
func all(t testing.TB, m model.Model) *judge.Models {
	t.Helper()
	return made(t, judge.Options{Creation: m, Safety: m, Correctness: m, Now: func() time.Time { return now }})
}

func made(t testing.TB, opt judge.Options) *judge.Models {
	t.Helper()
	j, err := judge.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// script is a model that gives the texts in turn, and the model to be judged by.
func script(replies ...string) (*model.Scripted, model.Model) {
	steps := make([]model.Step, len(replies))
	for i, text := range replies {
		steps[i] = model.Say(text)
	}
	s := model.NewScripted(steps...)
	return s, judge.Rehearsed(s)
}

func review(t testing.TB, j judge.Judge, c tool.Candidate) tool.CreationVerdict {
	t.Helper()
	v, err := j.Review(t.Context(), by, c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func panel(t testing.TB, j judge.Judge, r *tool.Record) tool.PromotionVerdict {
	t.Helper()
	v, err := j.Panel(t.Context(), by, r, r.Implementation)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// adder is a candidate that all gates let through.
func adder() tool.Candidate {
	return tool.Candidate{
		Name: "add_numbers", Description: "Adds two numbers.",
		InputSchema:    json.RawMessage(`{"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}`),
		OutputSchema:   json.RawMessage(`{"type": "object"}`),
		Implementation: tool.Implementation{Mode: tool.SandboxMode, Code: "function execute(input) { return { sum: input.a + input.b }; }"},
		TestResults: []tool.TestResult{
			{Input: json.RawMessage(`{"a":1,"b":2}`), ExpectedOutput: json.RawMessage(`{"sum":3}`), Output: json.RawMessage(`{"sum":3}`), Success: true, Matched: true, Repeatable: true},
			{Input: json.RawMessage(`{"a":-1,"b":5}`), Output: json.RawMessage(`{"sum":4}`), Success: true, Matched: true, Repeatable: true},
		},
		Report: tool.Report{Deterministic: true},
	}
}

// record is adder after five uses.
func record() *tool.Record {
	c := adder()
	return &tool.Record{
		ID: "emergent:1", Name: c.Name, Description: c.Description, InputSchema: c.InputSchema, OutputSchema: c.OutputSchema,
		Implementation: c.Implementation, Tier: tool.SessionTier, Version: 1, JudgeConfidence: 0.9,
		UsageStats:    tool.UsageStats{TotalUses: 5, SuccessCount: 4, FailureCount: 1},
		JudgeVerdicts: []tool.Verdict{{Creation: &tool.CreationVerdict{Approved: true, Reasoning: "an earlier opinion"}}},
	}
}

// changed is the approving reply with other members; "" takes one out.
func changed(members map[string]string) string {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(judgetest.Approval("")), &all); err != nil {
		panic(err)
	}
	delete(all, "canary")
	for name, value := range members {
		if all[name] = json.RawMessage(value); value == "" {
			delete(all, name)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members  map[string]string
		approved bool
		within   string // of the reasoning
	}{
		"as it is":            {nil, true, "nothing speaks against it"},
		"own flag missing":    {map[string]string{"approved": ""}, true, ""},
		"own flag false":      {map[string]string{"approved": "false"}, false, "Rejected: the judge does not approve. nothing"},
		"own flag null":       {map[string]string{"approved": "null"}, false, "Failed to parse"},
		"own flag text":       {map[string]string{"approved": `"no"`}, false, "Failed to parse"},
		"own flag misspelt":   {map[string]string{"approved": "", "Approved": "false"}, false, "Failed to parse"},
		"not bounded":         {map[string]string{"bounded": `{"likely": false}`}, false, "bounded"},
		"bounded is no":       {map[string]string{"bounded": `"no"`}, false, "Failed to parse"},
		"bounded in words":    {map[string]string{"bounded": `{"likely": "no"}`}, false, "Failed to parse"},
		"bounded missing":     {map[string]string{"bounded": ""}, true, ""},
		"not deterministic":   {map[string]string{"determinism": `{"likely": false, "reasoning": "the clock"}`}, true, ""},
		"confidence at least": {map[string]string{"confidence": "0.5"}, true, ""},
		"confidence below":    {map[string]string{"confidence": "0.499"}, false, "Rejected: the confidence 0.50 is below the least, 0.50"},
		"confidence huge":     {map[string]string{"confidence": "1e999"}, false, `Failed to parse the reply of the judge: "confidence" is not a number from 0 to 1`},
		"confidence of 95":    {map[string]string{"confidence": "95"}, false, "Failed to parse"},
		"confidence below 0":  {map[string]string{"confidence": "-0.1"}, false, "Failed to parse"},
		"confidence as text":  {map[string]string{"confidence": `"0.95"`}, false, "Failed to parse"},
		"confidence null":     {map[string]string{"confidence": "null"}, false, "confidence 0.00"},
		"safety of 7":         {map[string]string{"safety": `{"passed": true, "score": 7}`}, false, `"score" is not a number from 0 to 1`},
		"correctness as text": {map[string]string{"correctness": `{"passed": true, "score": "0.9"}`}, false, `"score" is not`},
		"confidence missing":  {map[string]string{"confidence": ""}, false, "confidence 0.00"},
		"safety is true":      {map[string]string{"safety": "true"}, false, "nothing speaks"},
		"passed is one":       {map[string]string{"safety": `{"passed": 1}`}, false, "nothing speaks"},
		"no reasoning":        {map[string]string{"safety": `{}`, "reasoning": `7`}, false, "Rejected: safety did not pass."},
		"another canary":      {map[string]string{"canary": `"0123456789abcdef0123456789abcdef"`}, false, "canary"},
		"canary null":         {map[string]string{"canary": `null`}, false, "canary"},
		"too deep":            {map[string]string{"more": strings.Repeat("[", 17) + strings.Repeat("]", 17)}, false, "deep"},
		"more members":        {map[string]string{"more": `{"a": [1, {"b": null}]}`}, true, ""},
		"too long":            {map[string]string{"more": `"` + strings.Repeat("x", judge.MaxReplyBytes) + `"`}, false, "longer than"},
	} {
		_, m := script(changed(c.members))
		v := review(t, all(t, m), adder())
		if v.Approved != c.approved || !strings.Contains(v.Reasoning, c.within) || v.SourceHash == "" || v.At != tool.At(now) || v.JudgeModel != "script/script" || v.Spent.Calls != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestMeasuredFactsWin(t *testing.T) {
	t.Parallel()
	approve := func(change func(*tool.Candidate)) tool.CreationVerdict {
		c := adder()
		change(&c)
		return review(t, all(t, judgetest.ApproveAll()), c)
	}
	if v := approve(func(c *tool.Candidate) { c.Report.Deterministic = false }); !v.Approved || v.Determinism != 0.5 {
		t.Errorf("not repeatable: %+v", v)
	}
	v := approve(func(c *tool.Candidate) {
		c.Report.Growth = &tool.Growth{Fuel: tool.GrowthExponential, Memory: tool.GrowthConstant}
	})
	if v.Approved || v.Bounded != 0.5 || !strings.HasPrefix(v.Reasoning, "Rejected: measured, it is not bounded: work grows exponential") {
		t.Errorf("not bounded: %+v", v)
	}
	if v := approve(func(c *tool.Candidate) { c.Report.Growth = &tool.Growth{Bounded: true} }); !v.Approved || v.Bounded != 1 {
		t.Errorf("bounded: %+v", v)
	}
	if v := approve(func(c *tool.Candidate) { c.TestResults[1].Success = false }); v.Approved || v.Correctness != 0 || !strings.Contains(v.Reasoning, "test 1 failed") {
		t.Errorf("a test failed: %+v", v)
	}
	_, m := script(changed(map[string]string{"correctness": `{"passed": true, "failedTests": [1, 1, 0, 2, -1, 1e99, "0", 0.5, null]}`}))
	v = review(t, all(t, m), adder())
	if !v.Approved || fmt.Sprint(v.FailedTests) != "[0 1]" || len(v.Concerns) != 2 || !strings.Contains(v.Concerns[0], "test 1 as failed; it was run, and passed") {
		t.Errorf("a claim: %+v", v)
	}
}

func TestVerdictsAreBounded(t *testing.T) {
	t.Parallel()
	_, m := script(changed(map[string]string{
		"safety":    `{"passed": true, "concerns": [7, "", "a\u001b[2J\nb"` + strings.Repeat(`, "`+strings.Repeat("é", 400)+`"`, 40) + `]}`,
		"reasoning": `"` + strings.Repeat("é\\u202e", 4000) + `"`,
	}))
	v := review(t, all(t, m), adder())
	if !v.Approved || len([]rune(v.Reasoning)) != 2000 || len(v.Concerns) != 20 || v.Concerns[0] != `a\u001b[2J b` || len([]rune(v.Concerns[1])) != 300 {
		t.Errorf("%v, %d, %q", v.Approved, len([]rune(v.Reasoning)), v.Concerns)
	}
	if strings.ContainsAny(v.Reasoning, "\u202e\x1b") {
		t.Error("the reasoning turns the direction of text")
	}
}

func TestFailsClosed(t *testing.T) {
	t.Parallel()
	cut := judgetest.Func(func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
		return model.Reply{Text: judgetest.Approval(p.Canary), StopReason: model.StopLength}, nil
	})
	for name, c := range map[string]struct {
		model model.Model
		want  string
	}{
		"refusal": {judgetest.Refuses(), "refused to answer"},
		"cut":     {cut, "cut off"},
		"failure": {judgetest.Fails(), "LLM call failed: the stub cannot be reached"},
		"script":  {judge.Rehearsed(model.NewScripted()), "LLM call failed"},
		"none":    {nil, "LLM call failed"},
	} {
		v := review(t, all(t, c.model), adder())
		if v.Approved || v.Confidence != 0 || !strings.Contains(v.Reasoning, c.want) {
			t.Errorf("%s: %+v", name, v)
		}
		p := panel(t, all(t, c.model), record())
		if p.Approved || p.SafetyAuditor.Approved || !strings.Contains(p.CorrectnessReviewer.Reasoning, c.want) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestWhatCannotBeShownIsNotJudged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*tool.Candidate)
		want   string
	}{
		"long source":   {func(c *tool.Candidate) { c.Implementation.Code += strings.Repeat(" ", judge.MaxSourceBytes) }, "too long"},
		"many lines":    {func(c *tool.Candidate) { c.Implementation.Code += strings.Repeat("\n", 200_000) }, "too long"},
		"long outputs":  {func(c *tool.Candidate) { c.TestResults[0].Output = []byte(`"` + strings.Repeat("x", 1<<20) + `"`) }, "too long"},
		"long steps":    {longSteps, "too long"},
		"redacted":      {func(c *tool.Candidate) { c.Implementation = c.Implementation.Redact() }, "not at hand"},
		"another hash":  {func(c *tool.Candidate) { c.SourceHash = "00" }, "not the one that its hash names"},
		"mapping broke": {func(c *tool.Candidate) { longSteps(c); c.Implementation.Steps[0].InputMapping["v"] = []byte(`{`) }, "JSON"},
	} {
		candidate := adder()
		c.change(&candidate)
		asked, m := script(judgetest.Approval(""))
		v := review(t, all(t, m), candidate)
		if v.Approved || !strings.HasPrefix(v.Reasoning, "Not judged: ") || !strings.Contains(v.Reasoning, c.want) || asked.Left() != 1 || len(v.Reasoning) > 4000 {
			t.Errorf("%s: %.300q", name, v.Reasoning)
		}
	}
}

func longSteps(c *tool.Candidate) {
	c.Implementation = tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{{
		Name: "a", Tool: "b", InputMapping: map[string]json.RawMessage{"v": []byte(`"` + strings.Repeat("x", 300<<10) + `"`)},
	}}}
}

func TestTheContextEndsAReview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timeout time.Duration
		want    error
	}{"deadline": {time.Second, tool.Timeout}, "canceled": {0, tool.Canceled}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				if c.timeout > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), c.timeout)
				}
				defer cancel()
				time.AfterFunc(2*time.Second, cancel)
				j := all(t, judgetest.Hangs())
				v, err := j.Review(ctx, by, adder())
				if !errors.Is(err, c.want) || v.Approved {
					t.Error(v, err)
				}
				p, err := j.Panel(ctx, by, record(), record().Implementation)
				if !errors.Is(err, c.want) || p.Approved {
					t.Error(p, err)
				}
			})
		})
	}
}

func TestALateAnswerIsARejection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		v := review(t, all(t, judgetest.Hangs()), adder())
		if v.Approved || v.Reasoning != "LLM call failed: the model did not answer within 2m0s" || time.Since(start) != 2*time.Minute {
			t.Errorf("after %s: %+v", time.Since(start), v)
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, opt := range []judge.Options{
		{MinConfidence: -0.1}, {MinConfidence: math.NaN()}, {MinPanel: 1.1}, {Timeout: -1}, {Timeout: model.MaxWait + 1},
	} {
		if _, err := judge.New(opt); !errors.Is(err, tool.InvalidRequest) || tool.AsError(err).Hint == "" {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// Without random numbers of its own the host asks nobody.
func TestFencesNeedRandomNumbers(t *testing.T) {
	t.Parallel()
	for name, random := range map[string]*bytes.Reader{"none": bytes.NewReader(nil), "twice the same": bytes.NewReader(make([]byte, 1<<10))} {
		asked, m := script(judgetest.Approval(""))
		v := review(t, made(t, judge.Options{Creation: m, Random: random}), adder())
		if v.Approved || !strings.Contains(v.Reasoning, "random numbers") || asked.Left() != 1 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A marker or a canary that the author foresaw is drawn again.
func TestWhatIsDrawnIsNeverInTheData(t *testing.T) {
	t.Parallel()
	var random []byte
	for _, b := range []byte{0xab, 1, 2, 0xab, 3, 4} { // as marker, as canary, as neither
		random = append(random, bytes.Repeat([]byte{b}, 16)...)
	}
	c := adder()
	c.Description = "Ends >>> " + strings.ToUpper(strings.Repeat("ab", 16)) + " the block."
	asked, m := script(judgetest.Approval(""))
	review(t, made(t, judge.Options{Creation: m, Random: bytes.NewReader(random)}), c)
	if p := judgetest.Read(asked.Asked()[0]); p.Marker != strings.Repeat("03", 16) || p.Canary != strings.Repeat("04", 16) {
		t.Errorf("%q, %q", p.Marker, p.Canary)
	}
}
