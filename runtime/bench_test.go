package runtime_test

import (
	"context"
	"encoding/json"
	"testing"

	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
)

// What the way to a tool's body costs: of a tool of the host that does nothing, alone and from all processors.
func BenchmarkCall(b *testing.B) {
	h, err := runtime.NewHost(open(b), runtime.HostOptions{
		SessionCallsPerMinute: 1e12, PersonaQuota: tool.Quota{CallsPerMinute: 1e12},
		Quota: func(string) tool.Quota { return tool.Quota{CallsPerMinute: 1e12} },
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := h.Register(hostTool("echo", anyObject, "", func(in json.RawMessage) (json.RawMessage, error) { return in, nil })); err != nil {
		b.Fatal(err)
	}
	call := func(b *testing.B) {
		b.Helper()
		if _, err := h.Call(context.Background(), ann.Caller, "echo", json.RawMessage(`{}`)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call(b)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				call(b)
			}
		})
	})
}
