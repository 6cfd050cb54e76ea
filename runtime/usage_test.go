package runtime

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// uses is a usage in words, without what is used of nothing.
func (d *door) uses(c tool.Caller) string {
	u := d.usage(c, d.now)
	var all []string
	for _, of := range []struct {
		name   string
		limits []tool.Gauge
	}{{"tenant", u.Tenant}, {"persona", u.Persona}, {"session", u.Session}} {
		for _, l := range of.limits {
			if l.Used > 0 {
				all = append(all, fmt.Sprintf("%s %s %v/%v", of.name, l.Limit, l.Used, l.Most))
			}
		}
	}
	return strings.Join(all, ", ")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{
		Quota:        all(tool.Quota{ConcurrentCalls: 2, MemoryMB: 300, CallsPerMinute: 10, FuelPerMinute: 1000}),
		PersonaQuota: tool.Quota{ConcurrentCalls: 20, MemoryMB: 200, CallsPerMinute: 11, FuelPerMinute: 100},
		Admission:    Admission{Running: 100, Waiting: 7}, SessionCallsPerMinute: 5,
	})
	ann, helper, bob := who("acme", "ann", "1"), who("acme", "ann/helper", "1"), who("acme", "bob", "1")
	at, _, err := d.knock(ann, 3<<19)
	if err != nil || d.outcomes(bob, 64<<20, 2) != "in waits" {
		t.Fatal(err)
	}
	d.charge(helper, 30, d.now)
	const tenant = "tenant concurrentCalls 2/2, tenant memoryMB 65.5/300, tenant callsPerMinute 3/10, tenant fuelPerMinute 30/1000, tenant waitingCalls 1/7, "
	const persona = "persona concurrentCalls 1/20, persona memoryMB 1.5/200, persona callsPerMinute 1/11, persona fuelPerMinute 30/100"
	for name, c := range map[string]struct {
		of   tool.Caller
		want string
	}{
		"ann/1":          {ann, tenant + persona + ", session maxCallsPerMinute 1/5"},
		"a specialist":   {helper, tenant + persona + ", session maxCallsPerMinute 1/5"},
		"a session anew": {who("acme", "ann", "2"), tenant + persona},
		"a persona anew": {who("acme", "eve", "1"), strings.TrimSuffix(tenant, ", ")},
		"another tenant": {who("evil", "ann", "1"), ""},
	} {
		if got := d.uses(c.of); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	d.leave(at, 70, d.now)
	if got := d.uses(ann); !strings.Contains(got, "persona callsPerMinute 1/11, persona fuelPerMinute 100/100") || strings.Contains(got, "persona concurrentCalls") {
		t.Errorf("after the call: %s", got)
	}
	d.now = d.now.Add(forgotten)
	if got := d.uses(ann); got != "tenant concurrentCalls 2/2, tenant memoryMB 128/300" { // bob's, for which there is room now
		t.Errorf("after a minute: %s", got)
	}
}

// Whoever has called nothing yet sees all limits, those that are set for the tenant now, and is not remembered for looking.
func TestUsageMakesNoAccount(t *testing.T) {
	t.Parallel()
	quota := tool.Quota{ConcurrentCalls: 50, MemoryMB: 1, CallsPerMinute: 3, FuelPerMinute: 4}
	d := newDoor(HostOptions{Quota: func(string) tool.Quota { return quota }, Admission: Admission{Running: 16, Waiting: 9}})
	ann := who("acme", "ann", "1")
	want := tool.Usage{
		Tenant: []tool.Gauge{
			{Limit: "runningCalls", Most: 12},
			{Limit: "memoryMB", Most: 4},
			{Limit: "callsPerMinute", Most: 3},
			{Limit: "fuelPerMinute", Most: 4},
			{Limit: "waitingCalls", Most: 9},
		},
		Persona: []tool.Gauge{
			{Limit: "concurrentCalls", Most: 64}, {Limit: "memoryMB", Most: 4096}, {Limit: "callsPerMinute", Most: 30_000}, {Limit: "fuelPerMinute", Most: 30e9},
		},
		Session: []tool.Gauge{{Limit: "maxCallsPerMinute", Most: 6000}},
	}
	if got := d.usage(ann, d.now); !reflect.DeepEqual(got, want) || len(d.host.children) != 0 {
		t.Errorf("got %+v, and %d tenants are known", got, len(d.host.children))
	}
	d.outcomes(who("acme", "bob", "1"), 0, 1)
	quota.CallsPerMinute = 2
	want.Tenant[0].Used, want.Tenant[2] = 1, tool.Gauge{Limit: "callsPerMinute", Used: 1, Most: 2}
	if got := d.usage(ann, d.now); !reflect.DeepEqual(got, want) || len(d.host.children["acme"].children) != 1 {
		t.Errorf("got %+v", got)
	}
	seen := d.now
	for range 3 { // looking keeps nobody in mind
		d.now = d.now.Add(30 * time.Second)
		d.usage(who("acme", "bob", "1"), d.now)
	}
	if tenant := d.host.children["acme"]; !tenant.seen.Equal(seen) {
		t.Errorf("the tenant was seen at %v", tenant.seen)
	}
}

// Those that are counted together see what is counted.
func TestUsageBeyondThoseKept(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Quota: all(tool.Quota{CallsPerMinute: 1e6, ConcurrentCalls: 1e6}), PersonaQuota: tool.Quota{ConcurrentCalls: 1e6}, Admission: Admission{Running: 1e6}})
	for i := range maxKept {
		d.outcomes(who("acme", "ann", fmt.Sprint(i)), 0, 1)
	}
	late, later := who("acme", "ann", "late"), who("acme", "ann", "later")
	if u := d.usage(late, d.now); u.Session[0].Used > 1 {
		t.Errorf("%+v", u.Session)
	}
	d.outcomes(late, 0, 3)
	for _, c := range []tool.Caller{late, later} {
		if u := d.usage(c, d.now); u.Session[0].Used < 3 {
			t.Errorf("%s: %+v", c.Session, u.Session)
		}
	}
}
