package mcp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
)

// attack is a case of testdata/attacks.json: a message, or some, and what may come of it.
type attack struct {
	ID, Title, Expect, Transport, Raw string
	ExpectAny                         []string
	As                                *string
	Message                           json.RawMessage
	MessageParts                      []json.RawMessage
	MessageBase64                     string
	MessageRepeat                     *struct{ Message json.RawMessage }
	MetaOverride                      json.RawMessage
	Headers                           map[string]string
	Output, OutputAny                 json.RawMessage
	Steps                             []attackStep
	ExpectStep                        *int
}

type attackStep struct {
	As, Op, Name, Code, Session, SaveSession, HTTPMethod, Expect string
	Message                                                      json.RawMessage
	Async                                                        bool
	Await                                                        int
}

func (a attack) text(t *testing.T) []byte {
	t.Helper()
	if a.MessageBase64 != "" {
		text, err := base64.StdEncoding.DecodeString(a.MessageBase64)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var out bytes.Buffer
	out.Write(a.Message)
	for _, part := range a.MessageParts {
		var plain string
		var repeat struct {
			Repeat string
			Count  int
		}
		if json.Unmarshal(part, &plain) == nil {
			out.WriteString(plain)
		} else if err := json.Unmarshal(part, &repeat); err != nil {
			t.Fatal(err)
		} else {
			for range repeat.Count {
				out.WriteString(repeat.Repeat)
			}
		}
	}
	return out.Bytes()
}

// outcome is what came of a message: ok, or the code of the error.
type outcome struct {
	what   string
	output string
	text   string
}

func (o outcome) fits(a attack) bool {
	if o.what == "ok" && a.OutputAny == nil && a.Output != nil && !sameJSON(o.output, string(a.Output)) {
		return false
	}
	return o.what == a.Expect || slices.Contains(a.ExpectAny, o.what) || (o.what == "error:invalid_input" && a.Expect == "error:exception")
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

var statuses = map[int]string{
	http.StatusUnauthorized: "error:denied", http.StatusForbidden: "error:denied", http.StatusNotFound: "error:not_found",
	http.StatusTooManyRequests: "error:limit", http.StatusRequestTimeout: "error:timeout",
}

// outcomeOf reads an answer over HTTP.
func outcomeOf(status int, m message, body string) outcome {
	o := outcome{text: body}
	switch {
	case statuses[status] != "":
		o.what = statuses[status]
	case status >= 400:
		o.what = "reject-at-validation"
	case m.Error != nil && m.Error.Code == -32602:
		o.what = "error:not_found"
	case m.Error != nil:
		o.what = "reject-at-validation"
	default:
		o.what = "ok"
		var r result
		if json.Unmarshal(m.Result, &r) == nil && r.IsError {
			var e struct{ Error tool.Error }
			_ = json.Unmarshal([]byte(r.Content[0].Text), &e)
			o.what, o.text = "error:"+string(e.Error.Code), e.Error.Message
		}
		o.output = string(r.Structured)
	}
	return o
}

// siege is a world under attack: add_numbers and its like stand as tools of their own.
type siege struct {
	*world
	url   string
	peers map[string]*web
}

func besiege(t *testing.T) *siege {
	t.Helper()
	w := open(t, setting{face: func(o *mcp.Options) { o.Publish, o.BodyTime = tool.AgentTier, 2*time.Second }})
	s := &siege{world: w, url: w.serve(), peers: map[string]*web{}}
	ann := s.peer("tenantA/agent1")
	s.keep(ann, nil)
	s.keep(ann, map[string]any{
		"name": "limited_number", "inputSchema": json.RawMessage(`{"type":"object","properties":{"n":{"type":"number","maximum":10}},"required":["n"]}`),
		"outputSchema":   json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`),
		"implementation": sandbox("function execute(input) { return { n: input.n }; }"), "testCases": cases(`{"n":1}`, `{"n":1}`, `{"n":2}`, `{"n":2}`),
	})
	s.keep(ann, map[string]any{
		"name": "slow_tool", "inputSchema": json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`), "description": "Counts for a while.",
		"outputSchema":   json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`),
		"implementation": sandbox("function execute(input) { let n = 0; for (let i = 0; i < 300000; i++) { n += i % 7; } return { n: n }; }"),
		"testCases":      cases(`{"n":2}`, `{"n":899997}`, `{"n":1}`, `{"n":899997}`),
	})
	s.keep(s.peer("tenantB/agent9"), map[string]any{"name": "tenant_b_tool"})
	return s
}

// keep forges a tool and promotes it.
func (s *siege) keep(p *web, members map[string]any) {
	s.t.Helper()
	handle := forgeOK(s.t, p, members)
	if r := use(s.t, p, "promote_tool", map[string]any{"tool": handle, "to": "agent"}); r.IsError {
		s.t.Fatalf("%+v", r)
	}
}

func (s *siege) peer(key string) *web {
	if s.peers[key] == nil {
		s.peers[key] = s.overHTTP(s.url, "2025-06-18", key, nil)
	}
	return s.peers[key]
}

// send posts a text as it is.
func (s *siege) send(key, session string, header map[string]string, method string, text []byte) outcome {
	s.t.Helper()
	p := &web{base: base{t: s.t, version: "2025-06-18"}, url: s.url, key: key, session: session, header: http.Header{}}
	for k, v := range header {
		p.header.Set(k, v)
	}
	if session := p.header.Get("Mcp-Session-Id"); session != "" {
		p.session = session
	}
	if method == "DELETE" {
		req, err := http.NewRequestWithContext(s.t.Context(), method, s.url, http.NoBody)
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Mcp-Session-Id", session)
		r, err := patient.Do(req)
		if err != nil {
			s.t.Fatal(err)
		}
		defer r.Body.Close()
		return outcomeOf(r.StatusCode, message{}, "")
	}
	r, err := p.post(s.t.Context(), text, "", "")
	if err != nil {
		return outcome{what: "reject-at-validation", text: err.Error()} // it was cut off
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	if n := strings.Count("\n"+string(body), "\ndata: "); n > 1 {
		s.t.Errorf("one message became several events: %q", body)
	}
	return outcomeOf(r.StatusCode, p.read(bytes.NewReader(body), 0), string(body))
}

func TestAttacks(t *testing.T) { //nolint:tparallel // the cases are one siege
	t.Parallel()
	text, err := os.ReadFile("testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []attack
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 35 {
		t.Fatalf("%d cases, %v", len(list), err)
	}
	s := besiege(t)
	for _, a := range list {
		if a.ID == "mcp-024" {
			continue // the server around the face looks at hosts
		}
		t.Run(a.ID+" "+a.Title, func(t *testing.T) {
			o := s.run(t, a)
			if !o.fits(a) {
				t.Errorf("%s: %.300s %s; want %s or one of %s with %s", o.what, o.text, o.output, a.Expect, a.ExpectAny, a.Output)
			}
			if len(o.text) > 4096 && o.what != "ok" {
				t.Errorf("an error of %d bytes", len(o.text))
			}
			if r := use(t, s.peer("tenantA/agent1"), "call_tool", map[string]any{"tool": "add_numbers", "input": map[string]int{"a": 1, "b": 2}}); r.IsError {
				t.Errorf("afterwards: %+v", r)
			}
		})
	}
}

func (s *siege) run(t *testing.T, a attack) outcome {
	t.Helper()
	key := "tenantA/agent1"
	if a.ID == "mcp-026" {
		key = "nobody"
	}
	session := s.peer("tenantA/agent1").session
	switch {
	case a.Transport == "stdio":
		return s.endless(a.text(t))
	case a.Raw != "":
		return s.dribble(t, a.Raw)
	case len(a.Steps) > 0:
		return s.walk(t, a)
	case a.MessageRepeat != nil:
		o := outcome{}
		for i := 0; i < 2000 && o.what != "error:limit"; i++ {
			o = s.send("tenantA/flood", "", nil, "", a.MessageRepeat.Message)
		}
		return o
	case strings.Contains(string(a.Message), `"initialize"`), a.ID == "mcp-033":
		session = ""
	}
	message := a.text(t)
	if a.MetaOverride != nil {
		message = bytes.Replace(message, []byte(`"arguments"`), append(append([]byte(`"_meta":`), a.MetaOverride...), []byte(`,"arguments"`)...), 1)
	}
	return s.send(key, session, a.Headers, "", message)
}

// endless is a line without an end.
func (s *siege) endless(text []byte) outcome {
	p := s.overStdio("2025-06-18", mcp.Local{}, nil)
	go func() { _, _ = p.in.Write(text) }()
	m, err := p.next()
	if err != nil || m.Error == nil {
		return outcome{what: "ok", text: fmt.Sprint(err)}
	}
	if _, err := p.next(); err == nil {
		return outcome{what: "ok", text: "more is read"}
	}
	_ = p.in.CloseWithError(io.ErrClosedPipe)
	return outcome{what: "error:limit", text: m.Error.Message}
}

// dribble sends a request so slowly that it never ends.
func (s *siege) dribble(t *testing.T, how string) outcome {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	head := "POST / HTTP/1.1\r\nHost: " + c.RemoteAddr().String() + "\r\nAuthorization: Bearer tenantA/agent1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	if how == "slow-body" {
		head += "Content-Length: 1000\r\n\r\n{"
	}
	if _, err := io.WriteString(c, head); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	answer, err := io.ReadAll(c)
	if err != nil {
		return outcome{what: "ok", text: "the connection was kept: " + err.Error()}
	}
	return outcome{what: "error:timeout", text: string(answer)}
}

// walk takes a case step by step. The outcome is that of the step that counts.
func (s *siege) walk(t *testing.T, a attack) (last outcome) {
	t.Helper()
	saved := map[string]string{}
	waiting := make(chan outcome, 1)
	var outcomes []outcome
	for _, step := range a.Steps {
		var o outcome
		p := s.peer(step.As)
		switch {
		case step.Op == "forge":
			s.keep(p, map[string]any{
				"name": step.Name, "implementation": sandbox(step.Code), "inputSchema": json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}}}`),
				"outputSchema": json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
				"testCases":    []any{map[string]any{"input": map[string]any{"n": 2}}, map[string]any{"input": map[string]any{"n": 1}}},
			})
			s.waitFor(t, p, step.Name)
			o.what = "ok"
		case step.SaveSession != "":
			fresh := s.overHTTP(s.url, "2025-06-18", step.As, nil)
			saved[step.SaveSession], o.what = fresh.session, "ok"
		case step.Async:
			go func() { waiting <- s.send(step.As, p.session, nil, "", step.Message) }()
			o.what = "ok"
		case step.Await > 0:
			o = receive(t, waiting, "the answer to what was begun")
		case step.Session != "":
			o = s.send(step.As, saved[step.Session], nil, step.HTTPMethod, step.Message)
		default:
			o = s.send(step.As, p.session, nil, step.HTTPMethod, step.Message)
		}
		if step.Expect != "" && o.what != step.Expect {
			t.Errorf("%+v: %s", o, step.Message)
		}
		outcomes = append(outcomes, o)
	}
	if a.ID == "mcp-013" {
		one, two := strings.ReplaceAll(outcomes[0].text, "no_such_tool", "X"), strings.ReplaceAll(outcomes[1].text, "tenant_b_tool", "X")
		if outcomes[0].what != outcomes[1].what || one != two {
			t.Errorf("what is hidden and what is not there differ: %+v and %+v", outcomes[0], outcomes[1])
		}
	}
	if a.ExpectStep != nil {
		return outcomes[*a.ExpectStep]
	}
	return outcomes[len(outcomes)-1]
}

// waitFor waits until a tool stands on its own.
func (s *siege) waitFor(t *testing.T, p peer, name string) {
	t.Helper()
	until(t, "the publishing of "+name, func() bool {
		return strings.Contains(string(names(t, p.call("tools/list", map[string]any{})).Result), name+" ")
	})
}
