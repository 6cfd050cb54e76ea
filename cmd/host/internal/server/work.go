package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// workshop knows which requests with an idempotency key are being worked on in this process. The zero value is ready.
type workshop struct {
	mu   sync.Mutex
	busy map[string]bool
}

// begin reports whether nobody else works on a request; whoever begins ends it.
func (w *workshop) begin(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy[id] {
		return false
	}
	if w.busy == nil {
		w.busy = map[string]bool{}
	}
	w.busy[id] = true
	return true
}

func (w *workshop) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, id)
}

// answer is what a request comes to.
type answer struct {
	status   int
	body     []byte // JSON
	headers  http.Header
	replayed bool // it was given before
}

// task is work for a visitor: forging, or a call.
type task struct {
	parts []string // what it is, besides the body
	// do does it. Its problem has a Result where there is something to tell.
	do func(ctx context.Context) (result any, err error)
}

// worked does a task and makes an answer of it.
func (s *Server) worked(ctx context.Context, do func(ctx context.Context) (result any, err error)) (a answer) {
	defer func() {
		if p := recover(); p != nil { // it may run apart from the goroutine that the guard stands over
			s.opt.Logger.Error("a task panicked", "panic", p)
			a = problemAnswer(problemOf(public(&tool.Error{Code: tool.Internal})))
		}
	}()
	result, err := do(ctx)
	if err == nil {
		return answer{status: http.StatusOK, body: jsonText(result)}
	}
	p := s.problem(err)
	p.Result = result
	return problemAnswer(p)
}

func problemAnswer(p *Problem) answer {
	return answer{status: p.Status, body: jsonText(p), headers: p.headers}
}

// once does a task, or gives the answer that the same request under the same key was given before. A task under a key goes on when
// its client goes away, so that the client can come back for the answer.
func (s *Server) once(ctx context.Context, v *visit, key string, t task) answer {
	if key == "" {
		return s.worked(ctx, t.do)
	}
	request := fingerprint(v, t.parts...)
	shelf, err := s.opt.Host.Shelf(ctx)
	if err != nil {
		return problemAnswer(s.problem(err))
	}
	at := tiers.AnswerRef{Tenant: v.caller.Tenant, Persona: v.caller.Persona, Key: key}
	id := strings.Join([]string{at.Tenant, at.Persona, key}, "\x00")
	if !s.work.begin(id) {
		return problemAnswer(stillWorkedOn())
	}
	defer s.work.end(id)
	given, err := shelf.BeginAnswer(ctx, at, request)
	if err != nil {
		return problemAnswer(s.problem(err))
	}
	if given != nil {
		return replay(given)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxTask)
	defer cancel()
	go shelf.HoldAnswer(ctx, at)
	done := s.worked(ctx, t.do)
	if err := keep(context.WithoutCancel(ctx), shelf, at, request, done); err != nil {
		return problemAnswer(s.problem(err))
	}
	return done
}

// maxTask bounds a task whose client may have gone away: its own limits end it before.
const maxTask = 10 * time.Minute

// keep keeps an answer for when the request is repeated. One that is none to what was asked is forgotten: it says to try again, or that
// the host has failed. That a key may not was said before; what is denied within a task may have followed effects of it.
func keep(ctx context.Context, shelf *tiers.Shelf, at tiers.AnswerRef, request string, done answer) error {
	if done.headers.Get("Retry-After") != "" || done.status == http.StatusInternalServerError {
		return shelf.DropAnswer(ctx, at)
	}
	return shelf.KeepAnswer(ctx, at, tiers.Answer{Request: request, Status: done.status, Body: done.body})
}

// replay is an answer that was given before.
func replay(given *tiers.Answer) answer {
	switch {
	case given.Working:
		return problemAnswer(stillWorkedOn())
	case given.Status == 0:
		return problemAnswer(repeated(
			"the host ended while it worked on the first request with this key: whether it took effect is not known", "look, and then use another key", 0))
	case given.Body == nil:
		return problemAnswer(repeated(
			fmt.Sprintf("the first request with this key was answered with status %d, and the answer is not kept: it was too large, or many others came after it", given.Status),
			"look what came of it; another key does it once more", 0))
	}
	return answer{status: given.Status, body: given.Body, replayed: true}
}

func stillWorkedOn() *Problem {
	return repeated("the first request with this key is still being worked on", "ask again in a while", retryAfter)
}

func repeated(message, hint string, after time.Duration) *Problem {
	return problemOf(&tool.Error{Code: tool.Collision, Message: message, Hint: hint, RetryAfter: after})
}

// fingerprint tells requests under one key apart.
func fingerprint(v *visit, parts ...string) string {
	sum := sha256.New()
	for _, part := range append(parts, v.caller.Session, string(v.body)) {
		head := sha256.Sum256([]byte(part))
		sum.Write(head[:])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// perform answers with what a task comes to: as JSON, or as events when the client asks for them. The task gets the context of the
// request, or one that outlives it when the request has a key.
func (s *Server) perform(v *visit, key string, t task) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		work := func(ctx context.Context) answer { return s.once(ctx, v, key, t) }
		if wantsEvents(r) {
			s.stream(w, r, work)
			return
		}
		writeAnswer(w, work(r.Context()))
	}}
}

// replayedHeader says that an answer was given before.
const replayedHeader = "Idempotency-Replayed"

func writeAnswer(w http.ResponseWriter, a answer) {
	h := w.Header()
	for name := range a.headers {
		h.Set(name, a.headers.Get(name))
	}
	h.Set("Content-Type", "application/json")
	if a.status != http.StatusOK {
		h.Set("Content-Type", problemType)
	}
	if a.replayed {
		h.Set(replayedHeader, "true")
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// wantsEvents reports whether the client would rather have events than JSON.
func wantsEvents(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept"), ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.TrimSpace(kind) {
		case eventType:
			return true
		case "application/json", "*/*":
			return false
		}
	}
	return false
}
