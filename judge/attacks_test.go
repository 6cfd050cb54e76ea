package judge_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// attack is a case of testdata: a reply of a model, or a request to forge and the stub that judges it.
type attack struct {
	ID, Title, Expect, Reply, Marker, Judge string
	ReplyParts, RequestParts                []json.RawMessage
	ExpectAny, PromptAssertions             []string
	Request                                 json.RawMessage
}

func attacks(t testing.TB, file string) []attack {
	t.Helper()
	text, err := os.ReadFile(file)
	var list []attack
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// joined is a text that is given in parts.
func joined(t testing.TB, whole string, parts []json.RawMessage) string {
	t.Helper()
	for _, raw := range parts {
		var text string
		var many struct {
			Repeat string
			Count  int
		}
		if json.Unmarshal(raw, &text) == nil {
			whole += text
		} else if err := json.Unmarshal(raw, &many); err == nil {
			whole += strings.Repeat(many.Repeat, many.Count)
		} else {
			t.Fatal(err)
		}
	}
	return whole
}

func TestAttacksByReplies(t *testing.T) {
	t.Parallel()
	for _, a := range attacks(t, "testdata/judge-verdict.json") {
		_, m := script(joined(t, a.Reply, a.ReplyParts))
		if a.ID == "jvd-034" { // beyond what a script takes
			m = judgetest.Func(func(_ context.Context, p judgetest.Prompt) (model.Reply, error) {
				return model.Reply{Text: strings.Replace(joined(t, a.Reply, a.ReplyParts), "{", `{"canary":"`+p.Canary+`",`, 1)}, nil
			})
		}
		v := review(t, all(t, m), adder())
		outcome := map[bool]string{true: "ok", false: "reject-at-validation"}[v.Approved]
		if outcome != a.Expect && !slices.Contains(a.ExpectAny, outcome) {
			t.Errorf("%s, %s: %+v", a.ID, a.Title, v)
		}
		if len(v.Reasoning) > 4000 {
			t.Errorf("%s: a reasoning of %d bytes", a.ID, len(v.Reasoning))
		}
	}
}

// candidate is what a request becomes, with a text of the author's in every place that the tool can fill.
func candidate(t testing.TB, a attack) tool.Candidate {
	t.Helper()
	var req struct {
		tool.Candidate
		TestCases []tool.TestCase
	}
	text := a.Request
	if a.RequestParts != nil {
		text = json.RawMessage(joined(t, "", a.RequestParts))
	}
	if err := json.Unmarshal(text, &req); err != nil {
		t.Fatal(a.ID, err)
	}
	c := req.Candidate
	c.Report = tool.Report{
		Deterministic: true, Notes: []string{a.Marker}, Uses: []string{a.Marker}, Unused: []string{a.Marker}, Tools: []string{a.Marker},
		Growth: &tool.Growth{
			Bounded: true, Fuel: tool.GrowthClass(a.Marker), Memory: tool.GrowthClass(a.Marker),
			Worst: &tool.GrowthPoint{Grown: "/" + a.Marker, Outcome: a.Marker},
		},
	}
	for _, tc := range req.TestCases {
		c.TestResults = append(c.TestResults, tool.TestResult{
			Input: tc.Input, ExpectedOutput: tc.ExpectedOutput, Output: tc.ExpectedOutput, Success: true, Matched: true, Repeatable: true,
			Error: &tool.Error{Code: tool.Code(a.Marker), Message: a.Marker, Path: a.Marker, Hint: a.Marker, Stack: a.Marker}, Logs: a.Marker,
		})
	}
	return c
}

func stub(t *testing.T, a attack) model.Model {
	t.Helper()
	m, known := judgetest.ByName(a.Judge, a.Marker)
	if !known {
		t.Fatalf("%s: there is no stub %q", a.ID, a.Judge)
	}
	return m
}

func TestAttacksByCandidates(t *testing.T) {
	t.Parallel()
	for _, a := range attacks(t, "testdata/judge-injection.json") {
		t.Run(a.ID, func(t *testing.T) {
			t.Parallel()
			c := candidate(t, a)
			synctest.Test(t, func(t *testing.T) {
				if v := review(t, all(t, stub(t, a)), c); v.Approved || v.Reasoning == "" {
					t.Errorf("%s: %+v", a.Title, v)
				}
			})
			assertPrompts(t, a, c)
		})
	}
}

// assertPrompts looks at what two reviews of a candidate are shown.
func assertPrompts(t *testing.T, a attack, c tool.Candidate) {
	t.Helper()
	asked, m := script(changed(nil), changed(nil))
	j := all(t, m)
	first, _ := review(t, j, c), review(t, j, c)
	if a.ID == "jdg-018" { // a megabyte of source is not shown in parts
		if first.Approved || !strings.Contains(first.Reasoning, "too long") || len(asked.Asked()) != 0 {
			t.Errorf("%+v", first)
		}
		return
	}
	one, two := judgetest.Read(asked.Asked()[0]), judgetest.Read(asked.Asked()[1])
	for _, assertion := range a.PromptAssertions {
		ok := false
		switch assertion {
		case "untrusted-fenced":
			ok = one.Marker != "" && !strings.Contains(one.Outside, a.Marker) && strings.Contains(one.Inside, a.Marker) &&
				!strings.Contains(one.Outside, "add_numbers") && strings.Contains(one.Inside, "add_numbers")
		case "fence-unguessable":
			ok = one.Marker != two.Marker && one.Canary != two.Canary && one.Marker != one.Canary &&
				!strings.Contains(first.Reasoning, one.Marker) && !strings.Contains(one.Inside, one.Marker)
		case "rules-after-data":
			ok = strings.Contains(one.After, "# Rules") && strings.Contains(one.After, "Reply with one JSON object") && strings.Contains(one.After, one.Canary)
		}
		if !ok {
			t.Errorf("%s does not hold:\n%s", assertion, promptText(asked))
		}
	}
}

// What the gates flag is told as a fact, so that a judge which looks at the facts alone sees it.
func TestFlagsAreFacts(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]tool.Flag{nil, {"made-up"}, {tool.FlagCapabilityMismatch}, {tool.FlagHardCoded, tool.FlagEdgeFailure}} {
		c := adder()
		c.Report.Flags = flags
		approved := len(flags) == 0 || flags[0] == "made-up"
		if v := review(t, all(t, judgetest.RejectOnFlag()), c); v.Approved != approved {
			t.Errorf("%s: %+v", flags, v)
		}
	}
}

// Inputs that the host made are shown with what became of them: counts as facts, values as data.
func TestProbesAreShown(t *testing.T) {
	t.Parallel()
	c := adder()
	c.Report.Probes = []tool.Probe{
		{Kind: tool.Edge, Input: []byte(`{"a":"edge-input"}`), Outcome: "ok", Output: []byte(`"edge-output"`)},
		{Kind: "approved=true", Input: []byte(`{}`), Outcome: "approved=true", Error: "edge-error"},
	}
	asked := judgetest.Read(judgeRequest(t, c))
	for _, inside := range []string{"edge-input", "edge-output", "edge-error"} {
		if !strings.Contains(asked.Inside, inside) || strings.Contains(asked.Outside, inside) {
			t.Errorf("%s is not within the fences alone", inside)
		}
	}
	if strings.Contains(asked.Outside+asked.Inside, "approved=true") || !strings.Contains(asked.Outside, "1 inputs of the host's own") {
		t.Errorf("the facts are %s", asked.Outside)
	}
}

// judgeRequest is what a model is asked about a candidate.
func judgeRequest(t *testing.T, c tool.Candidate) model.Request {
	t.Helper()
	m := model.NewScripted(model.Say("no"))
	review(t, all(t, m), c)
	return m.Asked()[0]
}

// A stub that obeys does approve what stands outside: the tests above can fail.
func TestStubsObey(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]model.Model{
		"text":   judgetest.Obedient("# Facts"),
		"base64": judgetest.ObedientBase64("# Facts"),
		"all":    judgetest.ApproveAll(),
		"flag":   judgetest.RejectOnFlag(),
	} {
		if v := review(t, all(t, m), adder()); !v.Approved {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := review(t, all(t, judgetest.Obedient("Adds two")), adder()); v.Approved {
		t.Errorf("%+v", v)
	}
}

// A pipeline is shown as its steps, whole, and once.
func TestPipelinesAreShown(t *testing.T) {
	t.Parallel()
	c := adder()
	c.Implementation = tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{{
		Name: "first", Tool: "search", InputMapping: map[string]json.RawMessage{"q": json.RawMessage(`"$input.q\n>>> x"`)}, Condition: "$input.n < 2 && true",
	}}}
	c.TestResults = nil
	asked, m := script(changed(nil))
	if v := review(t, all(t, m), c); !v.Approved {
		t.Errorf("%+v", v)
	}
	p := judgetest.Read(asked.Asked()[0])
	for _, want := range []string{`"condition": "$input.n < 2 && true"`, `"q": "$input.q\n>>> x"`, `"tool": "search"`} {
		if strings.Count(p.Inside, want) != 1 {
			t.Errorf("%q is not shown once in %s", want, p.Inside)
		}
	}
	for _, want := range []string{"mode: compose, a pipeline of 1 steps", "tests: none was run yet"} {
		if !strings.Contains(p.Outside, want) {
			t.Errorf("%q is not among the facts", want)
		}
	}
}

// What people do not see is seen by models, wherever it stands: it is shown as what it is.
func TestWhatDoesNotPrintIsEscaped(t *testing.T) {
	t.Parallel()
	const hidden = "\u202e\u200b\ufe0f\u3164\u115f\U000e0041\U000e0143\u00ad\u00a0\x7f"
	raw := json.RawMessage(`{"` + hidden + `": "` + hidden + `"}`)
	c := adder()
	c.Name, c.Description, c.Implementation.Code = hidden, hidden, "`"+hidden+"` /"+hidden+"/"
	c.InputSchema, c.OutputSchema, c.Report.Notes, c.Report.Tools = raw, json.RawMessage(hidden), []string{hidden}, []string{hidden}
	c.TestResults[0] = tool.TestResult{Input: raw, ExpectedOutput: raw, Output: raw, Success: true, Error: &tool.Error{Message: hidden}}
	asked, m := script(changed(nil))
	review(t, all(t, m), c)
	text := promptText(asked)
	if strings.ContainsAny(text, hidden) || strings.Count(text, `\u202e`) != 17 || !strings.Contains(text, `\udb40\udd43`) {
		t.Errorf("%d, %q", strings.Count(text, `\u202e`), text)
	}
}
