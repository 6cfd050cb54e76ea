package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/telemetry"
)

// BenchmarkCall is what a call of a small tool costs a server: with a key, metrics and a store on disk, and without a network.
func BenchmarkCall(b *testing.B) { benchmarkCalls(b, 1_000_000, http.StatusOK) }

// BenchmarkRefused is what a call costs that is over a quota.
func BenchmarkRefused(b *testing.B) { benchmarkCalls(b, 1, http.StatusTooManyRequests) }

func benchmarkCalls(b *testing.B, callsPerMinute, want int) {
	b.Helper()
	told, err := telemetry.New(b.Context(), telemetry.Options{Getenv: func(string) string { return "" }, Log: hclog.New(&hclog.LoggerOptions{Level: hclog.Off})})
	if err != nil {
		b.Fatal(err)
	}
	h := openHouse(b, b.TempDir(), func(o *toolsmith.Options) {
		o.Config.EmergentConfig.MaxCallsPerMinute = callsPerMinute
		tenant, persona := &o.Config.Quotas.Tenant, &o.Config.Quotas.Persona
		tenant.CallsPerMinute, persona.CallsPerMinute = 10_000_000, 10_000_000
		tenant.FuelPerMinute, persona.FuelPerMinute = 1e15, 1e15
		told.Observe(o)
	})
	handler, key := told.Middleware(h.server.Handler()), h.key(holder{"local", "ann", "ann", "call,forge"})
	post := func(path, body string) int {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		return answer.Code
	}
	if got := post("/v1/forge", request(b, "add", adding)); got != http.StatusOK {
		b.Fatalf("forging: status %d", got)
	}
	const path, input = "/v1/tools/add/call", `{"a":1,"b":2}`
	post(path, input) // which the least quota allows
	b.ReportAllocs()
	for b.Loop() {
		if got := post(path, input); got != want {
			b.Fatalf("status %d, want %d", got, want)
		}
	}
}
