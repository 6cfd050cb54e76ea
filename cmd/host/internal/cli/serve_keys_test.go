package cli

import (
	"context"
	"errors"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

// After a loss it is looked again until a look succeeds, and what is seen of a key is remembered.
func TestKeysAreLookedForAfterALoss(t *testing.T) {
	t.Parallel()
	looks, has, failure := 0, false, error(nil)
	k := &keyWatch{has: func(context.Context) (bool, error) { looks++; return has, failure }}
	down := errors.New("the store is down")
	for i, step := range []struct {
		before func()
		want   bool
		err    error
		looks  int
	}{
		{func() {}, false, nil, 0},
		{k.lost, false, nil, 1},
		{func() {}, false, nil, 1},
		{func() { k.lost(); failure = down }, false, down, 2},
		{func() {}, false, down, 3},
		{func() { failure, has = nil, true }, true, nil, 4},
		{func() { k.lost(); failure = down }, true, nil, 4},
	} {
		step.before()
		if got, err := k.needed(t.Context()); got != step.want || !errors.Is(err, step.err) || looks != step.looks {
			t.Errorf("step %d: %v, %v after %d looks", i, got, err, looks)
		}
	}
}

func TestKeysThatAreMadeAreNeeded(t *testing.T) {
	t.Parallel()
	for event, want := range map[tool.EventType]bool{tool.KeyCreated: true, tool.TenantCreated: true, tool.Registered: false} {
		var k keyWatch
		k.audited(tool.AuditEvent{EventType: event})
		if got, err := k.needed(t.Context()); got != want || err != nil {
			t.Errorf("%s: %v, %v", event, got, err)
		}
	}
}

// Who asks does not wait for the look of another, which the store does not answer; and what is lost while somebody looks is looked for.
func TestLooksForKeysAreApart(t *testing.T) {
	t.Parallel()
	begun, answer := make(chan struct{}), make(chan struct{})
	first := true
	k := &keyWatch{}
	k.has = func(context.Context) (bool, error) {
		if !first {
			return false, nil
		}
		first = false
		close(begun)
		<-answer
		return false, nil
	}
	k.lost()
	done := make(chan error)
	go func() { _, err := k.needed(t.Context()); done <- err }()
	<-begun
	if got, err := k.needed(t.Context()); got || err != nil { // hangs if it waits
		t.Errorf("%v, %v", got, err)
	}
	k.lost()
	close(answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
	looks := 0
	k.has = func(context.Context) (bool, error) { looks++; return true, nil }
	if got, err := k.needed(t.Context()); !got || err != nil || looks != 1 {
		t.Errorf("after a loss during a look: %v, %v, %d looks", got, err, looks)
	}
}
