package judge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/judge"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// tabler is a specialist that nothing speaks against.
var tabler = judge.Agent{
	Role: "data_helper", Instructions: "Summarise tables.\nOne line each.", Justification: "No agent reads tables.",
	Tools: []string{"http_request"}, Members: []string{"researcher", "writer"},
}

// agentJudge is a judge of specialists that asks a model.
func agentJudge(t testing.TB, m model.Model) *judge.Models {
	t.Helper()
	j, err := judge.New(judge.Options{Agent: m, Now: func() time.Time { return now }, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestT317AgentJudgeDecides(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]judge.AgentVerdict{
		`{"approved": true, "reasoning": "narrow"}`:         {Approved: true, Reason: "narrow"},
		`{"approved": false, "reasoning": "vague"}`:         {Reason: "vague"},
		`{"approved": true}`:                                {Approved: true, Reason: "the judge gave no reason"},
		`{"reasoning": "fine"}`:                             {Reason: "fine"},
		"Sure:\n```json\n{\"approved\": true}\n```\nBye.":   {Approved: true, Reason: "the judge gave no reason"},
		`{"approved": true, "reasoning": "\u0000a\u202eb"}`: {Approved: true, Reason: `\u0000a\u202eb`},
	} {
		s, m := script(reply)
		got := agentJudge(t, m).ReviewAgent(t.Context(), by, tabler)
		if got.Approved != want.Approved || got.Reason != want.Reason || len(s.Asked()) != 1 || got.At != tool.At(now) || got.Spent.Calls != 1 {
			t.Errorf("%s: %+v after %d calls", reply, got, len(s.Asked()))
		}
	}
}

func TestT318AgentJudgeRejectsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		"I approve of this.", "[true]", `"approved"`, `{"approved": "true"}`, `{"approved": 1}`, `{"approved": true, "approved": true}`,
		`{"Approved": true}`, `{"approved": true} {"approved": true}`, `{"canary": "0", "approved": true}`,
	} {
		_, m := script(reply)
		if got := agentJudge(t, m).ReviewAgent(t.Context(), by, tabler); got.Approved || !strings.Contains(got.Reason, "Failed to parse") {
			t.Errorf("%s: %+v", reply, got)
		}
	}
	_, m := script(strings.Repeat("prose ", 1000))
	if got := agentJudge(t, m).ReviewAgent(t.Context(), by, tabler); !strings.Contains(got.Reason, `"prose prose`) || len(got.Reason) > 400 {
		t.Errorf("got %+v", got)
	}
}

func TestT319AgentJudgeIsShownAll(t *testing.T) {
	t.Parallel()
	s, m := script(`{"approved": true}`)
	agentJudge(t, m).ReviewAgent(t.Context(), by, tabler)
	p := judgetest.Read(s.Asked()[0])
	for _, want := range []string{"data_helper", "Summarise tables.", "One line each.", "No agent reads tables."} {
		if !strings.Contains(p.Inside, want) || strings.Contains(p.Outside, want) {
			t.Errorf("%s does not stand within the fences alone", want)
		}
	}
	for _, want := range []string{"tools that it could call: http_request", "researcher, writer", "SAFETY", "SCOPE", "RISK", "vague mandate"} {
		if !strings.Contains(p.Outside, want) {
			t.Errorf("the prompt lacks %s", want)
		}
	}
	if strings.Count(p.After, `"approved"`) != 1 {
		t.Error("the rules are not repeated behind the data")
	}
}

func TestT321AgentJudgeFailsClosed(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context //nolint:containedctx // of the one call
		model model.Model
		want  string

		unheard bool
	}{
		"it fails":      {t.Context(), judgetest.Fails(), "LLM call failed: the stub cannot be reached", true},
		"it refuses":    {t.Context(), judgetest.Refuses(), "refused to answer", false},
		"nobody asks":   {gone, judgetest.Hangs(), "LLM call failed: context canceled", true},
		"there is none": {t.Context(), nil, "Set OPENAI_API_KEY", true},
		"it says too much": {t.Context(), judgetest.Func(func(context.Context, judgetest.Prompt) (model.Reply, error) {
			return model.Reply{Text: strings.Repeat("{", judge.MaxReplyBytes+1)}, nil
		}), "longer than", false},
	} {
		if got := agentJudge(t, c.model).ReviewAgent(c.ctx, by, tabler); got.Approved || !strings.Contains(got.Reason, c.want) || got.Unheard != c.unheard {
			t.Errorf("%s: %+v", name, got)
		}
	}
	huge := tabler
	huge.Instructions = strings.Repeat("a", judge.MaxPromptBytes)
	if got := agentJudge(t, judgetest.ApproveAll()).ReviewAgent(t.Context(), by, huge); got.Approved || !strings.Contains(got.Reason, "Not judged") {
		t.Errorf("too long: %+v", got)
	}
}

func TestAgentAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range attacks(t, "testdata/hierarchy.json") {
		var s judge.Agent
		if err := json.Unmarshal(a.Request, &s); err != nil {
			t.Fatal(err)
		}
		m, known := judgetest.ByName(a.Judge, a.Marker)
		if !known {
			t.Fatalf("%s: there is no judge %s", a.ID, a.Judge)
		}
		if got := agentJudge(t, m).ReviewAgent(t.Context(), by, s); got.Approved {
			t.Errorf("%s, %s: %+v", a.ID, a.Title, got)
		}
	}
}

func TestHumanReviewsAgentsAndTasks(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]bool{"yes\n": true, "no\ntoo broad\n": false, "": false, "maybe\nperhaps\nwho knows\n": false} {
		var shown strings.Builder
		h, err := judge.NewHuman(judge.HumanOptions{In: strings.NewReader(said + said), Out: &shown, OSUser: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		agent := h.ReviewAgent(t.Context(), by, tabler)
		if agent.Approved != want || !strings.Contains(shown.String(), "1| Summarise tables.") || !strings.HasPrefix(agent.JudgeModel, tool.JudgedByPerson) {
			t.Errorf("%q: %+v of\n%s", said, agent, shown.String())
		}
		if task := h.ReviewTask(t.Context(), by, "writer", "Write\x1b[2J"); task.Approved != want || !strings.Contains(shown.String(), `Write\u001b[2J`) {
			t.Errorf("%q: %+v of\n%s", said, task, shown.String())
		}
	}
}

func FuzzAgentReply(f *testing.F) {
	for _, reply := range []string{`{"approved": true}`, "prose", `{"approved": "true"}`, "```\n{}\n```", `{"approved": true}}`} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		_, m := script(reply)
		got := agentJudge(t, m).ReviewAgent(t.Context(), by, tabler)
		if got.Approved && !strings.Contains(reply, "true") || got.Reason == "" || len(got.Reason) > 4*3000 {
			t.Fatalf("%q: %+v", reply, got)
		}
	})
}
