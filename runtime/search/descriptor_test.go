package search_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"example.com/toolsmith/runtime/search"
	"example.com/toolsmith/runtime/tool"
)

// recorded is a tool of a tier that composes others, or that is code when there are none.
func recorded(name string, tier tool.Tier, steps ...string) *tool.Record {
	r := &tool.Record{ID: "emergent:" + name, Name: name, Description: "Does " + name + ".", InputSchema: json.RawMessage(`{"type":"object"}`), Tier: tier}
	r.Implementation.Mode = tool.SandboxMode
	for _, s := range steps {
		r.Implementation.Mode = tool.ComposeMode
		r.Implementation.Steps = append(r.Implementation.Steps, tool.Step{Name: s, Tool: s})
	}
	return r
}

// changes reports whether a tool of the tests has side effects.
func changes(name string) bool { return name == "send" }

func TestT233AgentTierToolIsOneCapability(t *testing.T) {
	t.Parallel()
	got := search.DescribeAll([]*tool.Record{recorded("greet", tool.AgentTier, "upper")}, changes)
	want := []search.Descriptor{{
		ID: "emergent-tool:greet", Kind: "emergent-tool", Name: "greet", DisplayName: "greet", Description: "Does greet.", Category: "emergent",
		Tags: []string{"runtime-created", "agent-forged", "compose"}, RequiredSecrets: []string{}, RequiredTools: []string{}, Available: true,
		FullSchema: json.RawMessage(`{"type":"object"}`), SourceRef: search.SourceRef{Type: "emergent-tool", EmergentToolID: "emergent:greet", Tier: tool.AgentTier},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestT234SessionTierToolIsSkipped(t *testing.T) {
	t.Parallel()
	if got := search.DescribeAll([]*tool.Record{recorded("greet", tool.SessionTier)}, changes); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestT235SourceReferenceHasIDAndTier(t *testing.T) {
	t.Parallel()
	for _, tier := range []tool.Tier{tool.AgentTier, tool.SharedTier} {
		got := search.Describe(recorded("greet", tier), changes).SourceRef
		if want := (search.SourceRef{Type: "emergent-tool", EmergentToolID: "emergent:greet", Tier: tier}); got != want {
			t.Errorf("got %+v", got)
		}
	}
}

func TestT236And237SideEffects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   *tool.Record
		want bool
		tag  string
	}{
		"T-236": {recorded("a", tool.AgentTier), true, "sandbox"},
		"T-237": {recorded("b", tool.AgentTier, "upper", "lower"), false, "compose"},
		"steps": {recorded("c", tool.AgentTier, "upper", "send"), true, "compose"},
	} {
		if got := search.Describe(c.of, changes); got.HasSideEffects != c.want || got.Tags[2] != c.tag {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestT238And239Batches(t *testing.T) {
	t.Parallel()
	mixed := []*tool.Record{
		recorded("a", tool.SessionTier), recorded("b", tool.AgentTier), recorded("c", tool.SharedTier), recorded("d", tool.SessionTier, "upper"),
	}
	if got := search.DescribeAll(mixed, changes); len(got) != 2 {
		t.Errorf("T-238: got %+v", got)
	}
	if got := search.DescribeAll(nil, changes); got == nil || len(got) != 0 {
		t.Errorf("T-239: got %+v", got)
	}
}
