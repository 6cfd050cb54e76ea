package cli

import (
	"net"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

func TestKeysThatEndSoonAreToldOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	in := func(days int) *tool.Time { at := tool.At(now.Add(time.Duration(days) * 24 * time.Hour)); return &at }
	for name, c := range map[string]struct {
		keys         []tiers.Key
		detail, hint string
		suspended    []string
	}{
		"none":     {nil, "none: everybody on this machine is the tenant local", "", nil},
		"for good": {[]tiers.Key{{ID: "a", Tenant: "acme"}, {ID: "b", Tenant: "shop", ExpiresAt: in(8)}}, "2 work, tenants: 2", "", nil},
		"refused": {
			[]tiers.Key{{ID: "a", Tenant: "acme"}, {ID: "b", Tenant: "shop"}},
			"2 work, tenants: 2; refused, because their tenants are suspended: all of acme, shop", "",
			[]string{"acme", "shop"},
		},
		"not for long": {
			[]tiers.Key{{ID: "a", Tenant: "acme", ExpiresAt: in(6)}, {ID: "b", Tenant: "acme"}},
			"2 work, tenants: 1; ending within 7 days: 1",
			"make others with tenant key create: a of acme ends 2026-01-07 00:00:00Z", nil,
		},
		"many": {
			[]tiers.Key{{ID: "a", ExpiresAt: in(1)}, {ID: "b", ExpiresAt: in(1)}, {ID: "c", ExpiresAt: in(1)}, {ID: "d", ExpiresAt: in(1)}},
			"4 work, tenants: 1; ending within 7 days: 4", ", and 1 more", nil,
		},
	} {
		found := &stored{keys: c.keys, tenants: []tiers.Tenant{{Name: "local"}}}
		for _, name := range c.suspended {
			found.tenants = append(found.tenants, tiers.Tenant{Name: name, Suspended: &tiers.TenantSuspension{}})
		}
		got := found.checkKeys(now)
		if !got.OK || got.Detail != c.detail || !strings.HasSuffix(got.Hint, c.hint) || (c.hint == "") != (got.Hint == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAnAddressThatIsInUse(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if c := checkListen(t.Context(), l.Addr().String(), &stored{}); c.OK || !strings.Contains(c.Hint, "another address") {
		t.Errorf("of nobody knows whom: %+v", c)
	}
	if c := checkListen(t.Context(), l.Addr().String(), &stored{holder: "process 12"}); !c.OK || !strings.Contains(c.Detail, "process 12") {
		t.Errorf("of the holder: %+v", c)
	}
	if c := checkTraces(t.Context(), func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:secret@" + l.Addr().String()}[name]
	}); !c.OK || c.Hint != "" || strings.Contains(c.Detail, "secret") {
		t.Errorf("a collector: %+v", c)
	}
}
