package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// counting is a tool of the host that counts its calls; run does its work.
func counting(calls *atomic.Int64, run func() error) runtime.Tool {
	return runtime.Tool{
		Name: "count", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object"}`),
		Run: func(context.Context, *runtime.Invocation) (json.RawMessage, error) {
			n := calls.Add(1)
			if err := run(); err != nil {
				return nil, err
			}
			return json.Marshal(n)
		},
	}
}

// A request is done once under its key, also when the host was opened anew meanwhile.
func TestOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls atomic.Int64
	change := func(h *toolsmith.Options, _ *server.Options) {
		h.Tools = append(h.Tools, counting(&calls, func() error { return nil }))
	}
	w := open(t, dir, change)
	first := w.ok(nil, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k1")
	again := w.ok(nil, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k1")
	if string(first.body) != string(again.body) || calls.Load() != 1 || again.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%d calls: %s and %s", calls.Load(), first.body, again.body)
	}
	refusal := w.ask(annKey, "POST", "/v1/forge", `{"name":"x"}`, "Idempotency-Key", "k2")
	forged := w.ok(nil, annKey, "POST", "/v1/forge", request(t, "add_numbers", adding), "Idempotency-Key", "k3")
	for name, c := range map[string][]string{
		"another body":    {annKey, "/v1/tools/count/call", `{"x":1}`},
		"another path":    {annKey, "/v1/forge", `{}`},
		"another tool":    {annKey, "/v1/tools/other/call", `{}`},
		"another session": {annKey, "/v1/tools/count/call", `{}`, "Toolsmith-Session", "other"},
	} {
		p, _ := w.refused(422, tool.InvalidRequest, c[0], "POST", c[1], c[2], append(c[3:], "Idempotency-Key", "k1")...)
		if !strings.Contains(p.Detail, "used for another request") {
			t.Errorf("%s: %s", name, p.Detail)
		}
	}
	w.ok(nil, bobKey, "POST", "/v1/tools/count/call", `{"x":1}`, "Idempotency-Key", "k1") // a key of bob's own
	w.refused(422, tool.InvalidRequest, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", strings.Repeat("k", 201))
	w.http.Close()
	if err := w.host.Close(); err != nil {
		t.Fatal(err)
	}

	w = open(t, dir, change)
	if got := w.ok(nil, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k1"); string(got.body) != string(first.body) || calls.Load() != 2 {
		t.Errorf("after a restart: %s, %d calls", got.body, calls.Load())
	}
	if got := w.ask(annKey, "POST", "/v1/forge", `{"name":"x"}`, "Idempotency-Key", "k2"); string(got.body) != string(refusal.body) || got.status != refusal.status {
		t.Errorf("after a restart: %d %s", got.status, got.body)
	}
	if got := w.ok(nil, annKey, "POST", "/v1/forge", request(t, "add_numbers", adding), "Idempotency-Key", "k3"); string(got.body) != string(forged.body) {
		t.Errorf("after a restart: %s", got.body)
	}
	var versions struct{ Items []json.RawMessage }
	w.ok(&versions, annKey, "GET", "/v1/tools/add_numbers/versions", "")
	if len(versions.Items) != 1 {
		t.Errorf("%d versions were forged", len(versions.Items))
	}
}

// What was begun and not answered, because the process was killed, is not done again blindly.
func TestCutOff(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	w := open(t, "", func(h *toolsmith.Options, _ *server.Options) {
		h.Tools = append(h.Tools, counting(&calls, func() error { return &tool.Error{Code: tool.Unavailable, Message: "not now"} }))
	})
	shelf, err := w.host.Shelf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A server that cannot know the hash of the request takes whatever is there for another one.
	if _, err := shelf.BeginAnswer(t.Context(), tiers.AnswerRef{Tenant: "acme", Persona: "ann", Key: "k1"}, "some other request"); err != nil {
		t.Fatal(err)
	}
	w.refused(422, tool.InvalidRequest, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k1")
	// What says that nothing was done, and to come again, is no answer to keep.
	for range 2 {
		w.refused(503, tool.Unavailable, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k2")
	}
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

// Of requests under one key at once, one is done; it goes on when its client goes away.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := open(t, "", func(h *toolsmith.Options, _ *server.Options) {
		h.Tools = append(h.Tools, counting(&calls, func() error { close(begun); hold(goOn); return nil }))
	})
	ctx, leave := context.WithCancel(t.Context())
	var gone sync.WaitGroup
	gone.Go(func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.http.URL+"/v1/tools/count/call", strings.NewReader("{}"))
		if err != nil {
			t.Error(err)
			return
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + annKey, "Content-Type": "application/json", "Idempotency-Key": "k"} {
			r.Header.Set(name, value)
		}
		if answer, err := patient.Do(r); err == nil {
			_ = answer.Body.Close()
			t.Error("the client did not leave")
		}
	})
	receive(t, begun, "the first request")
	p, _ := w.refused(409, tool.Collision, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k")
	if p.RetryAfterMs == 0 {
		t.Error("nothing says when to come again")
	}
	leave()
	gone.Wait()
	close(goOn)
	for until := time.Now().Add(patience); ; {
		got := w.ask(annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k")
		if got.status == http.StatusConflict && time.Now().Before(until) {
			continue
		}
		if got.status != http.StatusOK || !strings.Contains(string(got.body), `"output":1,`) || calls.Load() != 1 {
			t.Errorf("%d calls: %d %s", calls.Load(), got.status, got.body)
		}
		return
	}
}

// A request that another process of the same data directory works on is not said to be lost.
func TestWorkedOnElsewhere(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	begun, goOn := make(chan struct{}), make(chan struct{})
	dir := t.TempDir()
	here := open(t, dir, func(h *toolsmith.Options, _ *server.Options) {
		h.Tools = append(h.Tools, counting(&calls, func() error { close(begun); hold(goOn); return nil }))
	})
	elsewhere := open(t, dir, func(h *toolsmith.Options, _ *server.Options) {
		h.Tools = append(h.Tools, counting(&calls, func() error { return nil }))
	})
	answers := make(chan reply, 1)
	go func() { answers <- here.ask(annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k") }()
	receive(t, begun, "the first request")
	p, _ := elsewhere.refused(409, tool.Collision, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k")
	if !strings.Contains(p.Detail, "still being worked on") || p.RetryAfterMs == 0 {
		t.Errorf("%+v", p)
	}
	close(goOn)
	first := receive(t, answers, "the answer")
	if again := elsewhere.ok(nil, annKey, "POST", "/v1/tools/count/call", `{}`, "Idempotency-Key", "k"); string(again.body) != string(first.body) || calls.Load() != 1 {
		t.Errorf("%d calls: %s and %s", calls.Load(), first.body, again.body)
	}
}

// Progress comes as events: the stages, and then the result or the problem.
func TestProgress(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for name, c := range map[string]struct{ path, body, want, last string }{
		"forged":  {"/v1/forge", request(t, "add_numbers", adding), "stage:static stage:tests stage:judge stage:register result", `"success":true`},
		"refused": {"/v1/forge", request(t, "add_numbers", "function execute() { return {sum: 0}; }"), "stage:static stage:tests problem", `"stage":"tests"`},
		"unfit":   {"/v1/tools/text_template/call", `{}`, "started problem", "invalid_input"},
		"called":  {"/v1/tools/text_template/call", `{"template":"a\n\nevent: audit\ndata: {}\n\n{{x}}","values":{"x":"1"}}`, "started result", `"text":"a\n\nevent: audit\ndata: {}\n\n1"`},
	} {
		got := w.ask(annKey, "POST", c.path, c.body, "Accept", "text/event-stream")
		var names []string
		last := ""
		for block := range strings.SplitSeq(strings.TrimSuffix(string(got.body), "\n\n"), "\n\n") {
			head, data, ok := strings.Cut(block, "\ndata: ")
			event := strings.TrimPrefix(head, "event: ")
			if !ok || strings.Contains(data, "\n") || !json.Valid([]byte(data)) {
				t.Errorf("%s: an event is %q", name, block)
			}
			var stage struct{ Stage string }
			if event == "stage" {
				_ = json.Unmarshal([]byte(data), &stage)
				event += ":" + stage.Stage
			}
			names, last = append(names, event), data
		}
		if got.status != 200 || strings.Join(names, " ") != c.want || !strings.Contains(last, c.last) {
			t.Errorf("%s: %d %v, %s", name, got.status, names, last)
		}
	}
}

// eventsOf are the names of the events of a stream, and what the first and the last say.
func eventsOf(body []byte) (names, first, last string) {
	var all []string
	for block := range strings.SplitSeq(strings.TrimSuffix(string(body), "\n\n"), "\n\n") {
		head, data, _ := strings.Cut(block, "\ndata: ")
		all, last = append(all, strings.TrimPrefix(head, "event: ")), data
		if first == "" {
			first = data
		}
	}
	return strings.Join(all, " "), first, last
}

// A call as a stream tells that it begins, and what the tool writes to the console while it still runs; not of the tools of others.
func TestCallsAsStreams(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	var forged struct {
		Tool struct{ ID string }
	}
	code := "function execute(i) { console.log('a'); console.warn('b'); return { sum: i.a + i.b }; }"
	w.ok(&forged, annKey, "POST", "/v1/forge", request(t, "chatty", code))
	ask := func(key, name string) (names, first, last string) {
		got := w.ask(key, "POST", "/v1/tools/"+name+"/call", `{"a":1,"b":2}`, "Accept", "text/event-stream")
		return eventsOf(got.body)
	}
	names, first, last := ask(annKey, "chatty")
	if names != "started log log result" || first != `{"tool":"chatty"}` || !strings.Contains(last, `"logs":[{"level":"log","text":"a"},{"level":"warn","text":"b"}]`) {
		t.Errorf("got %s: %s … %s", names, first, last)
	}
	steps := strings.Replace(request(t, "steps", ""), `"mode":"sandbox"`, `"mode":"compose","steps":[{"name":"s","tool":"chatty","input":{"a":"$input.a","b":"$input.b"}}]`, 1)
	w.ok(nil, annKey, "POST", "/v1/forge", strings.NewReplacer(`"code":"",`, "", `"allowlist":[],`, "").Replace(steps))
	if names, _, _ := ask(annKey, "steps"); names != "started result" {
		t.Errorf("of a step: %s", names)
	}
	for _, tier := range []string{"agent", "shared"} {
		w.ok(nil, graceKey, "POST", "/v1/tools/"+forged.Tool.ID+"/promote", `{"to":"`+tier+`"}`)
	}
	if names, _, last := ask(bobKey, "chatty"); names != "started result" || strings.Contains(last, "logs") {
		t.Errorf("of another's tool: %s: %s", names, last)
	}
}

// An answer that was given before is given in the form that is asked for now, and says so.
func TestOnceInEitherForm(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const stream, plain = "text/event-stream", "application/json"
	adding := request(t, "add_numbers", adding)
	for name, c := range map[string]struct{ first, path, body, want string }{
		"a call as a stream":  {stream, "/v1/tools/text_template/call", `{"template":"x","values":{}}`, "result"},
		"a call as JSON":      {plain, "/v1/tools/text_template/call", `{"template":"x","values":{}}`, "result"},
		"a refused call":      {stream, "/v1/tools/text_template/call", `{}`, "problem"},
		"a forge as a stream": {stream, "/v1/forge", adding, "result"},
		"a refused forge":     {plain, "/v1/forge", `{"name":"x"}`, "problem"},
	} {
		key := []string{"Idempotency-Key", name, "Accept"}
		if got := w.ask(annKey, "POST", c.path, c.body, append(key, c.first)...); got.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: the first answer was given before", name)
		}
		again := w.ask(annKey, "POST", c.path, c.body, append(key, stream)...)
		names, _, body := eventsOf(again.body)
		if again.header.Get("Idempotency-Replayed") != "true" || again.header.Get("Content-Type") != stream || names != c.want {
			t.Errorf("%s: %v %s", name, again.header, again.body)
		}
		got := w.ask(annKey, "POST", c.path, c.body, append(key, plain)...)
		if got.header.Get("Idempotency-Replayed") != "true" || strings.TrimSpace(string(got.body)) != body || (got.status == 200) != (c.want == "result") {
			t.Errorf("%s: %d %s, as a stream %s", name, got.status, got.body, body)
		}
	}
}

// A refusal tells all that was found, and none of what only its host may know.
func TestRefusedForge(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	p, got := w.refused(422, tool.Rejected, annKey, "POST", "/v1/forge", request(t, "add_numbers", "function execute() { return {sum: 0}; }"))
	var result struct {
		Stage       string
		TestResults []json.RawMessage
	}
	text, _ := json.Marshal(p.Result)
	if err := json.Unmarshal(text, &result); err != nil || result.Stage != "tests" || len(result.TestResults) != 2 {
		t.Errorf("%s: %v", got.body, err)
	}
}

// What is denied while a tool runs is an answer like another: the tool may have had effects before.
func TestDeniedWithinACallIsKept(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const code = "async function execute(input) { if (input.a === 9) await fetch('https://example.com/'); return { sum: input.a + input.b }; }"
	w.ok(nil, annKey, "POST", "/v1/forge", strings.Replace(request(t, "fetching", code), `"allowlist":[]`, `"allowlist":["fetch"]`, 1))
	for _, replayed := range []string{"", "true"} {
		_, got := w.refused(403, tool.Denied, annKey, "POST", "/v1/tools/fetching/call", `{"a":9,"b":1}`, "Idempotency-Key", "once")
		if got.header.Get("Idempotency-Replayed") != replayed {
			t.Errorf("replayed: %q, want %q", got.header.Get("Idempotency-Replayed"), replayed)
		}
	}
}
