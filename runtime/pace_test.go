package runtime

import (
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// A queue is as long as its calls are short: whoever would come near to the longest wait is refused at once.
func TestWhoWouldWaitForTooLongIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(HostOptions{Admission: Admission{Running: 1, Waiting: 100, Wait: time.Second}})
	ann := who("acme", "ann", "1")
	running, _, _ := d.knock(ann, 0)
	if got, want := d.outcomes(ann, 0, 5), "waits waits waits waits waits"; got != want {
		t.Fatalf("before anything is known: %s, want %s", got, want)
	}
	for range 4 { // the first of them begins to count
		d.now = d.now.Add(200 * time.Millisecond)
		d.leave(running, 0, d.now)
	}
	if got, want := d.outcomes(ann, 0, 2), "waits waitingCalls"; got != want {
		t.Errorf("with one waiting and five served a second: %s, want %s", got, want)
	}
	_, _, err := d.knock(ann, 0)
	const want = `waitingCalls: 2 calls of the tenant "acme" wait for others to end, and one more would for about 600ms, which is too close to the 1s that it may`
	if e := tool.AsError(err); e.Message != want {
		t.Errorf("got %s, want %s", e.Message, want)
	}
	if got, want := d.outcomes(who("bolt", "bob", "1"), 0, 1), "waits"; got != want {
		t.Errorf("another tenant: %s, want %s", got, want)
	}
	for range 3 {
		d.leave(running, 0, d.now)
	}
	if got, want := d.outcomes(ann, 0, 4), "waits waits waits waits"; got != want {
		t.Errorf("once the queue was empty: %s, want %s", got, want)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Unix(6000, 0)
	p.next(now)
	if got := p.of(1000); got != 0 {
		t.Errorf("after one: %v", got)
	}
	p.next(now.Add(-time.Second)) // a clock that is set back
	for range 200 {
		now = now.Add(10 * time.Millisecond)
		p.next(now)
	}
	if got := p.of(3); got < 29*time.Millisecond || got > 31*time.Millisecond {
		t.Errorf("three at a hundred a second: %v", got)
	}
}
