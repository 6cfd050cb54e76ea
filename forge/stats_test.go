package forge_test

import (
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"example.com/toolsmith/forge"
)

func approved(name string, confidence float64) forge.Event {
	return forge.Event{Kind: forge.Approved, Name: name, Confidence: confidence}
}

func rejected(name string, c forge.Category) forge.Event {
	return forge.Event{Kind: forge.Rejected, Name: name, Category: c}
}

// counted is what comes of events.
func counted(events ...forge.Event) forge.Counts {
	var s forge.Stats
	for _, e := range events {
		s.Record(e)
	}
	return s.Snapshot()
}

func TestT189EmptyStatistics(t *testing.T) {
	t.Parallel()
	got := counted()
	if len(got.RejectionReasons) != 6 {
		t.Errorf("there are the reasons %v", got.RejectionReasons)
	}
	for c, n := range got.RejectionReasons {
		if n != 0 {
			t.Errorf("%s is %d", c, n)
		}
	}
	got.RejectionReasons = nil
	if !reflect.DeepEqual(got, forge.Counts{}) {
		t.Errorf("got %+v", got)
	}
}

func TestT190OneApproval(t *testing.T) {
	t.Parallel()
	if got := counted(approved("alpha", 0.9)); got.Attempts != 1 || got.Approved != 1 || got.Rejected != 0 || got.ApprovedConfidenceSum != 0.9 {
		t.Errorf("got %+v", got)
	}
}

func TestT191OneRejection(t *testing.T) {
	t.Parallel()
	e := rejected("alpha", forge.JudgeCorrectness)
	e.Confidence = 0.42
	got := counted(e)
	if got.Attempts != 1 || got.Rejected != 1 || got.ApprovedConfidenceSum != 0 || got.RejectionReasons[forge.JudgeCorrectness] != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestT192ReasonsAreCounted(t *testing.T) {
	t.Parallel()
	got := counted(rejected("a", forge.ClassifyText("an extra field")), rejected("b", forge.ClassifyText("hm")), rejected("c", "of another kind"), rejected("d", ""))
	if got.RejectionReasons[forge.SchemaExtraField] != 1 || got.RejectionReasons[forge.Other] != 3 || len(got.RejectionReasons) != 6 {
		t.Errorf("got %v", got.RejectionReasons)
	}
}

func TestT193And194Names(t *testing.T) {
	t.Parallel()
	got := counted(approved("alpha", 1), approved("alpha", 1), rejected("beta", forge.Other))
	if got.UniqueNames != 2 || got.UniqueApproved != 1 || got.UniqueTerminalRejections != 1 {
		t.Errorf("T-193: got %+v", got)
	}
	for _, order := range [][]forge.Event{{rejected("gamma", forge.Other), approved("gamma", 1)}, {approved("gamma", 1), rejected("gamma", forge.Other)}} {
		if got := counted(order...); got.UniqueTerminalRejections != 0 || got.UniqueNames != 1 {
			t.Errorf("T-194: got %+v", got)
		}
	}
}

func TestT195AttemptsWithoutNames(t *testing.T) {
	t.Parallel()
	got := counted(rejected("", forge.ShapeCheck), rejected("unnamed", forge.ShapeCheck))
	if got.UniqueNames != 0 || got.UniqueTerminalRejections != 0 || got.RejectionReasons[forge.ShapeCheck] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestT196And197SnapshotAndReset(t *testing.T) {
	t.Parallel()
	var s forge.Stats
	empty := s.Snapshot()
	s.Record(rejected("alpha", forge.Other))
	got := s.Snapshot()
	got.Attempts, got.RejectionReasons[forge.Other] = 7, 7
	if again := s.Snapshot(); again.Attempts != 1 || again.RejectionReasons[forge.Other] != 1 {
		t.Errorf("T-196: got %+v", again)
	}
	s.Reset()
	if got := s.Snapshot(); !reflect.DeepEqual(got, empty) {
		t.Errorf("T-197: got %+v", got)
	}
}

func TestT198FiftyAttempts(t *testing.T) {
	t.Parallel()
	var s forge.Stats
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			if name := fmt.Sprint("tool", i); i%2 == 0 {
				s.Record(approved(name, 0.5))
			} else {
				s.Record(rejected(name, forge.Other))
			}
		})
	}
	all.Wait()
	got := s.Snapshot()
	if got.Attempts != 50 || got.Approved != 25 || got.Rejected != 25 || got.UniqueNames != 50 || math.Abs(got.ApprovedConfidenceSum-12.5) > 1e-9 {
		t.Errorf("got %+v", got)
	}
}

func TestOnlyEndsAreCounted(t *testing.T) {
	t.Parallel()
	got := counted(forge.Event{Kind: forge.Started, Name: "a"}, forge.Event{Kind: forge.Failed, Name: "a", Category: forge.Other})
	if got.Attempts != 1 || got.Rejected != 1 || got.UniqueNames != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	var s forge.Stats
	const most = 10_000
	for i := range most + 100 {
		s.Record(rejected(fmt.Sprint("tool", i), forge.Other))
	}
	s.Record(approved("tool0", 1)) // one that is known
	if got := s.Snapshot(); got.UniqueNames != most || got.Attempts != most+101 || got.UniqueApproved != 1 {
		t.Errorf("got %+v", got)
	}
}
