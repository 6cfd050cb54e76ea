package judge_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/model/modeltest"
	"example.com/toolsmith/runtime/tool"
)

// One review and one panel over the wire, in both protocols. The random numbers are known, so that the server can be told
// the canaries beforehand.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	canary := func(b byte) string { return strings.Repeat(string("0123456789abcdef"[b]), 32) }
	random := []byte{}
	for i := range byte(6) {
		random = append(random, bytes.Repeat([]byte{i<<4 | i}, 16)...)
	}
	for _, provider := range []string{model.OpenAI, model.Anthropic} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			server := modeltest.Start(
				modeltest.Text(judgetest.Approval(canary(1))),
				modeltest.Step{When: "security auditor", Text: judgetest.Approval(canary(3))},
				modeltest.Step{When: "correctness reviewer", Text: judgetest.Refusal(canary(5))},
			)
			defer server.Close()
			spec := model.Spec{Provider: provider, BaseURL: server.Env(provider)[strings.ToUpper(provider)+"_BASE_URL"]}
			m, err := model.Open(spec, model.Options{Getenv: server.Getenv})
			if err != nil {
				t.Fatal(err)
			}
			price := model.Prices{"test-model": {Input: 1e6, Output: 2e6}}.Cost
			j := made(t, judge.Options{Creation: m, Safety: m, Correctness: m, Price: price, Random: bytes.NewReader(random)})
			v := review(t, j, adder())
			if !v.Approved || v.JudgeModel != provider+"/test-model" || v.Spent != (tool.Spent{Calls: 1, InputTokens: 10, OutputTokens: 5, CostUSD: 20}) {
				t.Errorf("%+v", v)
			}
			p := panel(t, j, record())
			if p.Approved || !p.SafetyAuditor.Approved || p.CorrectnessReviewer.Approved || p.Spent != (tool.Spent{Calls: 2, InputTokens: 20, OutputTokens: 10, CostUSD: 40}) || p.JudgeModel != provider+"/test-model" {
				t.Errorf("%+v", p)
			}
			sees(t, server.Seen())
		})
	}
}

// sees checks what the server was sent: a schema, temperature 0, and the rubric apart from the candidate.
func sees(t *testing.T, seen []modeltest.Request) {
	t.Helper()
	if len(seen) != 3 {
		t.Fatalf("%d requests", len(seen))
	}
	for _, req := range seen {
		if !regexp.MustCompile(`"temperature":(0|1e-45)[,}]`).Match(req.Body) || !bytes.Contains(req.Body, []byte(`"json_schema"`)) || !json.Valid(req.Body) {
			t.Errorf("%.2000s", req.Body)
		}
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	opt, err := judge.ReadScript([]byte(`{"creation": [` + changed(nil) + `, "no", {"error": "it is down"}], "safety": [` + yes + `], "correctness": [` + yes + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	j := made(t, opt)
	for i, want := range []string{"nothing speaks", "Failed to parse", "LLM call failed: it is down", "LLM call failed: the script"} {
		if v := review(t, j, adder()); v.Approved != (i == 0) || !strings.Contains(v.Reasoning, want) {
			t.Errorf("%d: %+v", i, v)
		}
	}
	if p := panel(t, j, record()); !p.Approved {
		t.Errorf("%+v", p)
	}
	if p := panel(t, j, record()); p.Approved {
		t.Errorf("the script has no more: %+v", p)
	}
	if _, err := judge.ReadScript([]byte(`{"creator": []}`)); err == nil {
		t.Error("an unknown purpose is taken")
	}
}

// Only a script is given the canary: a reply without it counts for nothing.
func TestACanaryIsNotGivenToModels(t *testing.T) {
	t.Parallel()
	s := model.NewScripted(model.Say(changed(nil)), model.Say(`{"canary": "", `+changed(nil)[1:]))
	j := all(t, s)
	for range 2 {
		if v := review(t, j, adder()); v.Approved || !strings.Contains(v.Reasoning, "canary") {
			t.Errorf("%+v", v)
		}
	}
}
