package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/forge"
	"example.com/toolsmith/runtime/tool"
)

// told is an event of a stream.
type told struct {
	id         uint64
	name, data string
}

// listening reads events of a stream.
type listening struct {
	t    *testing.T
	next func() (string, error)
	end  func() error
}

func (w *world) listen(t *testing.T, key, query string, headers ...string) *listening {
	t.Helper()
	answer, err := get(w.http.URL+"/v1/events"+query, key, headers...)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 200 {
		text, _ := io.ReadAll(answer.Body)
		t.Fatalf("%d %s", answer.StatusCode, text)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	reader := lines(answer.Body)
	l := &listening{t, func() (string, error) { return reader.ReadString('\n') }, answer.Body.Close}
	if first, err := l.next(); err != nil || !strings.HasPrefix(first, ":") {
		t.Fatalf("the stream begins with %q, %v", first, err)
	}
	return l
}

// read returns the next event.
func (l *listening) read() (e told) {
	l.t.Helper()
	for {
		line, err := l.next()
		if err != nil {
			l.t.Fatalf("no event came: %v", err)
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.id, _ = strconv.ParseUint(value, 10, 64)
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				return e
			}
		}
	}
}

// audit returns the next audit entry.
func (l *listening) audit() (entry tool.AuditEvent) {
	l.t.Helper()
	for {
		e := l.read()
		if e.name != "audit" {
			continue
		}
		if err := json.Unmarshal([]byte(e.data), &entry); err != nil || entry.Sequence != e.id {
			l.t.Fatalf("%+v: %v", e, err)
		}
		return entry
	}
}

// Events are those of the own tenant, and of the own persona unless it is an administrator that listens.
func TestEventsAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	all, own := w.listen(t, graceKey, ""), w.listen(t, bobKey, "")
	w.forge(otherKey, "add_numbers")
	w.forge(annKey, "add_numbers")
	w.forge(bobKey, "mul_numbers")
	for _, l := range []struct {
		*listening
		personas []string
	}{{all, []string{"ann", "bob"}}, {own, []string{"bob"}}} {
		var personas []string
		var last uint64
		for {
			e := l.audit()
			if e.Sequence <= last || e.Tenant != "acme" {
				t.Errorf("%+v after %d", e, last)
			}
			last = e.Sequence
			if !slices.Contains(personas, e.PersonaID) {
				personas = append(personas, e.PersonaID)
			}
			if e.PersonaID == "bob" && e.EventType == tool.Registered {
				break
			}
		}
		if !slices.Equal(personas, l.personas) {
			t.Errorf("got entries of %v, want of %v", personas, l.personas)
		}
	}
}

// Who comes back misses nothing of the log, and sees nothing twice.
func TestEventsResume(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	first := w.listen(t, graceKey, "")
	w.forge(annKey, "tool_1")
	seen := []uint64{first.audit().Sequence, first.audit().Sequence}
	_ = first.end()
	w.forge(annKey, "tool_2")
	w.forge(annKey, "tool_3")
	second := w.listen(t, graceKey, "", "Last-Event-ID", strconv.FormatUint(seen[1], 10))
	var log struct{ Items []tool.AuditEvent }
	w.ok(&log, graceKey, "GET", "/v1/audit?limit=1000", "")
	for len(seen) < len(log.Items) {
		seen = append(seen, second.audit().Sequence)
	}
	for i, n := range seen {
		if n != log.Items[i].Sequence {
			t.Fatalf("got %v", seen)
		}
	}
}

// Who does not keep up is told so, and cut; who makes what happens is not held up.
func TestEventsOfASlowClient(t *testing.T) {
	t.Parallel()
	events := &server.Events{}
	slow, err := server.Listen4Test(events, "acme")
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		events.Forge(forge.Event{By: tool.Actor{Caller: tool.Caller{Tenant: "acme", Persona: "ann"}}})
	}
	if why := slow(); why != "the client did not keep up: connect again with Last-Event-ID" {
		t.Errorf("got %q", why)
	}
}

// A tenant has so many streams, of which a key has no more than half.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Authenticate = func(ctx context.Context, key string) (tool.Principal, error) {
			p, err := authenticate(ctx, key)
			p.KeyID = key
			return p, err
		}
	})
	for _, key := range []string{annKey, bobKey} {
		for range 32 {
			w.listen(t, key, "")
		}
		p, got := w.refused(429, tool.Limit, key, "GET", "/v1/events", "")
		if of := map[string]string{annKey: "the key ", bobKey: "the tenant "}[key]; !strings.HasPrefix(p.Detail, of) || p.RetryAfterMs == 0 || got.header.Get("Retry-After") == "" || p.Hint == "" {
			t.Errorf("%s: %s %v", key, got.body, got.header)
		}
	}
	w.listen(t, otherKey, "")
}

// 0 is from the beginning, none from now on, and what is beyond the end is the end.
func TestEventsBegin(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "tool_1")
	var log struct{ Items []tool.AuditEvent }
	w.ok(&log, graceKey, "GET", "/v1/audit?newest=true&limit=1", "")
	end := log.Items[0].Sequence
	after := []*listening{w.listen(t, graceKey, ""), w.listen(t, graceKey, "?after=1000000"), w.listen(t, graceKey, "", "Last-Event-ID", "18446744073709551615")}
	for _, l := range []*listening{w.listen(t, graceKey, "?after=0"), w.listen(t, graceKey, "", "Last-Event-ID", "0")} {
		if e := l.audit(); e.Sequence != 1 {
			t.Errorf("from the beginning is %d", e.Sequence)
		}
	}
	w.forge(annKey, "tool_2")
	for i, l := range after {
		if e := l.audit(); e.Sequence != end+1 {
			t.Errorf("stream %d goes on at %d, and the end was %d", i, e.Sequence, end)
		}
	}
	w.refused(422, tool.InvalidRequest, graceKey, "GET", "/v1/events?after=-1", "")
	w.refused(422, tool.InvalidRequest, graceKey, "GET", "/v1/events", "", "Last-Event-ID", "x")
}

// Streams end with the key, also when the host needs none from then on.
func TestStreamsEndWithTheKey(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]func() (tool.Principal, error){
		"refused": func() (tool.Principal, error) {
			return tool.Principal{}, &tool.Error{Code: tool.Denied, Message: "it is revoked"}
		},
		"of another": func() (tool.Principal, error) {
			return tool.Principal{Tenant: "local", Persona: "local", Scopes: tool.AllScopes()}, nil
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); endWithTheKey(t, after) })
	}
}

func endWithTheKey(t *testing.T, after func() (tool.Principal, error)) {
	t.Helper()
	var revoked atomic.Bool
	left := make(chan error, 1)
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Authenticate = func(ctx context.Context, key string) (tool.Principal, error) {
			if key == annKey && revoked.Load() {
				return after()
			}
			p, err := authenticate(ctx, key)
			p.KeyID = key
			return p, err
		}
		o.MCP = func(func(*http.Request) (tool.Principal, bool)) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				left <- context.Cause(r.Context())
			})
		}
	})
	own, other := w.listen(t, annKey, ""), w.listen(t, bobKey, "")
	held, err := get(w.http.URL+"/mcp", annKey)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Body.Close()
	revoked.Store(true)
	if e := own.read(); e.name != "end" || e.data != `{"reason":"the key does not work any more"}` {
		t.Errorf("the stream ends with %+v", e)
	}
	if e := tool.AsError(receive(t, left, "the end of the protocol's stream")); e.Code != tool.Denied {
		t.Errorf("that of the protocol ends with %v", e)
	}
	if _, err := own.next(); !errors.Is(err, io.EOF) {
		t.Errorf("it goes on: %v", err)
	}
	w.forge(bobKey, "add_numbers")
	if e := other.audit(); e.PersonaID != "bob" {
		t.Errorf("that of another key gets %+v", e)
	}
}

// Who asks for the head of the stream gets that, and holds nothing.
func TestHeadOfEvents(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	conn := dial(t, strings.TrimPrefix(w.http.URL, "http://"), "")
	from := bufio.NewReader(conn)
	for _, method := range []string{"HEAD", "HEAD", "GET"} {
		path := map[string]string{"HEAD": "/v1/events", "GET": "/healthz"}[method]
		if _, err := fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", method, path, annKey); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(from, &http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %v", method, answer.StatusCode, err)
		}
		_ = answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); method == "HEAD" && kind != "text/event-stream" {
			t.Errorf("the head is of %q", kind)
		}
	}
}
