package hostapi

import "testing"

func TestFlights(t *testing.T) {
	t.Parallel()
	var f flights
	one, endOne := f.begin(t.Context(), 1)
	two, endTwo := f.begin(t.Context(), 2)
	f.abort(1)
	if one.Err() == nil || two.Err() != nil {
		t.Errorf("after one was aborted: %v, %v", one.Err(), two.Err())
	}
	endOne()
	endTwo()
	if two.Err() == nil || len(f.stop) != 0 {
		t.Errorf("after both have ended: %v, %d left", two.Err(), len(f.stop))
	}
	f.abort(3) // the guest may be quicker than the goroutine of the request
	three, endThree := f.begin(t.Context(), 3)
	if three.Err() == nil {
		t.Error("what was aborted before it began goes on")
	}
	endThree()
	for id := range uint32(2 * maxFlights) {
		f.abort(id)
	}
	if len(f.stop) > maxFlights {
		t.Errorf("%d numbers are remembered", len(f.stop))
	}
}
