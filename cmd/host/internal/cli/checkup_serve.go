package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/cmd/host/internal/telemetry"
	"example.com/toolsmith/runtime/config"
	"example.com/toolsmith/runtime/tool"
)

// checkListen says whether the address of the configuration can be served. One that is in use while another process holds the store
// is taken for that process's.
func checkListen(ctx context.Context, address string, s *stored) check {
	err := tryListen(ctx, address, len(s.keys) > 0)
	switch {
	case err == nil:
		return inTheOpen(check{Name: "listen", OK: true, Detail: address + " can be served"}, address)
	case errors.Is(err, syscall.EADDRINUSE) && s.holder != "":
		return check{Name: "listen", OK: true, Detail: address + " is in use; " + s.holder + " is the one that holds the store"}
	}
	return broken("listen", err, tool.AsError(err).Hint)
}

// inTheOpen adds to a check of an address that other machines reach that keys are read by others on their way there without TLS.
func inTheOpen(c check, address string) check {
	if !server.Loopback(address) {
		c.Detail += ", to other machines, too; without TLS, keys can be read on their way"
		c.Hint = "have host serve use --tls-cert and --tls-key, or put something before it that ends TLS"
	}
	return c
}

// tryListen listens for a moment, and tries again for a second: another doctor may do the same.
func tryListen(ctx context.Context, address string, keyed bool) error {
	const tries, pause = 20, 50 * time.Millisecond
	for n := 1; ; n++ {
		l, err := server.Listen(ctx, address, keyed, nil)
		if err == nil {
			return l.Close()
		}
		if n == tries || !errors.Is(err, syscall.EADDRINUSE) {
			return err
		}
		time.Sleep(pause)
	}
}

// checkQuotas says which quotas and limits do not go together. None keeps a host from running.
func checkQuotas(c config.Config, s *stored) check {
	wrong := append(tooSmall(c, "of each tenant", c.Quotas.Tenant.Quota()), tooSmall(c, "of each persona", c.Quotas.Persona.Quota())...)
	if s != nil {
		for _, t := range s.tenants {
			wrong = append(wrong, tooSmall(c, "of the tenant "+t.Name, t.Quota)...)
		}
	}
	tenant, persona := c.Quotas.Tenant.Quota(), c.Quotas.Persona.Quota()
	for _, q := range []struct {
		name            string
		persona, tenant float64
	}{
		{"concurrentCalls", float64(persona.ConcurrentCalls), float64(tenant.ConcurrentCalls)},
		{"callsPerMinute", float64(persona.CallsPerMinute), float64(tenant.CallsPerMinute)},
		{"fuelPerMinute", float64(persona.FuelPerMinute), float64(tenant.FuelPerMinute)},
		{"memoryMB", float64(persona.MemoryMB), float64(tenant.MemoryMB)},
		{"forgesPerDay", float64(persona.ForgesPerDay), float64(tenant.ForgesPerDay)},
		{"judgeTokensPerDay", float64(persona.JudgeTokensPerDay), float64(tenant.JudgeTokensPerDay)},
		{"judgeCostPerDay", persona.JudgeCostPerDay, tenant.JudgeCostPerDay},
	} {
		if q.persona > q.tenant {
			wrong = append(wrong, "quotas.persona."+q.name+" is more than all of a tenant may use")
		}
	}
	if len(wrong) == 0 {
		return check{Name: "quotas", OK: true, Detail: "they leave room for the limits of calls"}
	}
	return check{Name: "quotas", OK: true, Detail: strings.Join(wrong, "; "), Hint: "raise the quota, or lower limits or the quota of personas, in the configuration"}
}

// tooSmall says in what a quota, whose zero fields bind nothing, is smaller than what one call may take.
func tooSmall(c config.Config, whose string, q tool.Quota) (wrong []string) {
	limits := c.CallLimits()
	if q.MemoryMB > 0 && uint64(q.MemoryMB)<<20 < limits.MemoryBytes {
		wrong = append(wrong, fmt.Sprintf("the memory %s, %d MB, is less than the %d MB that a call may take", whose, q.MemoryMB, limits.MemoryBytes>>20))
	}
	if q.FuelPerMinute > 0 && uint64(q.FuelPerMinute) < limits.Fuel {
		wrong = append(wrong, fmt.Sprintf("the fuel per minute %s, %d, is less than the %d that a call may take", whose, q.FuelPerMinute, limits.Fuel))
	}
	return wrong
}

// checkTraces says where traces go. That nobody takes them there is no fault of the host, which serves without.
func checkTraces(ctx context.Context, getenv func(string) string) check {
	to, err := telemetry.Endpoint(getenv)
	switch {
	case err != nil:
		return broken("traces", err, tool.AsError(err).Hint)
	case to == nil:
		return check{Name: "traces", OK: true, Detail: "they are not exported"}
	}
	c := check{Name: "traces", OK: true, Detail: to.Redacted() + ", where somebody listens"}
	if !listens(ctx, to) {
		c.Detail = to.Redacted() + ", where nobody listens: they are lost"
		c.Hint = "start the collector, or mend or unset OTEL_EXPORTER_OTLP_ENDPOINT"
	}
	return c
}

// listens reports whether somebody takes connections at an address.
func listens(ctx context.Context, at *url.URL) bool {
	port := at.Port()
	if port == "" {
		port = at.Scheme // which names its port
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(at.Hostname(), port))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
