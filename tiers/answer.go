package tiers

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// AnswerRef names the answer to a request that its sender gave a key, so that repeating it does not do it again.
type AnswerRef struct{ Tenant, Persona, Key string }

// Answer is what a request was answered.
type Answer struct {
	Request string    `json:"request"`        // a hash that tells requests under one key apart
	Status  int       `json:"status"`         // 0 while there is none
	Body    []byte    `json:"body,omitempty"` // nil when it is too large to be kept, or is kept no longer
	At      tool.Time `json:"at"`
	Until   tool.Time `json:"until,omitzero"` // of one without a status: by when whoever works on it says so again
	Working bool      `json:"-"`              // of one without a status that was given: somebody works on it still
}

// Bounds of answers.
const (
	AnswersKept    = 24 * time.Hour
	AnswerLease    = 30 * time.Second // after which nobody works on an answer who has not said so
	MaxAnswers     = 10_000           // of a persona; then the oldest are forgotten
	maxAnswerBytes = 256 << 10        // of a body
)

func answerKey(a AnswerRef) []byte { return key(answerSpace, a.Tenant, a.Persona, "key", a.Key) }

// answerOrder is where answers stand in the order of their age.
func answerOrder(a AnswerRef, at ...string) []byte {
	return key(answerSpace, append([]string{a.Tenant, a.Persona, "at"}, at...)...)
}

func answerCount(a AnswerRef) []byte { return key(answerSpace, a.Tenant, a.Persona, "count") }

// BeginAnswer begins to answer a request, or returns the answer that it was given before: one without a status when another began
// and did not end, whether in this process or in another. Whoever gets nil does what the request asks for, with HoldAnswer all the
// while, and then calls KeepAnswer or DropAnswer. A key that stands for another request is InvalidRequest. What was begun is on
// disk when BeginAnswer returns.
func (s *Shelf) BeginAnswer(ctx context.Context, at AnswerRef, request string) (given *Answer, err error) {
	if at.Key == "" || len(at.Key) > tool.MaxIdentityBytes {
		return nil, &tool.Error{Code: tool.InvalidRequest, Message: "an idempotency key has 1 to 200 bytes", Hint: "a random one of 32 characters will do"}
	}
	err = s.change(ctx, at.actor(), func(e *edit) error {
		given = nil
		if err := e.dropOldAnswers(at); err != nil {
			return err
		}
		found, err := readAnswer(e, at)
		switch {
		case err != nil:
			return err
		case found == nil:
			return e.beginAnswer(at, request)
		case found.Request != request:
			return &tool.Error{Code: tool.InvalidRequest, Message: "the idempotency key was used for another request", Hint: "give each request a key of its own"}
		}
		found.Working = found.Status == 0 && e.now.Before(found.Until.Time)
		given = found
		return nil
	})
	if err != nil || given == nil || given.Body == nil {
		return given, err
	}
	given.Body, err = s.sealer.show(answerKey(at), given.Body)
	return given, err
}

func (a AnswerRef) actor() tool.Actor {
	return tool.Actor{Caller: tool.Caller{Tenant: a.Tenant, Persona: a.Persona}}
}

func readAnswer(r Reader, at AnswerRef) (*Answer, error) {
	text, found, err := r.Get(answerKey(at))
	if err != nil || !found {
		return nil, err
	}
	a := &Answer{}
	return a, decode(text, a)
}

func (e *edit) beginAnswer(at AnswerRef, request string) error {
	if err := e.countAnswers(at, 1); err != nil {
		return err
	}
	a := Answer{Request: request, At: tool.At(e.now), Until: tool.At(e.now.Add(AnswerLease))}
	if err := e.Set(answerOrder(at, moment(a.At), at.Key), []byte{1}); err != nil {
		return err
	}
	return e.set(answerKey(at), a)
}

// moment is a part that sorts as times do.
func moment(at tool.Time) string { return number(uint64(max(at.UnixMilli(), 0))) }

// countAnswers changes how many answers a persona has.
func (e *edit) countAnswers(at AnswerRef, by int) error {
	n, err := e.answersOf(at)
	if err != nil {
		return err
	}
	return e.set(answerCount(at), max(n+by, 0))
}

func (e *edit) answersOf(at AnswerRef) (n int, err error) {
	text, found, err := e.Get(answerCount(at))
	if err != nil || !found {
		return 0, err
	}
	return n, decode(text, &n)
}

// dropOldAnswers makes room for one more.
func (e *edit) dropOldAnswers(at AnswerRef) error {
	n, err := e.answersOf(at)
	if err != nil {
		return err
	}
	var old []AnswerRef
	var when []string
	since := moment(tool.At(e.now.Add(-AnswersKept)))
	const most = 100 // at once
	err = e.Scan(Range{Prefix: answerOrder(at)}, func(k, _ []byte) (bool, error) {
		all, ok := parts(k)
		if !ok || len(old) == most || (all[4] >= since && n-len(old) < MaxAnswers) {
			return false, nil
		}
		old, when = append(old, AnswerRef{at.Tenant, at.Persona, all[5]}), append(when, all[4])
		return true, nil
	})
	if err != nil || len(old) == 0 {
		return err
	}
	for i, a := range old {
		if err := e.dropAnswer(a, when[i]); err != nil {
			return err
		}
	}
	return e.countAnswers(at, -len(old))
}

func (e *edit) dropAnswer(at AnswerRef, when string) error {
	if err := e.dropBody(aged{at, when}); err != nil {
		return err
	}
	if err := e.Delete(answerOrder(at, when, at.Key)); err != nil {
		return err
	}
	return e.Delete(answerKey(at))
}

// HoldAnswer says from time to time that a request which was begun is being worked on, until ctx ends. What fails is tried again the
// next time.
func (s *Shelf) HoldAnswer(ctx context.Context, at AnswerRef) {
	tick := time.NewTicker(AnswerLease / 5)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = s.renewAnswer(ctx, at)
		}
	}
}

func (s *Shelf) renewAnswer(ctx context.Context, at AnswerRef) error {
	return s.changeAnswer(ctx, at, func(e *edit, begun *Answer) error {
		if begun.Status != 0 {
			return nil
		}
		begun.Until = tool.At(e.now.Add(AnswerLease))
		return e.set(answerKey(at), begun)
	})
}

// KeepAnswer keeps what a request that was begun was answered, on disk when it returns: for AnswersKept, and as long as the
// persona has no more than MaxAnswers. A body that is too large is not kept; others are sealed as code is, however that is kept, as
// long as there is room for them.
func (s *Shelf) KeepAnswer(ctx context.Context, at AnswerRef, a Answer) error {
	if len(a.Body) > maxAnswerBytes {
		a.Body = nil
	} else if a.Body != nil {
		a.Body = s.sealer.hide(answerKey(at), a.Body)
	}
	return s.changeAnswer(ctx, at, func(e *edit, begun *Answer) error {
		a.At = begun.At
		if err := e.dropBody(aged{at, moment(a.At)}); err != nil { // of one that was kept before
			return err
		}
		if err := e.set(answerKey(at), a); err != nil {
			return err
		}
		return e.addBody(aged{at, moment(a.At)}, len(a.Body))
	})
}

// DropAnswer forgets a request that was begun, because nothing came of it.
func (s *Shelf) DropAnswer(ctx context.Context, at AnswerRef) error {
	return s.changeAnswer(ctx, at, func(e *edit, begun *Answer) error {
		if err := e.dropAnswer(at, moment(begun.At)); err != nil {
			return err
		}
		return e.countAnswers(at, -1)
	})
}

// changeAnswer changes an answer that was begun; one that is forgotten already stays so.
func (s *Shelf) changeAnswer(ctx context.Context, at AnswerRef, do func(e *edit, begun *Answer) error) error {
	return s.change(ctx, at.actor(), func(e *edit) error {
		begun, err := readAnswer(e, at)
		if err != nil || begun == nil {
			return err
		}
		return do(e, begun)
	})
}

// hide seals text that belongs to a label. The nonce is derived from both, and stands before what is sealed.
func (s *sealer) hide(label, text []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(label)
	mac.Write(text)
	nonce := mac.Sum(nil)[:s.aead.NonceSize()]
	return s.aead.Seal(nonce, nonce, text, label)
}

// show returns what hide has sealed.
func (s *sealer) show(label, sealed []byte) ([]byte, error) {
	n := min(s.aead.NonceSize(), len(sealed))
	if n == s.aead.NonceSize() {
		if text, err := s.aead.Open(nil, sealed[:n], sealed[n:], label); err == nil {
			return text, nil
		}
	}
	return nil, &tool.Error{
		Code: tool.Unavailable, Message: "the answer to this request is sealed under another key",
		Hint: "give the key it was sealed under, in source.key or TOOLSMITH_SOURCE_KEY",
	}
}
