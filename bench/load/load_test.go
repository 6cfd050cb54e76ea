package load_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith/bench/load"
)

// target is a server that answers as say does.
func target(t *testing.T, say http.HandlerFunc) load.Target {
	t.Helper()
	server := httptest.NewServer(say)
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	return load.Target{Address: address, Requests: [][]byte{load.Post(address, "/call", "key", []byte(`{}`))}, Want: []byte("good")}
}

func TestClosedCountsAnswersByTheirKind(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	to := target(t, func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) % 4 {
		case 0:
			w.WriteHeader(http.StatusTooManyRequests)
		case 1:
			_, _ = w.Write([]byte("bad"))
		default:
			if r.URL.Path != "/call" || r.Header.Get("Authorization") != "Bearer key" {
				t.Errorf("asked for %s with %v", r.URL, r.Header)
			}
			_, _ = w.Write([]byte("good"))
		}
	})
	tally := load.Closed(t.Context(), to, 3, 100*time.Millisecond)
	served, refused := tally.Served.N(), tally.Refused.N()
	if served == 0 || refused == 0 || tally.Failed == 0 || served+refused+tally.Failed != int(asked.Load()) {
		t.Errorf("of %d, %d were served, %d refused and %d failed", asked.Load(), served, refused, tally.Failed)
	}
	if !strings.Contains(tally.Complaint, "bad") {
		t.Errorf("the complaint is %q", tally.Complaint)
	}
}

// A server that stops for a while is charged for every request that was due meanwhile.
func TestOpenLeavesNoWaitOut(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	to := target(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			time.Sleep(300 * time.Millisecond)
		}
		_, _ = w.Write([]byte("good"))
	})
	arrivals := make([]time.Duration, 20)
	for i := range arrivals {
		arrivals[i] = time.Duration(i) * time.Millisecond
	}
	tally := load.Open(t.Context(), to, load.Dial(t.Context(), to.Address, 1), arrivals)
	if got := tally.Served.Percentile(0.1); tally.Served.N() != 20 || got < 250e6 {
		t.Errorf("%d were served, the tenth percentile is %v ns", tally.Served.N(), got)
	}
}

func TestArrivalsAreFixed(t *testing.T) {
	t.Parallel()
	a := load.Arrivals(1000, time.Second, 1)
	if len(a) < 850 || len(a) > 1150 || !slices.IsSorted(a) || a[len(a)-1] >= time.Second {
		t.Errorf("%d arrivals up to %v", len(a), a[len(a)-1])
	}
	if !slices.Equal(a, load.Arrivals(1000, time.Second, 1)) || slices.Equal(a, load.Arrivals(1000, time.Second, 2)) {
		t.Error("the seed does not say which")
	}
}

func TestClientsGiveUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	to := target(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then a server does not notice that its client is gone
		cancel()
		<-r.Context().Done()
	})
	tally := load.Closed(ctx, to, 2, time.Hour)
	if tally.Served.N() != 0 || tally.Failed != 0 {
		t.Errorf("got %d served and %d failed", tally.Served.N(), tally.Failed)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	tally := load.Open(t.Context(), load.Target{Requests: [][]byte{nil}}, load.Dial(t.Context(), l.Addr().String(), 1), make([]time.Duration, 3))
	if tally.Failed != 3 || tally.Complaint == "" {
		t.Errorf("%d failed: %s", tally.Failed, tally.Complaint)
	}
}
