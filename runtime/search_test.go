package runtime_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// found are the names that a search finds, each with its tier.
func (h *hosted) found(t *testing.T, c tool.Actor, query string) (names []string) {
	t.Helper()
	hits, err := h.Search(t.Context(), c.Caller, query, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits {
		names = append(names, hit.Name+" "+string(hit.Tier))
	}
	return names
}

func (h *hosted) promote(t *testing.T, r *tool.Record, to tool.Tier) *tool.Record {
	t.Helper()
	verdict := &tool.PromotionVerdict{Approved: true, Confidence: 1}
	r, err := h.shelf.Promote(t.Context(), ann, r.ID, tool.Promotion{To: to, ApprovedBy: "eve", Verdict: verdict})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const double = "function execute(i) { return { n: 2 * i.n } }"

// A search finds what its caller could call by that name, at every moment.
func TestSearchFindsWhatTheCallerMayCall(t *testing.T) {
	t.Parallel()
	secret := false
	h := host(t, runtime.HostOptions{Permit: func(_ tool.Caller, name string) bool { return !secret || name != "doubling" }})
	wants := func(what string, c tool.Actor, want ...string) {
		t.Helper()
		if got := h.found(t, c, "doubling"); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	wants("before", ann)
	r := h.put(t, ann, "doubling", code(double))
	wants("forged", ann, "doubling session")
	wants("another session", caller("ann", "2"))
	wants("another persona", bob)
	h.promote(t, r, tool.AgentTier)
	wants("promoted", caller("ann", "2"), "doubling agent")
	wants("promoted, another persona", bob)
	h.put(t, ann, "doubling", code(double+"// two"))
	wants("one name twice", ann, "doubling session")
	h.put(t, bob, "doubling", code(double))
	wants("of the same name, another's", bob, "doubling session")
	secret = true
	wants("not permitted", ann)
	secret = false
	if _, err := h.shelf.Suspend(t.Context(), bob, h.find(t, bob, "doubling").ID, tool.ByAdmin); err != nil {
		t.Fatal(err)
	}
	wants("suspended", bob)
	if err := h.Register(runtime.Tool{
		Name: "twice", Description: "Multiplies by two.", InputSchema: json.RawMessage(anyObject), Tags: []string{"doubling"}, Run: hostTool("", "", "", nil).Run,
	}); err != nil {
		t.Fatal(err)
	}
	wants("a tool of the host, by its tag", bob, "twice ")
	if _, err := h.Search(t.Context(), tool.Caller{}, "x", 1); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("nobody searches: %v", err)
	}
	if _, err := h.Search(t.Context(), ann.Caller, "", 1); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("nothing is searched: %v", err)
	}
}

func (h *hosted) find(t *testing.T, c tool.Actor, name string) *tool.Record {
	t.Helper()
	r, err := h.shelf.Find(t.Context(), c.Caller, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// candidate asks for a tool like those of put.
func candidate(t *testing.T, name, text string) tool.Candidate {
	t.Helper()
	impl := code(text)
	hash, err := impl.Hash()
	if err != nil {
		t.Fatal(err)
	}
	schema := json.RawMessage(numbered)
	return tool.Candidate{Name: name, Description: "another thing altogether", InputSchema: schema, OutputSchema: schema, Implementation: impl, SourceHash: hash}
}

func TestSimilarTellsWhatTheCallerCouldCall(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	r := h.put(t, ann, "doubling", code(double))
	similar := func(c tool.Actor, name, text, supersedes string) string {
		t.Helper()
		asked := candidate(t, name, text)
		asked.Supersedes = supersedes
		found, err := h.Similar(t.Context(), c.Caller, asked, 0.92)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			return "none"
		}
		return fmt.Sprintf("%s %.2f", found[0].Name, found[0].Score)
	}
	for _, c := range []struct {
		by                           tool.Actor
		name, text, supersedes, want string
	}{
		{ann, "twofold", double, "", "doubling 1.00"},
		{ann, "twofold", "const run = (x) => { return { n: 2 * x.n } } // renamed", "", "none"},
		{ann, "twofold", "function run(x) { return { n: 2 * x.n } } // renamed", "", "doubling 0.98"},
		{ann, "twofold", "function run(x) { return { n: 3 * x.n } }", "", "none"},
		{ann, "doubling", double, r.ID, "none"},                // its next version
		{ann, "doubling", double, "", "doubling 1.00"},         // when it was asked for, there was no such tool
		{ann, "doubling", double, "an older", "doubling 1.00"}, // there was another
		{bob, "twofold", double, "", "none"},                   // bob cannot see it
	} {
		if got := similar(c.by, c.name, c.text, c.supersedes); got != c.want {
			t.Errorf("%s asks for %s, %s: got %s, want %s", c.by.Persona, c.name, c.text, got, c.want)
		}
	}
	if _, err := h.shelf.Demote(t.Context(), ann, r.ID, "bad"); err != nil {
		t.Fatal(err)
	}
	if got := similar(ann, "twofold", double, ""); got != "none" {
		t.Errorf("a tool that cannot be called stands in the way: %s", got)
	}
	host := candidate(t, "upper_tool", double)
	host.Description, host.InputSchema = "a tool for tests", json.RawMessage(`{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}`)
	found, err := h.Similar(t.Context(), ann.Caller, host, 0.92)
	if err != nil || len(found) != 1 || found[0].Name != "upper" || found[0].ID != "" {
		t.Errorf("the tool of the host: %+v, %v", found, err)
	}
}

func TestDuplicatesAreOfTheWholeTenant(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	h.put(t, ann, "doubling", code(double))
	used := h.put(t, bob, "twofold", code("function run(x) { return { n: 2 * x.n } }"))
	h.put(t, bob, "threefold", code("function run(x) { return { n: 3 * x.n } }"))
	if _, err := h.Call(t.Context(), bob.Caller, used.Name, json.RawMessage(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := h.shelf.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	pairs, err := h.Duplicates(t.Context(), "acme", 0.95)
	if err != nil || len(pairs) != 1 {
		t.Fatalf("%+v, %v", pairs, err)
	}
	if p := pairs[0]; p.Tool.Name != "twofold" || p.Like.Name != "doubling" || p.Tool.Implementation.Code != "" || len(p.Reasons) == 0 {
		t.Errorf("got %+v", p)
	}
	if pairs, err := h.Duplicates(t.Context(), "other", 0.5); err != nil || len(pairs) != 0 {
		t.Errorf("another tenant has %v, %v", pairs, err)
	}
}

// A capability is listed once its tool has risen, and no longer once that cannot be called.
func TestT240CapabilitiesHaveTheNewOne(t *testing.T) {
	t.Parallel()
	h := host(t, runtime.HostOptions{})
	ids := func(c tool.Actor) (list []string) {
		t.Helper()
		all, err := h.Capabilities(t.Context(), c.Caller)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			list = append(list, d.ID)
		}
		return list
	}
	r := h.put(t, ann, "chain", steps("echo", `"$input.n"`))
	if got := ids(ann); len(got) != 0 {
		t.Errorf("before: %q", got)
	}
	h.promote(t, r, tool.AgentTier)
	if got := ids(caller("ann", "2")); !slices.Equal(got, []string{"emergent-tool:chain"}) {
		t.Errorf("after: %q", got)
	}
	if got := ids(bob); len(got) != 0 {
		t.Errorf("another persona: %q", got)
	}
	all, err := h.Capabilities(t.Context(), ann.Caller)
	if err != nil || all[0].HasSideEffects || all[0].SourceRef != (search.SourceRef{Type: "emergent-tool", EmergentToolID: r.ID, Tier: tool.AgentTier}) {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := h.shelf.Demote(t.Context(), ann, r.ID, "bad"); err != nil {
		t.Fatal(err)
	}
	if got := ids(ann); len(got) != 0 {
		t.Errorf("demoted: %q", got)
	}
}
