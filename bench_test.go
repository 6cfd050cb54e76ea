package toolsmith_test

import (
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/runtime"
)

// The whole path of a call to a registered tool, beside the sandbox call that is in the middle of it.
func BenchmarkCall(b *testing.B) {
	const code = "function execute({ a, b }) { return { sum: a + b } }"
	input := []byte(`{"a":1,"b":2}`)
	b.Run("path", func(b *testing.B) {
		w := open(b, "", approveAll, func(opt *toolsmith.Options) { opt.Config.EmergentConfig.MaxCallsPerMinute = 1_000_000 })
		if _, err := w.Forge(b.Context(), ann, request(b, nil)); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := w.Call(b.Context(), ann, "add_numbers", input); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sandbox", func(b *testing.B) {
		engine, err := box()
		if err != nil {
			b.Fatal(err)
		}
		prepared, err := engine.Prepare(b.Context(), runtime.Request{Code: code})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := prepared.Call(b.Context(), runtime.Inputs{Input: input}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
