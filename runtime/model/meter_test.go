package model_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// used is a step that takes tokens.
func used(name string, in, out int64) model.Step {
	return model.Step{Reply: model.Reply{Text: "x", Model: name, Usage: model.Usage{InputTokens: in, OutputTokens: out}}}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	meter, err := model.NewMeter(model.MeterOptions{Prices: model.Prices{
		"small": {Input: 1, Output: 2}, "small-new": {Input: 10}, "big": {Input: 3, Output: 50},
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := meter.Wrap("a", model.NewScripted(
		used("small", 1e6, 1e6), used("small-new-2026", 1e6, 1e6), used("unheard-of", 1e6, 1e6), model.Say("12345"), model.Fail(tool.Timeout, ""),
	))
	for range 5 {
		_, _ = m.Chat(t.Context(), hello)
	}
	if _, err := meter.Wrap("b", model.NewScripted(used("small", 1, 1))).Chat(t.Context(), hello); err != nil {
		t.Error(err)
	}
	want := map[string]model.Spent{ // "hello" is guessed to be 2 tokens, and so is "12345"
		"a": {Calls: 5, Failures: 1, Usage: model.Usage{InputTokens: 3e6 + 2, OutputTokens: 3e6 + 2}, Cost: 3 + 10 + 60 + 2*60e-6},
		"b": {Calls: 1, Usage: model.Usage{InputTokens: 1, OutputTokens: 1}, Cost: 3e-6},
	}
	close := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, meter.Spent(), close); diff != "" {
		t.Errorf("spent (-want +got):\n%s", diff)
	}
}

// A cap of zero is a default, never none.
func TestCostHasADefaultCap(t *testing.T) {
	t.Parallel()
	meter, err := model.NewMeter(model.MeterOptions{Prices: model.Prices{"m": {Input: 5e6}}})
	if err != nil {
		t.Fatal(err)
	}
	m := meter.Wrap("a", model.NewScripted(used("m", 10, 10), used("m", 10, 10), used("m", 10, 10)))
	for range 2 {
		if _, err := m.Chat(t.Context(), hello); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.Chat(t.Context(), hello); code(err) != tool.OverQuota || !strings.Contains(err.Error(), "100.00 are allowed") {
		t.Errorf("error %v", err)
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cap  model.Cap
		says string
	}{
		"calls":  {model.Cap{Calls: 2, Per: time.Hour}, "asked 2 times"},
		"tokens": {model.Cap{Tokens: 30, Per: time.Hour}, "40 tokens"},
		"cost":   {model.Cap{Cost: 1, Per: time.Hour}, "cost 1.40 USD"},
	} {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		meter, err := model.NewMeter(model.MeterOptions{
			Caps: map[string]model.Cap{"a": c.cap}, Prices: model.Prices{"m": {Input: 7e4}}, Now: func() time.Time { return now },
		})
		if err != nil {
			t.Fatal(err)
		}
		m := meter.Wrap("a", model.NewScripted(used("m", 10, 10), used("m", 10, 10), used("m", 10, 10)))
		for range 2 {
			if _, err := m.Chat(t.Context(), hello); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err = m.Chat(t.Context(), hello)
		if code(err) != tool.OverQuota || !strings.Contains(err.Error(), c.says) || !strings.Contains(tool.AsError(err).Hint, "2026-01-01T01:00:00Z") {
			t.Errorf("%s: error %v (hint %q), want one that says %q", name, err, tool.AsError(err).Hint, c.says)
		}
		now = now.Add(time.Hour)
		if _, err := m.Chat(t.Context(), hello); err != nil {
			t.Errorf("%s, an hour later: %v", name, err)
		}
		if got := meter.Spent()["a"]; got.Calls != 3 || got.Refused != 1 {
			t.Errorf("%s: spent %+v", name, got)
		}
	}
}

func TestBadCaps(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]model.MeterOptions{
		"calls below zero":    {Other: model.Cap{Calls: -1}},
		"tokens below zero":   {Caps: map[string]model.Cap{"a": {Tokens: -1}}},
		"cost that is none":   {Other: model.Cap{Cost: math.NaN()}},
		"cost without prices": {Other: model.Cap{Cost: 1}},
		"price below zero":    {Prices: model.Prices{"m": {Input: -1}}},
	} {
		if _, err := model.NewMeter(opt); code(err) != tool.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMeterAtOnce(t *testing.T) {
	t.Parallel()
	meter, err := model.NewMeter(model.MeterOptions{Other: model.Cap{Calls: 50}})
	if err != nil {
		t.Fatal(err)
	}
	steps := make([]model.Step, 100)
	for i := range steps {
		steps[i] = used("m", 1, 1)
	}
	m := meter.Wrap("a", model.NewScripted(steps...))
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			_, _ = m.Chat(t.Context(), hello)
			meter.Spent()
		})
	}
	group.Wait()
	want := map[string]model.Spent{"a": {Calls: 50, Refused: 50, Usage: model.Usage{InputTokens: 50, OutputTokens: 50}}}
	if diff := cmp.Diff(want, meter.Spent()); diff != "" {
		t.Errorf("spent (-want +got):\n%s", diff)
	}
}
