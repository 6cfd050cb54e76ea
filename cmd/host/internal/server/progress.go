package server

import (
	"context"
	"net/http"
	"time"

	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/wasmjs"
)

// maxProgress is how many events may wait for a client; what comes then is not told. It is more than a request to forge comes to.
const maxProgress = 256

type stageEvent struct {
	Stage forge.Stage `json:"stage"`
}

type startedEvent struct {
	Tool string `json:"tool"`
}

// progressKey is the key under which a context says who is told how work goes on.
type progressKey struct{}

// progress tells whoever waits for an answer as events how the work for it goes on.
func progress(ctx context.Context, name string, data any) {
	if tell, ok := ctx.Value(progressKey{}).(func(event)); ok {
		tell(event{name: name, data: data})
	}
}

// withProgress returns a context in which work tells of its progress.
func withProgress(ctx context.Context, tell func(event)) context.Context {
	ctx = context.WithValue(ctx, progressKey{}, tell)
	ctx = runtime.WithLogs(ctx, func(line wasmjs.Log) { progress(ctx, "log", line) })
	return forge.WithStages(ctx, func(_ string, stage forge.Stage) { progress(ctx, "stage", stageEvent{stage}) })
}

// stream does work and tells of it as events: how it goes on, and then the result or the problem. The head of the answer is not sent
// before the first of them, since it says whether the answer was given before.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, work func(context.Context) answer) {
	waiting := make(chan event, maxProgress)
	ctx := withProgress(r.Context(), func(e event) {
		select {
		case waiting <- e:
		default: // the client is slow, and the result is what counts
		}
	})
	done := make(chan answer, 1)
	go func() { done <- work(ctx) }()
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	var out *stream
	var failed error
	send := func(write func(*stream) error) {
		if out == nil {
			out = newStream(w)
		}
		if failed == nil {
			failed = write(out)
		}
	}
	for {
		select {
		case e := <-waiting:
			send(e.to)
		case <-tick.C:
			send((*stream).beat)
		case a := <-done: // even with nobody there, the work is waited for
			for len(waiting) > 0 {
				send((<-waiting).to)
			}
			if a.replayed { // nothing was told before
				w.Header().Set(replayedHeader, "true")
			}
			send(event{name: a.event(), text: a.body}.to)
			return
		}
	}
}

func (a answer) event() string {
	if a.status == http.StatusOK {
		return "result"
	}
	return "problem"
}
