package server_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/judge/judgetest"
	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// What a key may not is neither kept for those who may, nor answered with what they were.
func TestScopesComeBeforeAnswers(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	body := request(t, "add_numbers", adding)
	for range 2 {
		w.refused(403, tool.Denied, lookKey, "POST", "/v1/forge", body, "Idempotency-Key", "k")
	}
	w.ok(nil, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k")
	if _, got := w.refused(403, tool.Denied, lookKey, "POST", "/v1/forge", body, "Idempotency-Key", "k"); strings.Contains(string(got.body), "emergent:") {
		t.Errorf("an answer for others: %s", got.body)
	}
	if got := w.ok(nil, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k"); got.header.Get("Idempotency-Replayed") == "" {
		t.Error("it was forged once more")
	}
}

// changing is a model that is another one from time to time.
type changing struct{ now atomic.Pointer[model.Model] }

func (c *changing) be(m model.Model) { c.now.Store(&m) }

func (c *changing) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return (*c.now.Load()).Chat(ctx, req)
}

// That there was no judgement is no answer to keep, and says when to come again; a refusal is one.
func TestJudgesThatFail(t *testing.T) {
	t.Parallel()
	reviewer := &changing{}
	w := open(t, "", func(h *toolsmith.Options, _ *server.Options) { h.Judge = judgeOf(t, reviewer) })
	body := request(t, "add_numbers", adding)
	for name, m := range map[string]model.Model{"unreachable": judgetest.Fails(), "garbled": judgetest.Refuses()} {
		reviewer.be(m)
		p, got := w.refused(422, tool.Rejected, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k1")
		if p.RetryAfterMs == 0 || got.header.Get("Retry-After") == "" || got.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: %v %s", name, got.header, got.body)
		}
	}
	reviewer.be(judgetest.Refusing())
	if p, _ := w.refused(422, tool.Rejected, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k2"); p.RetryAfterMs != 0 {
		t.Errorf("a refusal says to come again in %d ms", p.RetryAfterMs)
	}
	reviewer.be(judgetest.ApproveAll())
	w.ok(nil, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k1")
	w.refused(422, tool.Rejected, annKey, "POST", "/v1/forge", body, "Idempotency-Key", "k2")
}

// Only what may go well later says when to come again.
func TestWhenToComeAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	begun, goOn := make(chan struct{}), make(chan struct{})
	run := func() error {
		if calls.Load() == 1 {
			close(begun)
			hold(goOn)
		}
		return nil
	}
	w := open(t, "", func(h *toolsmith.Options, _ *server.Options) { h.Tools = append(h.Tools, counting(&calls, run)) })
	const path, input = "/v1/tools/count/call", "{}"
	first := make(chan reply, 1)
	go func() { first <- w.ask(annKey, "POST", path, input, "Idempotency-Key", "k1") }()
	receive(t, begun, "the first request")
	if _, got := w.refused(409, tool.Collision, annKey, "POST", path, input, "Idempotency-Key", "k1"); got.header.Get("Retry-After") != "1" {
		t.Errorf("what is worked on: %v %s", got.header, got.body)
	}
	close(goOn)
	if got := receive(t, first, "the first answer"); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	// As if its answer had been too large to be kept.
	shelf, err := w.host.Shelf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "k1"}
	if err := shelf.KeepAnswer(t.Context(), at, tiers.Answer{Request: server.Fingerprint4Test("acme", "ann", "http", input, "call", "count"), Status: 200}); err != nil {
		t.Fatal(err)
	}
	if p, got := w.refused(409, tool.Collision, annKey, "POST", path, input, "Idempotency-Key", "k1"); got.header.Get("Retry-After") != "" || p.RetryAfterMs != 0 ||
		!strings.Contains(p.Detail, "answered with status 200") {
		t.Errorf("what has to take another key: %v %s", got.header, got.body)
	}
}
