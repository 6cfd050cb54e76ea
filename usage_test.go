package toolsmith_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// names are those of limits.
func names(limits []tool.Gauge) string {
	var all []string
	for _, l := range limits {
		all = append(all, l.Limit)
	}
	return strings.Join(all, " ")
}

// gauge is what is used of a limit.
func gauge(limits []tool.Gauge, name string) tool.Gauge {
	i := slices.IndexFunc(limits, func(l tool.Gauge) bool { return l.Limit == name })
	if i < 0 {
		return tool.Gauge{}
	}
	return limits[i]
}

// Each limit has the name and the number of the configuration, whichever room counts it.
func TestUsageOfEveryLimit(t *testing.T) {
	t.Parallel()
	w := open(t, "", approveAll, func(o *toolsmith.Options) {
		e := &o.Config.EmergentConfig
		e.MaxCallsPerMinute, e.MaxSessionTools, e.MaxAgentTools, e.MaxForgeAttemptsPerSession = 11, 12, 13, 14
		q := &o.Config.Quotas
		q.WaitingCalls, q.Tenant.ConcurrentCalls, q.Tenant.JudgeTokensPerDay, q.Persona.CallsPerMinute, q.Persona.ForgesPerDay = 15, 2, 1e6, 16, 17
		q.Tenant.Sessions, q.Persona.Sessions = 19, 20
		e.MaxConcurrentCalls = q.Tenant.ConcurrentCalls // its other name
	})
	w.quotaOf(tool.LocalTenant, tool.Quota{Tools: 18})
	of := ann
	of.Tenant = tool.LocalTenant
	if _, err := w.Forge(t.Context(), of, request(t, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.call(of, "add_numbers", `{"a":1,"b":2}`); err != nil {
		t.Fatal(err)
	}
	u, err := w.Usage(t.Context(), of)
	w.must(err)
	for _, of := range []struct {
		limits []tool.Gauge
		want   string
	}{
		{u.Tenant, "concurrentCalls memoryMB callsPerMinute fuelPerMinute waitingCalls tools toolBytes sessions forgesPerDay judgeTokensPerDay judgeCostPerDay"},
		{u.Persona, "concurrentCalls memoryMB callsPerMinute fuelPerMinute maxAgentTools sessions forgesPerDay judgeTokensPerDay judgeCostPerDay"},
		{u.Session, "maxCallsPerMinute maxSessionTools maxForgeAttemptsPerSession maxJudgeTokensPerSession"},
	} {
		if got := names(of.limits); got != of.want {
			t.Errorf("got %s\nwant %s", got, of.want)
		}
		for _, l := range of.limits {
			if l.Used < 0 || l.Most <= 0 {
				t.Errorf("%+v", l)
			}
		}
	}
	for want, got := range map[tool.Gauge]tool.Gauge{
		{Limit: "concurrentCalls", Most: 2}:                        gauge(u.Tenant, "concurrentCalls"),
		{Limit: "waitingCalls", Most: 15}:                          gauge(u.Tenant, "waitingCalls"),
		{Limit: "tools", Used: 1, Most: 18}:                        gauge(u.Tenant, "tools"),
		{Limit: "sessions", Used: 1, Most: 19}:                     gauge(u.Tenant, "sessions"),
		{Limit: "sessions", Used: 1, Most: 20}:                     gauge(u.Persona, "sessions"),
		{Limit: "callsPerMinute", Used: 1, Most: 16}:               gauge(u.Persona, "callsPerMinute"),
		{Limit: "forgesPerDay", Used: 1, Most: 17}:                 gauge(u.Persona, "forgesPerDay"),
		{Limit: "maxAgentTools", Most: 13}:                         gauge(u.Persona, "maxAgentTools"),
		{Limit: "maxCallsPerMinute", Used: 1, Most: 11}:            gauge(u.Session, "maxCallsPerMinute"),
		{Limit: "maxSessionTools", Used: 1, Most: 12}:              gauge(u.Session, "maxSessionTools"),
		{Limit: "maxForgeAttemptsPerSession", Used: 1, Most: 14}:   gauge(u.Session, "maxForgeAttemptsPerSession"),
		{Limit: "judgeTokensPerDay", Used: tokensOf(u), Most: 1e6}: gauge(u.Tenant, "judgeTokensPerDay"),
	} {
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if fuel := gauge(u.Tenant, "fuelPerMinute"); fuel.Used == 0 {
		t.Errorf("trials and calls have used no fuel: %+v", fuel)
	}
}

// tokensOf is what the session has used of models, which nobody else has.
func tokensOf(u tool.Usage) float64 { return gauge(u.Session, "maxJudgeTokensPerSession").Used }

// A refusal names a limit of the usage, of which all is used.
func TestUsageAgreesWithRefusals(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Config.EmergentConfig.MaxCallsPerMinute = 3
		o.Tools = []runtime.Tool{ownTool("echo", ``, func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) { return call.Input, nil })}
	})
	for range 3 {
		if _, err := w.call(ann, "echo", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.call(ann, "echo", `{}`)
	u, failed := w.Usage(t.Context(), ann)
	w.must(failed)
	if l := gauge(u.Session, tool.AsError(err).Limit); l.Used != 3 || l.Most != 3 {
		t.Errorf("%v, and of that limit it is %+v", err, l)
	}
}

// What runs is seen while it runs.
func TestUsageOfRunningCalls(t *testing.T) {
	t.Parallel()
	began, leave := make(chan struct{}), make(chan struct{})
	w := open(t, "", nil, func(o *toolsmith.Options) {
		o.Tools = []runtime.Tool{ownTool("hang", ``, func(_ context.Context, call *runtime.Invocation) (json.RawMessage, error) {
			close(began)
			<-leave
			return call.Input, nil
		})}
	})
	ended := make(chan error, 1)
	go func() { _, err := w.Call(context.Background(), ann, "hang", json.RawMessage(`{}`)); ended <- err }()
	running := func() float64 {
		u, err := w.Usage(t.Context(), ann)
		w.must(err)
		return gauge(u.Persona, "concurrentCalls").Used
	}
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Fatal("the call does not begin")
	}
	if got := running(); got != 1 {
		t.Errorf("%v calls run", got)
	}
	close(leave)
	w.must(<-ended)
	if got := running(); got != 0 {
		t.Errorf("%v calls run afterwards", got)
	}
}

func TestUsageRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil, nil)
	_, err := w.Usage(t.Context(), tool.Caller{Tenant: "acme"})
	w.wants("nobody", err, tool.InvalidRequest, "")
	w.close()
	if _, err = w.Usage(t.Context(), ann); !errors.Is(err, tool.Unavailable) {
		t.Errorf("a closed host: %v", err)
	}
}
