package tool_test

import (
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

func TestToldOnceAMinute(t *testing.T) {
	t.Parallel()
	var told tool.Told[int]
	now := time.Unix(1_800_000_000, 0) // a minute begins
	for i, c := range []struct {
		what  int
		after time.Duration
		want  bool
	}{
		{1, 0, true}, {1, 0, false}, {2, 0, true}, {1, 59 * time.Second, false}, {1, time.Second, true}, {2, 0, true}, {2, 0, false},
	} {
		now = now.Add(c.after)
		if got := told.First(c.what, now); got != c.want {
			t.Errorf("%d: %d is told: %v", i, c.what, got)
		}
	}
	n := 0
	for i := range 5000 {
		if told.First(10+i, now) {
			n++
		}
	}
	if n != 998 {
		t.Errorf("%d more are told in one minute", n)
	}
}
