package hostapi

import (
	"context"
	"sync"
)

// flights are the requests under way, by their numbers. The zero value is ready for use.
type flights struct {
	mu   sync.Mutex
	stop map[uint32]context.CancelFunc
}

// maxFlights bounds what is remembered; no call makes more requests.
const maxFlights = 10_000

// begin returns the context of a request. The caller calls end when it is over.
func (f *flights) begin(ctx context.Context, id uint32) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, aborted := f.stop[id]; aborted {
		cancel()
	}
	f.put(id, cancel)
	return ctx, func() {
		cancel()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.stop, id)
	}
}

// abort ends a request, also one that is asked for but has not begun.
func (f *flights) abort(id uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel, ok := f.stop[id]; ok {
		cancel()
	} else if len(f.stop) < maxFlights {
		f.put(id, func() {})
	}
}

func (f *flights) put(id uint32, cancel context.CancelFunc) {
	if f.stop == nil {
		f.stop = map[uint32]context.CancelFunc{}
	}
	f.stop[id] = cancel
}
