package desk_test

import (
	"encoding/json"
	"slices"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// used is what is used of a limit.
func used(limits []tool.Gauge, name string) float64 {
	for _, l := range limits {
		if l.Limit == name {
			return l.Used
		}
	}
	return -1
}

// Everybody sees what its own persona and session use, and nobody but an administrator what the tenant does.
func TestWhoSeesWhichUsage(t *testing.T) {
	t.Parallel()
	host := open(t)
	forged(t, host)
	if _, err := at(host, "ann", tool.ScopeCall).Call(t.Context(), "greet", json.RawMessage(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	for persona, scopes := range map[string][]tool.Scope{
		"ann": {tool.ScopeCall}, "bob": {tool.ScopeForge, tool.ScopeApprove, tool.ScopeCall}, "eve": {tool.ScopeAdmin},
	} {
		u, err := at(host, persona, scopes...).Usage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if administrator := slices.Contains(scopes, tool.ScopeAdmin); administrator != (len(u.Tenant) > 0) || administrator && used(u.Tenant, "tools") != 1 {
			t.Errorf("%s sees of the tenant: %+v", persona, u.Tenant)
		}
		want := 0.0
		if persona == "ann" {
			want = 1
		}
		for name, limits := range map[string][]tool.Gauge{"callsPerMinute": u.Persona, "forgesPerDay": u.Persona, "maxCallsPerMinute": u.Session, "maxSessionTools": u.Session} {
			if got := used(limits, name); got != want {
				t.Errorf("%s has used %v of %s", persona, got, name)
			}
		}
	}
}
