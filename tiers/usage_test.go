package tiers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// uses is a usage in words, without what is used of nothing.
func (w *world) uses(c tool.Caller) string {
	w.t.Helper()
	u, err := w.Usage(w.t.Context(), c)
	w.must(err)
	var all []string
	for _, of := range []struct {
		name   string
		limits []tool.Gauge
	}{{"tenant", u.Tenant}, {"persona", u.Persona}, {"session", u.Session}} {
		for _, l := range of.limits {
			if l.Used > 0 && l.Limit != "toolBytes" {
				all = append(all, fmt.Sprintf("%s %s %v/%v", of.name, l.Limit, l.Used, l.Most))
			}
		}
	}
	return strings.Join(all, "\n")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), tiers.Options{Rules: tiers.Rules{
		MaxSessionTools: 3, MaxAgentTools: 4, MaxForgeAttempts: 5, MaxSessionTokens: 60,
		Tenant:  tool.Quota{Tools: 70, Sessions: 8, ForgesPerDay: 80, JudgeTokensPerDay: 90, JudgeCostPerDay: 1},
		Persona: tool.Quota{Sessions: 6, ForgesPerDay: 11, JudgeTokensPerDay: 12, JudgeCostPerDay: 0.5},
	}})
	u, err := w.Usage(t.Context(), ann1.Caller)
	if err != nil || len(u.Tenant) != 6 || len(u.Persona) != 5 || len(u.Session) != 3 || w.uses(ann1.Caller) != "" {
		t.Errorf("before anything is used: %+v, %v", u, err)
	}
	helper := as("ann/helper", "1")
	for _, by := range []tool.Actor{ann1, ann10, helper, bob1} {
		_, err := w.Attempt(t.Context(), by, nil)
		w.must(err)
		w.spend(by, "a", 10)
	}
	w.put(ann1, "a", "1")
	w.put(ann1, "a", "2") // a next version
	w.put(ann10, "b", "1")
	w.promote(w.put(helper, "c", "1").ID, tool.AgentTier, "eve")
	w.put(bob1, "d", "1")
	const tenant = "tenant tools 4/70\ntenant sessions 4/8\ntenant forgesPerDay 4/80\ntenant judgeTokensPerDay 40/90\ntenant judgeCostPerDay 1/1\n"
	const persona = "persona maxAgentTools 1/4\npersona sessions 3/6\npersona forgesPerDay 3/11\npersona judgeTokensPerDay 30/12\npersona judgeCostPerDay 0.75/0.5"
	const session = "\nsession maxForgeAttemptsPerSession 1/5\nsession maxJudgeTokensPerSession 10/60"
	for name, c := range map[string]struct {
		of   tool.Caller
		want string
	}{
		"ann/1":          {ann1.Caller, tenant + persona + "\nsession maxSessionTools 1/3" + session},
		"a specialist":   {helper.Caller, tenant + persona + session},
		"a session anew": {as("ann", "2").Caller, tenant + persona},
		"bob": {bob1.Caller, tenant + "persona sessions 1/6\npersona forgesPerDay 1/11\npersona judgeTokensPerDay 10/12\npersona judgeCostPerDay 0.25/0.5" +
			"\nsession maxSessionTools 1/3" + session},
		"another tenant": {tool.Caller{Tenant: "other", Persona: "ann", Session: "1"}, ""},
	} {
		if got := w.uses(c.of); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	u, err = w.Usage(t.Context(), ann1.Caller)
	if held := w.held(); err != nil || u.Tenant[1] != (tool.Gauge{Limit: "toolBytes", Used: float64(held.Bytes), Most: 1 << 30}) || held.Bytes == 0 {
		t.Errorf("of bytes it is %+v, %v; there are %d", u.Tenant[1], err, held.Bytes)
	}
	w.pass(16 * time.Hour) // it is midnight
	if got := w.uses(as("ann", "2").Caller); got != "tenant tools 4/70\ntenant sessions 4/8\npersona maxAgentTools 1/4\npersona sessions 3/6" {
		t.Errorf("on the next day: %s", got)
	}
	_, err = w.SetQuota(t.Context(), boss, tool.LocalTenant, tool.Quota{Tools: 7})
	w.must(err)
	if u, err = w.Usage(t.Context(), tool.Caller{Tenant: tool.LocalTenant, Persona: "p", Session: "s"}); err != nil || u.Tenant[0].Most != 7 {
		t.Errorf("a quota of its own: %+v, %v", u, err)
	}
	_, err = w.Usage(t.Context(), tool.Caller{Tenant: "acme"})
	w.wants(tool.InvalidRequest, err)
}

// Looking begins no session, and writes nothing.
func TestUsageLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", tiers.Options{})
	keys := func() (n int) {
		w.must(w.Store().View(t.Context(), func(r tiers.Reader) error {
			return r.Scan(tiers.Range{}, func(_, _ []byte) (bool, error) { n++; return true, nil })
		}))
		return n
	}
	before := keys()
	for _, by := range []tool.Actor{ann1, ann10, bob1} {
		w.uses(by.Caller)
	}
	if after := keys(); after != before {
		t.Errorf("there were %d keys, and are %d", before, after)
	}
}
