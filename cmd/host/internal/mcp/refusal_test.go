package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/desk"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/judge"
	"example.com/toolsmith/runtime/tool"
)

// text is a message with an id.
func text(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params)
}

const (
	modernMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}`
	notice = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// refusals are requests that come to nothing over HTTP: why, and what they are answered. S is a session of the caller's.
var refusals = map[string]struct {
	method, body string
	header       map[string]string
	status       int
	code         int // of the protocol; 0 is a problem
	ours         string
}{
	"another method":                {"PUT", "", nil, 405, 0, "invalid_request"},
	"a method that asks for less":   {"HEAD", "", nil, 405, 0, ""},
	"another method, now":           {"GET", "", map[string]string{"Mcp-Protocol-Version": current}, 405, 0, "invalid_request"},
	"an end, now":                   {"DELETE", "", map[string]string{"Mcp-Protocol-Version": current, "Mcp-Session-Id": "S"}, 405, 0, "invalid_request"},
	"a version that never was":      {"POST", begin, map[string]string{"Mcp-Protocol-Version": "2025-01-01"}, 400, 0, "invalid_request"},
	"a version that is to come":     {"POST", strings.ReplaceAll(text("tools/list", modernMeta), current, "2099-01-01"), map[string]string{"Mcp-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list"}, 400, -32022, "invalid_request"},
	"replay":                        {"GET", "", map[string]string{"Mcp-Session-Id": "S", "Last-Event-ID": "a_1"}, 400, 0, "invalid_request"},
	"replay of nothing":             {"GET", "", map[string]string{"Mcp-Session-Id": "S", "Last-Event-ID": "x"}, 400, 0, "invalid_request"},
	"replay of a call":              {"POST", text("ping", "{}"), map[string]string{"Mcp-Session-Id": "S", "Last-Event-ID": "a_1"}, 400, -32600, "invalid_request"},
	"nothing":                       {"POST", "", map[string]string{"Mcp-Session-Id": "S"}, 400, -32700, "invalid_request"},
	"no JSON":                       {"POST", "{", map[string]string{"Mcp-Session-Id": "S"}, 400, -32700, "invalid_request"},
	"too large":                     {"POST", strings.Repeat(" ", 1<<20+1), map[string]string{"Mcp-Session-Id": "S"}, 413, 0, "invalid_request"},
	"a key that is given twice":     {"POST", text("tools/call", `{"name":"x","name":"y"}`), map[string]string{"Mcp-Session-Id": "S"}, 400, -32600, "invalid_request"},
	"lists that nest too deep":      {"POST", text("ping", `{"a":`+strings.Repeat("[", 300)+strings.Repeat("]", 300)+`}`), map[string]string{"Mcp-Session-Id": "S"}, 400, -32600, "invalid_request"},
	"no such method":                {"POST", text("tools/destroy", "{}"), map[string]string{"Mcp-Session-Id": "S"}, 200, -32601, "not_found"},
	"no such method, now":           {"POST", text("tools/destroy", modernMeta), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "tools/destroy"}, 404, -32601, "not_found"},
	"a method that is gone":         {"POST", text("ping", modernMeta), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "ping"}, 404, -32601, "not_found"},
	"a method of later":             {"POST", text("subscriptions/listen", "{}"), map[string]string{"Mcp-Session-Id": "S"}, 200, -32601, "not_found"},
	"a notification with an id":     {"POST", text("notifications/initialized", "{}"), map[string]string{"Mcp-Session-Id": "S"}, 200, -32601, "not_found"},
	"a call without an id":          {"POST", `{"jsonrpc":"2.0","method":"tools/list"}`, map[string]string{"Mcp-Session-Id": "S"}, 400, -32600, "invalid_request"},
	"no params":                     {"POST", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, map[string]string{"Mcp-Session-Id": "S"}, 400, -32600, "invalid_request"},
	"no params, now":                {"POST", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "tools/call"}, 400, -32600, "invalid_request"},
	"params that do not fit":        {"POST", text("tools/call", `{"name":5}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"params that do not fit, now":   {"POST", text("tools/call", strings.TrimSuffix(modernMeta, "}")+`,"name":5}`), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "tools/call"}, 400, -32602, "invalid_request"},
	"no such tool":                  {"POST", text("tools/call", `{"name":"x"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "not_found"},
	"no such resource":              {"POST", text("resources/read", `{"uri":"file:///etc/passwd"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "not_found"},
	"a resource that is no text":    {"POST", text("resources/read", `{"uri":"toolsmith://\u0001"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "not_found"},
	"no such source":                {"POST", text("resources/read", `{"uri":"toolsmith://tools/emergent:1/source"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "not_found"},
	"no such prompt":                {"POST", text("prompts/get", `{"name":"x"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"no such template":              {"POST", text("completion/complete", `{"ref":{"type":"ref/resource","uri":"toolsmith://nope/{x}"},"argument":{"name":"x","value":""}}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"another name of a variable":    {"POST", text("completion/complete", `{"ref":{"type":"ref/resource","uri":"toolsmith://tools/{handle}/source"},"argument":{"name":"handle","value":""}}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"no such variable":              {"POST", text("completion/complete", `{"ref":{"type":"ref/resource","uri":"toolsmith://results/{id}/{part}"},"argument":{"name":"handle","value":""}}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"no prompt to be completed":     {"POST", text("completion/complete", `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"task","value":""}}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"no such argument":              {"POST", text("completion/complete", `{"ref":{"type":"ref/prompt","name":"write_forge_request"},"argument":{"name":"x","value":""}}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"a cursor of nobody":            {"POST", text("tools/list", `{"cursor":"x"}`), map[string]string{"Mcp-Session-Id": "S"}, 200, -32602, "invalid_request"},
	"no version in the message":     {"POST", text("tools/list", "{}"), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "tools/list"}, 400, -32602, "invalid_request"},
	"no version in the header":      {"POST", text("tools/list", modernMeta), nil, 400, -32020, "invalid_request"},
	"another version in the header": {"POST", text("tools/list", modernMeta), map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "S"}, 400, -32020, "invalid_request"},
	"no method in the header":       {"POST", text("tools/list", modernMeta), map[string]string{"Mcp-Protocol-Version": current}, 400, -32020, "invalid_request"},
	"a notice without its method":   {"POST", notice, map[string]string{"Mcp-Protocol-Version": current}, 400, -32020, "invalid_request"},
	"a notice of another method":    {"POST", notice, map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "ping"}, 400, -32020, "invalid_request"},
	"a session of another version":  {"POST", text("tools/call", `{"name":"list_my_tools"}`), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Session-Id": "S", "Mcp-Method": "tools/call", "Mcp-Name": "list_my_tools"}, 400, -32020, "invalid_request"},
	"a notice in another version":   {"POST", notice, map[string]string{"Mcp-Protocol-Version": current, "Mcp-Session-Id": "S"}, 400, -32020, "invalid_request"},
	"an answer in another version":  {"POST", `{"jsonrpc":"2.0","id":7,"result":{}}`, map[string]string{"Mcp-Protocol-Version": current, "Mcp-Session-Id": "S"}, 400, -32020, "invalid_request"},
	"another method in the header":  {"POST", text("tools/list", modernMeta), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "ping"}, 400, -32020, "invalid_request"},
	"no name in the header": {
		"POST", text("tools/call", strings.TrimSuffix(modernMeta, "}")+`,"name":"list_my_tools"}`), map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "tools/call"}, 400, -32020, "invalid_request",
	},
	"a call without a session":        {"POST", text("tools/list", "{}"), nil, 400, -32600, "invalid_request"},
	"a ping without a session":        {"POST", text("ping", "{}"), nil, 400, -32600, "invalid_request"},
	"a look without a session":        {"POST", text("server/discover", "{}"), nil, 400, -32600, "invalid_request"},
	"a notice without a session":      {"POST", notice, nil, 400, -32600, "invalid_request"},
	"a cancellation without one":      {"POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, map[string]string{"Mcp-Protocol-Version": "2025-11-25"}, 400, -32600, "invalid_request"},
	"an answer without a session":     {"POST", `{"jsonrpc":"2.0","id":7,"result":{}}`, nil, 400, -32600, "invalid_request"},
	"a notice of an unknown session":  {"POST", notice, map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, 0, "not_found"},
	"a call in an unknown session":    {"POST", text("tools/list", "{}"), map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, 0, "not_found"},
	"a stream of an unknown session":  {"GET", "", map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, 0, "not_found"},
	"the end of an unknown session":   {"DELETE", "", map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, 0, "not_found"},
	"a beginning with another's name": {"POST", begin, map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, 0, "not_found"},
}

// Whatever is refused over HTTP, the answer is an error of the protocol or a problem, and both have a code of ours and a hint.
// Nothing of it begins a session.
func TestRefusalsSayHowToMendThem(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	session := w.overHTTP(url, "2025-06-18", "acme/ann", nil).session
	for name, c := range refusals {
		header := map[string]string{}
		for key, value := range c.header {
			if header[key] = value; value == "S" {
				header[key] = session
			}
		}
		r := ask(t, c.method, url, c.body, header)
		if r.status != c.status {
			t.Errorf("%s: %d %s; want %d", name, r.status, r.body, c.status)
			continue
		}
		if r.status == http.StatusMethodNotAllowed && r.header.Get("Allow") == "" {
			t.Errorf("%s: nothing says what is allowed", name)
		}
		if c.method != http.MethodHead {
			checkRefusal(t, name, r, c.code, c.ours, strings.Contains(c.body, `"id":7`) && !strings.Contains(c.body, `"result"`))
		}
		if r.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s begins a session", name)
		}
	}
	for range 31 { // all but the one that there is
		w.overHTTP(url, "2025-06-18", "acme/ann", nil)
	}
}

func checkRefusal(t *testing.T, name string, r reply, code int, ours string, called bool) {
	t.Helper()
	if code == 0 {
		var p struct {
			Code, Hint, Detail string
			RetryAfterMs       int
		}
		wait, _ := strconv.Atoi(r.header.Get("Retry-After"))
		if (wait > 0) != (r.status == http.StatusTooManyRequests || r.status == http.StatusServiceUnavailable) {
			t.Errorf("%s: %d, and Retry-After %q", name, r.status, r.header.Get("Retry-After"))
		}
		if err := json.Unmarshal([]byte(r.body), &p); err != nil || p.Code != ours || p.Hint == "" || p.Detail == "" || p.RetryAfterMs != wait*1000 || r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: no problem with a code and a hint: %s %s", name, r.header.Get("Content-Type"), r.body)
		}
		return
	}
	_, body, _ := strings.Cut("\n"+r.body, "\ndata: ")
	if body == "" {
		body = r.body
	}
	var m message
	if err := json.Unmarshal([]byte(body), &m); err != nil || m.Error == nil || m.Error.Code != code || m.Error.Message == "" {
		t.Errorf("%s: %s, %v; want %d", name, r.body, err, code)
		return
	}
	if (fmt.Sprint(m.ID) == "7") != called {
		t.Errorf("%s: the id is %v", name, m.ID)
	}
	var data struct{ Code, Hint string }
	if err := json.Unmarshal(m.Error.Data, &data); ours != "" && (err != nil || data.Code != ours || data.Hint == "") {
		t.Errorf("%s: no code and hint: %s", name, r.body)
	}
}

// A stream that is open already is told of, and no text of the library's.
func TestASecondStreamIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	session := w.overHTTP(url, "2025-06-18", "acme/ann", nil).session
	send(t, http.MethodGet, url, "", map[string]string{"Accept": "text/event-stream", "Mcp-Session-Id": session})
	r := ask(t, http.MethodGet, url, "", map[string]string{"Mcp-Session-Id": session})
	if r.status != http.StatusConflict {
		t.Errorf("%d", r.status)
	}
	checkRefusal(t, "a second stream", r, 0, "collision", false)
}

// What goes on is kept open by comments: streams, calls, and calls that are refused in the end, whose status is out by then.
func TestAnswersThatTakeLongAreKeptOpen(t *testing.T) {
	t.Parallel()
	refuse := make(chan struct{})
	w := open(t, setting{face: func(o *mcp.Options) {
		o.Beat = 2 * time.Millisecond
		up := o.Desk
		o.Desk = func(ctx context.Context, p tool.Principal, session string) (desk.Desk, error) {
			if p.Persona == "eve" {
				receive(t, refuse, "the moment to refuse")
				return nil, &tool.Error{Code: tool.Denied, Message: "not for eve", Hint: "be another"}
			}
			return up(ctx, p, session)
		}
	}})
	url := w.serve()
	p := w.overHTTP(url, "2025-06-18", "acme/ann", nil)
	lines := bufio.NewScanner(send(t, http.MethodGet, url, "", map[string]string{"Accept": "text/event-stream", "Mcp-Session-Id": p.session}))
	beats(t, lines)
	for _, version := range []string{"2025-06-18", current} {
		p := w.overHTTP(url, version, "acme/ann", nil)
		header := map[string]string{"Mcp-Session-Id": p.session, "Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "call_tool"}
		r := send(t, http.MethodPost, url, string(p.encode(7, "tools/call", waiting)), header)
		receive(t, w.began, "the tool that waits")
		beats(t, bufio.NewScanner(r))
		if _ = r.Close(); version != current {
			p.notify("notifications/cancelled", map[string]any{"requestId": 7})
		}
		w.over()
	}
	late := w.overHTTP(url, current, "acme/eve", nil)
	r := send(t, http.MethodPost, url, string(late.encode(7, "resources/read", map[string]any{"uri": "toolsmith://audit"})), map[string]string{
		"Authorization": "Bearer acme/eve", "Mcp-Protocol-Version": current, "Mcp-Method": "resources/read", "Mcp-Name": "toolsmith://audit",
	})
	lines = bufio.NewScanner(r)
	beats(t, lines)
	close(refuse)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			checkRefusal(t, "a late refusal", reply{r.status, r.header, data}, -32602, "denied", true)
			return
		}
	}
	t.Error("a late refusal is not told")
}

// beats reads on until the stream has been kept open twice.
func beats(t *testing.T, lines *bufio.Scanner) {
	t.Helper()
	last := ""
	for n := 0; n < 2; {
		if !lines.Scan() {
			t.Fatalf("the stream ended after %q: %v", last, lines.Err())
		}
		last = lines.Text()
		if lines.Text() == ": still here" {
			n++
		}
	}
}

// none is randomness that there is none of.
type none struct{}

func (none) Read([]byte) (int, error) { return 0, errors.New("there is none") }

func TestWithoutRandomnessThereAreErrors(t *testing.T) {
	t.Parallel()
	w := open(t, setting{face: func(o *mcp.Options) { o.Random = none{} }})
	url := w.serve()
	r := ask(t, http.MethodPost, url, begin, nil)
	checkRefusal(t, "initialize", r, -32603, "unavailable", true)
	if r.header.Get("Mcp-Session-Id") != "" {
		t.Error("it has a name")
	}
	if err := w.face.ServeStdio(t.Context(), strings.NewReader(""), &strings.Builder{}, mcp.Local{}); err == nil {
		t.Error("a session without a name over stdio")
	}
	yes := says("accept", map[string]any{"approve": true})
	p := w.overHTTP(url, current, "acme/ann", yes)
	if r := use(t, p, "call_tool", map[string]any{"tool": "large_output"}); r.Error.Code != "unavailable" {
		t.Errorf("a large result: %+v", r)
	}
	w = open(t, func() setting {
		s := asking(t)
		human := s.face
		s.face = func(o *mcp.Options) { human(o); o.Random = none{} }
		return s
	}())
	p = w.overHTTP(w.serve(), current, "acme/ann", yes)
	if r := use(t, p, "forge_tool", request(nil)); r.Error.Code != "rejected" || !strings.Contains(r.Error.Message, "nobody answered") {
		t.Errorf("a question: %+v", r)
	}
}

// A credential has so many sessions, also when they begin at once; one that is ended makes room.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	var names []string
	for range 30 {
		names = append(names, w.overHTTP(url, "2025-06-18", "acme/ann", nil).session)
	}
	var at sync.WaitGroup
	for range 20 {
		at.Go(func() { ask(t, http.MethodPost, url, begin, nil) })
	}
	at.Wait()
	until(t, "the bound", func() bool {
		r := ask(t, http.MethodPost, url, begin, nil)
		if r.status == http.StatusTooManyRequests {
			checkRefusal(t, "one too many", r, 0, "limit", false)
		}
		return r.status == http.StatusTooManyRequests
	})
	alive := 0
	for _, name := range names {
		if r := ask(t, http.MethodPost, url, text("ping", "{}"), map[string]string{"Mcp-Session-Id": name}); r.status == http.StatusOK {
			alive++
		}
	}
	if alive != len(names) {
		t.Errorf("%d of %d sessions are left", alive, len(names))
	}
	w.overHTTP(url, "2025-06-18", "acme/ben", nil) // has room of its own
	if r := ask(t, http.MethodDelete, url, "", map[string]string{"Mcp-Session-Id": names[0]}); r.status != http.StatusNoContent {
		t.Errorf("the end of one: %d", r.status)
	}
	if r := ask(t, http.MethodPost, url, begin, nil); r.status != http.StatusOK || r.header.Get("Mcp-Session-Id") == "" {
		t.Errorf("there is no room again: %d %s", r.status, r.body)
	}
}

// Subscriptions of the current version are bounded likewise, whatever else runs.
func TestSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	w := open(t, setting{face: func(o *mcp.Options) { o.Publish = tool.AgentTier }})
	url := w.serve()
	header := map[string]string{"Mcp-Protocol-Version": current, "Mcp-Method": "subscriptions/listen"}
	body := text("subscriptions/listen", strings.TrimSuffix(modernMeta, "}")+`,"notifications":{"toolsListChanged":true}}`)
	listens := func() (status int, end func()) {
		r := send(t, http.MethodPost, url, body, header)
		return r.status, func() { _ = r.Close() }
	}
	_, end := listens()
	for range 31 {
		if status, _ := listens(); status != http.StatusOK {
			t.Fatalf("%d", status)
		}
	}
	checkRefusal(t, "one too many", ask(t, http.MethodPost, url, body, header), 0, "limit", false)
	use(t, w.overHTTP(url, current, "acme/ann", nil), "list_my_tools", map[string]any{}) // is no subscription
	end()
	until(t, "room for another", func() bool { status, _ := listens(); return status == http.StatusOK })
}

// A session over HTTP ends when its client says so, or leaves it idle; what was forged in it goes with it.
func TestSessionsOverHTTPEnd(t *testing.T) {
	t.Parallel()
	for how, end := range map[string]func(*testing.T, string, *web){
		"deleted": func(t *testing.T, url string, p *web) {
			t.Helper()
			if r := ask(t, http.MethodDelete, url, "", map[string]string{"Mcp-Session-Id": p.session}); r.status != http.StatusNoContent {
				t.Errorf("%d %s", r.status, r.body)
			}
		},
		"idle": func(*testing.T, string, *web) {},
	} {
		for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
			t.Run(how+" "+version, func(t *testing.T) {
				t.Parallel()
				w := open(t, setting{face: func(o *mcp.Options) {
					if o.Idle = time.Hour; how == "idle" {
						o.Idle = time.Second
					}
				}})
				url := w.serve()
				p := w.overHTTP(url, version, "acme/ann", nil)
				handle := forgeOK(t, p, nil)
				end(t, url, p)
				until(t, "the end of the session", func() bool { return gone(t, w, handle) })
				r := ask(t, http.MethodPost, url, text("tools/list", "{}"), map[string]string{"Mcp-Session-Id": p.session, "Mcp-Protocol-Version": version})
				if r.status != http.StatusNotFound {
					t.Errorf("it goes on: %d %s", r.status, r.body)
				}
			})
		}
	}
}

// What runs in a session over HTTP ends with it, also what waits for a person, and nobody waits for that.
func TestWhatRunsEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2024-11-05"} {
		t.Run("idle "+version, func(t *testing.T) {
			t.Parallel()
			w := open(t, setting{face: func(o *mcp.Options) { o.Idle = time.Second }})
			p := w.overHTTP(w.serve(), version, "acme/ann", nil)
			ctx, leave := context.WithCancel(t.Context())
			go func() { <-w.began; leave() }()
			p.asks(ctx, 99, "tools/call", waiting)
			w.over()
		})
		t.Run("deleted "+version, func(t *testing.T) {
			t.Parallel()
			w := open(t, asking(t))
			url := w.serve()
			p := w.overHTTP(url, version, "acme/ann", says("", nil)) // who never says it
			named := map[string]string{"Mcp-Session-Id": p.session, "Mcp-Protocol-Version": p.version}
			send(t, http.MethodPost, url, string(p.encode(7, "tools/call", waiting)), named)
			receive(t, w.began, "the tool that waits")
			forge := p.encode(8, "tools/call", map[string]any{"name": "forge_tool", "arguments": request(nil)})
			lines, asked := bufio.NewReader(send(t, http.MethodPost, url, string(forge), named)), false
			for !asked {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				asked = strings.Contains(line, "elicitation/create")
			}
			if r := ask(t, http.MethodDelete, url, "", named); r.status != http.StatusNoContent {
				t.Errorf("%d %s", r.status, r.body)
			}
			w.over()
		})
	}
}

// What is closed has ended its sessions with the host, which can be closed then.
func TestCloseEndsSessions(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	var handles []string
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		handles = append(handles, forgeOK(t, w.overHTTP(url, version, "acme/ann", nil), nil))
	}
	local := w.overStdio("2025-06-18", mcp.Local{}, nil)
	local.raw(string(local.encode(7, "tools/call", waiting)))
	receive(t, w.began, "the tool that waits")
	w.face.Close()
	for _, handle := range handles {
		if !gone(t, w, handle) {
			t.Errorf("%s is left", handle)
		}
	}
	w.over()
	for m, err := local.next(); err == nil; m, err = local.next() {
		t.Logf("its client is told: %+v", m)
	}
	for name, header := range map[string]map[string]string{"a session": nil, "a list": {"Mcp-Protocol-Version": current, "Mcp-Method": "tools/list"}} {
		r := ask(t, http.MethodPost, url, begin, header)
		if r.status != http.StatusServiceUnavailable {
			t.Errorf("%s is begun: %d %s", name, r.status, r.body)
		}
		checkRefusal(t, name, r, 0, "unavailable", false)
	}
}

// A call that waits for a person has ended before its host may close: at the end of its client's input, and of the face.
func TestWhatWaitsForAPersonHasEnded(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			var ended atomic.Bool
			set := asking(t)
			human, err := judge.NewHuman(judge.HumanOptions{OSUser: "ursula", Ask: func(ctx context.Context, by tool.Actor, question, sheet string) (bool, string, error) {
				defer ended.Store(true)
				defer time.Sleep(50 * time.Millisecond)
				return mcp.Ask(ctx, by, question, sheet)
			}})
			if err != nil {
				t.Fatal(err)
			}
			set.host = func(o *toolsmith.Options) { o.Judge = human }
			w := open(t, set)
			p := scenarioAsker(w, transport)
			if r := useWith(t, p, map[string]any{"name": "forge_tool", "arguments": request(nil)}); r.RequestState == "" {
				t.Fatalf("nobody is asked: %+v", r)
			}
			if local, ok := p.(*stdio); ok {
				_ = local.in.Close()
				_, err := local.next()
				local.done <- receive(t, local.done, "the end of the connection")
				if err == nil {
					t.Error("there is more")
				}
			} else {
				w.face.Close()
			}
			if !ended.Load() {
				t.Error("it goes on")
			}
		})
	}
}

// scenarioAsker is a client of the current version that can ask its user.
func scenarioAsker(w *world, transport string) peer {
	if transport == "stdio" {
		return w.overStdio(current, mcp.Local{}, says("", nil))
	}
	return w.overHTTP(w.serve(), current, "acme/ann", says("", nil))
}

// gone reports whether a tool is there no more.
func gone(t *testing.T, w *world, handle string) bool {
	t.Helper()
	d, err := w.desk(t.Context(), principal("acme", "ann"), "look")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Show(t.Context(), handle)
	return err != nil
}
