package judge_test

import (
	"strings"
	"testing"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// judged is the verdict on adder by a reply.
func judged(t *testing.T, reply string) tool.CreationVerdict {
	t.Helper()
	_, m := script(reply)
	return review(t, all(t, m), adder())
}

func TestT90AllPassed(t *testing.T) {
	t.Parallel()
	v := judged(t, changed(nil))
	if !v.Approved || v.Safety != 1 || v.Correctness != 1 || v.Determinism != 1 || v.Bounded != 1 || v.Confidence != 0.95 || v.Reasoning != "nothing speaks against it" {
		t.Errorf("%+v", v)
	}
}

func TestT91SafetyFailed(t *testing.T) {
	t.Parallel()
	v := judged(t, changed(map[string]string{"safety": `{"passed": false}`, "reasoning": `"it sends data away"`}))
	if v.Approved || v.Safety != 0 || v.Correctness != 1 || v.Reasoning != "it sends data away" {
		t.Errorf("%+v", v)
	}
}

func TestT92CorrectnessFailed(t *testing.T) {
	t.Parallel()
	if v := judged(t, changed(map[string]string{"correctness": `{"passed": false, "failedTests": [0]}`})); v.Approved || v.Correctness != 0 || len(v.FailedTests) != 1 {
		t.Errorf("%+v", v)
	}
}

func TestT93Prose(t *testing.T) {
	t.Parallel()
	if v := judged(t, "I approve this tool."); v.Approved || v.Confidence != 0 || !strings.Contains(v.Reasoning, "Failed to parse") {
		t.Errorf("%+v", v)
	}
}

func TestT94IdeasOfTheRubric(t *testing.T) {
	t.Parallel()
	asked, m := script(changed(nil))
	review(t, all(t, m), adder())
	p := judgetest.Read(asked.Asked()[0])
	for _, idea := range []string{
		"security auditor", "cannot confidently verify", "cannot-verify is not a violation", "expectedOutput", "the code is the source of truth",
		"try/catch", "SAFETY", "CORRECTNESS", "DETERMINISM", "BOUNDED", "other tests", `"failedTests"`,
	} {
		if !strings.Contains(p.Outside, idea) {
			t.Errorf("the prompt lacks %q", idea)
		}
	}
}

func TestT95ShowsTheCandidate(t *testing.T) {
	t.Parallel()
	c := adder()
	asked, m := script(changed(nil))
	review(t, all(t, m), c)
	inside := judgetest.Read(asked.Asked()[0]).Inside
	for _, shown := range []string{
		c.Name, c.Description, c.Implementation.Code, `{"a":1,"b":2}`, `expectedOutput: {"sum":3}`, `output: {"sum":4}`, "success=true", `{"type":"object"}`, "\n| []\n",
	} {
		if !strings.Contains(inside, shown) {
			t.Errorf("the prompt lacks %q", shown)
		}
	}
	if len(asked.Asked()) != 1 {
		t.Error(len(asked.Asked()))
	}
}

func promptText(s *model.Scripted) string { return s.Asked()[0].Messages[0].Text }

func TestT96UsesTheModelForCreation(t *testing.T) {
	t.Parallel()
	creation, c := script(changed(nil))
	other, o := script(changed(nil))
	review(t, made(t, judge.Options{Creation: c, Safety: o, Correctness: o}), adder())
	if creation.Left() != 0 || other.Left() != 1 {
		t.Error(creation.Left(), other.Left())
	}
}

func TestT97TheCallFails(t *testing.T) {
	t.Parallel()
	v := review(t, all(t, judgetest.Fails()), adder())
	if v.Approved || v.Confidence != 0 || !strings.Contains(v.Reasoning, "LLM call failed") {
		t.Errorf("%+v", v)
	}
}

func TestT98CodeFence(t *testing.T) {
	t.Parallel()
	if v := judged(t, "Here it is:\n```json\n"+changed(nil)+"\n```\nRegards"); !v.Approved {
		t.Errorf("%+v", v)
	}
}

func TestT99ScoresOfItsOwn(t *testing.T) {
	t.Parallel()
	v := judged(t, changed(map[string]string{"safety": `{"passed": true, "score": 0.8}`, "correctness": `{"passed": true, "score": 1.0}`}))
	if !v.Approved || v.Safety != 0.8 || v.Correctness != 1 {
		t.Errorf("%+v", v)
	}
}

func TestT100OnlyAScore(t *testing.T) {
	t.Parallel()
	if v := judged(t, changed(map[string]string{"safety": `{"score": 0.3}`})); v.Approved || v.Safety != 0.3 {
		t.Errorf("%+v", v)
	}
}

func TestT101EmptyObject(t *testing.T) {
	t.Parallel()
	v := judged(t, "{ }")
	if v.Approved || v.Safety+v.Correctness+v.Determinism+v.Bounded+v.Confidence != 0 || strings.Contains(v.Reasoning, "Failed to parse") {
		t.Errorf("%+v", v)
	}
}

func TestT102ConfidenceInWords(t *testing.T) {
	t.Parallel()
	if v := judged(t, changed(map[string]string{"confidence": `"high"`})); v.Approved || v.Confidence != 0 || !strings.Contains(v.Reasoning, `Failed to parse the reply of the judge: "confidence"`) {
		t.Errorf("%+v", v)
	}
}

// voted is the panel's verdict by two replies.
func voted(t *testing.T, safety, correctness string) tool.PromotionVerdict {
	t.Helper()
	_, s := script(safety)
	_, c := script(correctness)
	return panel(t, made(t, judge.Options{Safety: s, Correctness: c}), record())
}

const yes, no = `{"approved": true, "confidence": 0.9, "reasoning": "fine"}`, `{"approved": false, "confidence": 0.9, "reasoning": "not fine"}`

func TestT114BothApprove(t *testing.T) {
	t.Parallel()
	v := voted(t, yes, yes)
	if !v.Approved || !v.SafetyAuditor.Approved || !v.CorrectnessReviewer.Approved || v.Confidence != 0.9 || v.SourceHash == "" || v.Spent.Calls != 2 || v.JudgeModel != "script/script" {
		t.Errorf("%+v", v)
	}
}

func TestT115SafetyRejects(t *testing.T) {
	t.Parallel()
	if v := voted(t, no, yes); v.Approved || v.SafetyAuditor.Approved || !v.CorrectnessReviewer.Approved || v.SafetyAuditor.Reasoning != "not fine" {
		t.Errorf("%+v", v)
	}
}

func TestT116CorrectnessRejects(t *testing.T) {
	t.Parallel()
	if v := voted(t, yes, no); v.Approved || !v.SafetyAuditor.Approved || v.CorrectnessReviewer.Approved {
		t.Errorf("%+v", v)
	}
}

func TestT117TwoRoles(t *testing.T) {
	t.Parallel()
	asked, m := script(yes, yes)
	panel(t, all(t, m), record())
	var systems []string
	for _, req := range asked.Asked() {
		p := judgetest.Read(req)
		systems = append(systems, req.System)
		reviewer := strings.Contains(req.System, "correctness reviewer")
		if strings.Contains(p.Outside, "success rate: 0.800") != reviewer {
			t.Errorf("the success rate is for the correctness reviewer: %s", p.Outside)
		}
		for _, shown := range []string{"Adds two numbers.", "return { sum: input.a + input.b }", "an earlier opinion"} {
			if !strings.Contains(p.Inside, shown) {
				t.Errorf("the data lack %q", shown)
			}
		}
		for _, fact := range []string{"tier: session", "mode: sandbox", "uses: 5, of which 4 succeeded"} {
			if !strings.Contains(p.Outside, fact) {
				t.Errorf("the facts lack %q", fact)
			}
		}
	}
	both := strings.Join(systems, "")
	if len(systems) != 2 || systems[0] == systems[1] || !strings.Contains(both, "security auditor") || !strings.Contains(both, "correctness reviewer") {
		t.Errorf("%q", systems)
	}
}

func TestT118BothMalformed(t *testing.T) {
	t.Parallel()
	v := voted(t, "yes", "[true]")
	if v.Approved || v.SafetyAuditor.Approved || v.CorrectnessReviewer.Approved || v.Confidence != 0 || !strings.Contains(v.SafetyAuditor.Reasoning, "Failed to parse") {
		t.Errorf("%+v", v)
	}
}

func TestT119BothFail(t *testing.T) {
	t.Parallel()
	v := panel(t, all(t, judgetest.Fails()), record())
	if v.Approved || v.SafetyAuditor.Approved || v.CorrectnessReviewer.Approved || v.Confidence != 0 {
		t.Errorf("%+v", v)
	}
}

func TestT120TheSmallerConfidence(t *testing.T) {
	t.Parallel()
	if v := voted(t, strings.Replace(yes, "0.9", "0.95", 1), strings.Replace(yes, "0.9", "0.75", 1)); !v.Approved || v.Confidence != 0.75 {
		t.Errorf("%+v", v)
	}
}

func TestPanelRules(t *testing.T) {
	t.Parallel()
	for reply, approved := range map[string]bool{
		yes:                                      true,
		strings.Replace(yes, "0.9", "0.7", 1):    true,
		strings.Replace(yes, "0.9", "0.69", 1):   false,
		strings.Replace(yes, "0.9", "1e999", 1):  false,
		strings.Replace(yes, "0.9", `"0.9"`, 1):  false,
		strings.Replace(yes, "0.9", "7", 1):      false,
		strings.Replace(yes, "0.9", "1", 1):      true,
		strings.Replace(yes, "true", `"yes"`, 1): false,
		strings.Replace(yes, "true", "1", 1):     false,
		`{"confidence": 1}`:                      false,
		`{"canary": "", ` + yes[1:]:              false,
		"null":                                   false,
		"[" + yes + "]":                          true,
		yes + yes:                                false,
	} {
		if v := voted(t, reply, yes); v.Approved != approved {
			t.Errorf("%s: %+v", reply, v)
		}
	}
	r := record()
	r.SourceHash = "00"
	if v := panel(t, all(t, judgetest.ApproveAll()), r); v.Approved || !strings.Contains(v.SafetyAuditor.Reasoning, "Not judged") {
		t.Errorf("%+v", v)
	}
}

func TestT250NoModel(t *testing.T) {
	t.Parallel()
	v := review(t, made(t, judge.Options{}), adder())
	for _, want := range []string{"LLM call failed", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_HOST", "--judge human", "--approve-as NAME"} {
		if v.Approved || !strings.Contains(v.Reasoning, want) {
			t.Errorf("%q is not in %+v", want, v)
		}
	}
}
