package cli

import (
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30d": 30 * 24 * time.Hour, "0d": 0, "24h": 24 * time.Hour, "1h30m": 90 * time.Minute, "0": 0} {
		var s span
		if err := s.Set(text); err != nil || time.Duration(s) != want {
			t.Errorf("%s is %s, %v", text, time.Duration(s), err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "1.5d", "99999999d", "1w", "30"} {
		var s span
		if err := s.Set(text); err == nil {
			t.Errorf("%q is taken for %s", text, time.Duration(s))
		}
	}
}
