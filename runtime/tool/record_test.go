package tool_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

func TestUsageIsCounted(t *testing.T) {
	t.Parallel()
	stats := tool.UsageStats{ConfidenceScore: 0.9}
	at := time.Date(2026, 9, 1, 8, 0, 0, 123456789, time.UTC)
	for i, ms := range []int64{40, 60, 200, 100} {
		stats.Count(tool.Use{Success: i != 2, Duration: time.Duration(ms) * time.Millisecond, At: at})
	}
	got, _ := json.Marshal(stats)
	const want = `{"totalUses":4,"successCount":3,"failureCount":1,"avgExecutionTimeMs":100,"lastUsedAt":"2026-09-01T08:00:00.123Z","confidenceScore":0.75}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestHashIsOfMeaning(t *testing.T) {
	t.Parallel()
	step := func(mapping string) tool.Implementation {
		i := tool.Implementation{Mode: tool.ComposeMode, Steps: []tool.Step{{Name: "a", Tool: "b"}}}
		if err := json.Unmarshal([]byte(mapping), &i.Steps[0].InputMapping); err != nil {
			t.Fatal(err)
		}
		return i
	}
	hash := func(i tool.Implementation) string {
		sum, err := i.Hash()
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	spaced := hash(step(`{"x": {"b":1, "a":[ 12345678901234567890 ]}, "c":"<&>"}`))
	if plain := hash(step(`{"c":"<&>","x":{"a":[12345678901234567890],"b":1}}`)); plain != spaced {
		t.Error("spaces and the order of members change the hash")
	}
	if other := hash(step(`{"c":"<&>","x":{"a":[12345678901234567891],"b":1}}`)); other == spaced {
		t.Error("a large number loses its last digit")
	}
	code := tool.Implementation{Mode: tool.SandboxMode, Code: "function execute() { return 1 < 2 }"}
	if _, err := code.Redact().Hash(); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a redacted implementation hashes: %v", err)
	}
}

func TestRedactLeavesTheLength(t *testing.T) {
	t.Parallel()
	code := tool.Implementation{Mode: tool.SandboxMode, Code: "é", Allowlist: []string{"fetch"}}
	got, _ := json.Marshal(code.Redact())
	const want = `{"mode":"sandbox","allowlist":["fetch"],"redacted":true,"reason":"sandbox-source-not-persisted","codeBytes":2}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestVerdictsKeepTheirKind(t *testing.T) {
	t.Parallel()
	const text = `[{"approved":true,"confidence":0.9,"safety":1,"correctness":1,"determinism":0.5,"bounded":1,"reasoning":"a < b","at":"2026-09-01T08:00:00.000Z"},` +
		`{"approved":false,"safetyAuditor":{"approved":true,"confidence":0.9,"reasoning":"x"},"correctnessReviewer":{"approved":false,"confidence":0.4,"reasoning":"y"},"confidence":0.4,"at":"2026-09-02T08:00:00.000Z"}]`
	var verdicts []tool.Verdict
	if err := json.Unmarshal([]byte(text), &verdicts); err != nil {
		t.Fatal(err)
	}
	if verdicts[0].Creation == nil || verdicts[1].Promotion == nil {
		t.Fatalf("read as %+v", verdicts)
	}
	if got, err := tool.Canonical(verdicts); err != nil || !sameJSON(t, got, []byte(text)) {
		t.Errorf("written as %s, %v", got, err)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	x, err := tool.Canonical(json.RawMessage(a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := tool.Canonical(json.RawMessage(b))
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}

func TestWhoSeesWhat(t *testing.T) {
	t.Parallel()
	own := tool.Caller{Tenant: "t", Persona: "ann", Session: "1"}
	for tier, want := range map[tool.Tier][3]bool{ // the same session, another of the persona, another persona
		tool.SessionTier: {true, false, false},
		tool.AgentTier:   {true, true, false},
		tool.SharedTier:  {true, true, true},
		"none":           {false, false, false},
	} {
		r := tool.Record{Tier: tier, PersonaID: "ann", SessionID: "1"}
		for i, c := range []tool.Caller{own, {Tenant: "t", Persona: "ann", Session: "10"}, {Tenant: "t", Persona: "bob", Session: "1"}} {
			if got := r.VisibleTo(c); got != want[i] {
				t.Errorf("%s tool, caller %d: %v", tier, i, got)
			}
		}
	}
}
