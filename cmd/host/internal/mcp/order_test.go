package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
)

const begin = `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// untimely are messages that are wrong where a client begins, and the codes of their errors.
var untimely = map[string]int{
	`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":5,"capabilities":{}}}`:                      -32602,
	`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`:                                                           -32602,
	`{"jsonrpc":"2.0","id":7,"method":"initialize"}`:                                                                       -32602,
	`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":[]}}}`: -32602,
	`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`:                                                           -32600,
	`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_my_tools"}}`:                                     -32600,
	`{"jsonrpc":"2.0","id":7}`: -32600,
}

func TestWhatIsWrongBeforeASessionHasACode(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	p := w.overStdio(current, mcp.Local{}, nil) // it does not shake hands
	for text, want := range untimely {
		p.raw(text)
		m, err := p.next()
		checkCode(t, "stdio", text, want, m, err)
		r := ask(t, http.MethodPost, url, text, nil)
		m = message{}
		err = json.Unmarshal([]byte(r.body), &m)
		checkCode(t, "HTTP", text, want, m, err)
		if r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", text, r.status)
		}
	}
	p.raw(begin)
	if m, err := p.next(); err != nil || m.Error != nil {
		t.Errorf("afterwards: %+v, %v", m, err)
	}
	p.raw(begin)
	m, err := p.next()
	checkCode(t, "stdio", "a second initialize", -32600, m, err)
	r := ask(t, http.MethodPost, url, begin, map[string]string{"Mcp-Session-Id": w.overHTTP(url, "2025-06-18", "acme/ann", nil).session})
	m = message{}
	err = json.Unmarshal([]byte(r.body), &m)
	checkCode(t, "HTTP", "a second initialize", -32600, m, err)
}

func checkCode(t *testing.T, where, text string, want int, m message, err error) {
	t.Helper()
	if err != nil || m.Error == nil || m.Error.Code != want || fmt.Sprint(m.ID) != "7" {
		t.Errorf("%s over %s: %+v, %v; want %d", text, where, m.Error, err, want)
	}
}

// reply is what came of a request over HTTP.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request, and reads its answer.
func ask(t *testing.T, method, url, text string, header map[string]string) reply {
	t.Helper()
	r := send(t, method, url, text, header)
	defer r.Close()
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return reply{r.status, r.header, string(body)}
}

// stream is an answer over HTTP that goes on.
type stream struct {
	io.ReadCloser
	status int
	header http.Header
}

// send sends a request of ann's, with headers as the protocol wants them where none are given; one that is empty is left out. The
// answer is closed with the test.
func send(t *testing.T, method, url, text string, header map[string]string) stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer acme/ann"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	for name, value := range header {
		if req.Header.Set(name, value); value == "" {
			req.Header.Del(name)
		}
	}
	r, err := patient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Body.Close() })
	r.Header.Del("Date")
	return stream{r.Body, r.StatusCode, r.Header}
}

// A client that begins a session with a version that there is not, or that has no sessions, is answered with one that there is, and
// served in that one: it is asked in the way of that version, too.
func TestSessionsSpeakAVersionThatThereIs(t *testing.T) {
	t.Parallel()
	const stateful = "2025-11-25"
	yes := says("accept", map[string]any{"approve": true})
	w := open(t, asking(t))
	url := w.serve()
	for _, version := range []string{"2099-01-01", "1", "x"} {
		for where, p := range map[string]peer{"stdio": w.overStdio(version, mcp.Local{}, yes), "HTTP": w.overHTTP(url, version, "acme/ann", yes)} {
			if got := p.common().version; got != stateful {
				t.Errorf("%s over %s: the version is %s", version, where, got)
			}
			if r := use(t, p, "forge_tool", request(nil)); r.IsError || r.RequestState != "" {
				t.Errorf("%s over %s: %+v", version, where, r)
			}
		}
	}
	r := ask(t, http.MethodPost, url, strings.ReplaceAll(begin, "2025-06-18", current), nil)
	if !strings.Contains(r.body, `"protocolVersion":"`+stateful+`"`) {
		t.Errorf("%s", r.body)
	}
	r = ask(t, http.MethodPost, url, text("tools/list", "{}"), map[string]string{
		"Mcp-Session-Id": r.header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": current, "Mcp-Method": "tools/list",
	})
	if !strings.Contains(r.body, "this session speaks "+stateful) {
		t.Errorf("another version in the session: %d %s", r.status, r.body)
	}
}

func TestRequestsThatDoNotFitAreProblems(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	session := w.overHTTP(url, "2025-06-18", "acme/ann", nil).session
	for name, c := range map[string]struct {
		method string
		header map[string]string
		status int
		code   string
	}{
		"another type":        {"POST", map[string]string{"Content-Type": "text/plain"}, 415, "invalid_request"},
		"no type":             {"POST", map[string]string{"Content-Type": ""}, 415, "invalid_request"},
		"another type, now":   {"POST", map[string]string{"Content-Type": "text/plain", "Mcp-Protocol-Version": current}, 415, "invalid_request"},
		"JSON alone":          {"POST", map[string]string{"Accept": "application/json"}, 406, "invalid_request"},
		"events alone":        {"POST", map[string]string{"Accept": "text/event-stream;q=1"}, 406, "invalid_request"},
		"JSON alone, now":     {"POST", map[string]string{"Accept": "application/json", "Mcp-Protocol-Version": current}, 406, "invalid_request"},
		"a stream of JSON":    {"GET", map[string]string{"Accept": "application/json", "Mcp-Session-Id": session}, 406, "invalid_request"},
		"a stream of nothing": {"GET", nil, 400, "invalid_request"},
		"an end of nothing":   {"DELETE", nil, 400, "invalid_request"},
		"a session of nobody": {"POST", map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, "not_found"},
		"a stream of nobody":  {"GET", map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, "not_found"},
		"an end of nobody":    {"DELETE", map[string]string{"Mcp-Session-Id": "NOBODYS"}, 404, "not_found"},
		"a version too long":  {"POST", map[string]string{"Mcp-Protocol-Version": strings.Repeat("9", 40)}, 400, "invalid_request"},
		"no key":              {"POST", map[string]string{"Authorization": ""}, 401, "denied"},
		"a page of others'":   {"POST", map[string]string{"Origin": "https://example.com"}, 403, "denied"},
		"anything is taken":   {"POST", map[string]string{"Accept": "*/*"}, 200, ""},
		"types of a kind":     {"POST", map[string]string{"Accept": "text/*, Application/JSON"}, 200, ""},
		"JSON with a charset": {"POST", map[string]string{"Content-Type": "application/json; charset=utf-8"}, 200, ""},
	} {
		checkProblem(t, name, c.method, url, c.header, c.status, c.code)
	}
	checkProblem(t, "the end of a session", http.MethodDelete, url, map[string]string{"Mcp-Session-Id": session}, http.StatusNoContent, "")
}

func checkProblem(t *testing.T, name, method, url string, header map[string]string, status int, code string) {
	t.Helper()
	r := ask(t, method, url, begin, header)
	var p struct {
		Type, Title, Detail, Code string
		Status                    int
	}
	switch {
	case r.status != status:
		t.Errorf("%s: %d %s", name, r.status, r.body)
	case code == "":
	case json.Unmarshal([]byte(r.body), &p) != nil || r.header.Get("Content-Type") != "application/problem+json":
		t.Errorf("%s: no problem: %s", name, r.body)
	case p.Type != "about:blank" || p.Title != http.StatusText(status) || p.Detail == "" || p.Code != code || p.Status != status:
		t.Errorf("%s: %s", name, r.body)
	}
}

func TestSessionsOfOthersAreAsIfThereWereNone(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	url := w.serve()
	theirs := w.overHTTP(url, "2025-06-18", "acme/bob", nil)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		foreign := ask(t, method, url, begin, map[string]string{"Mcp-Session-Id": theirs.session})
		absent := ask(t, method, url, begin, map[string]string{"Mcp-Session-Id": strings.ToLower(theirs.session)})
		if foreign.status != http.StatusNotFound || !reflect.DeepEqual(foreign, absent) {
			t.Errorf("%s: %+v and %+v", method, foreign, absent)
		}
	}
	use(t, theirs, "list_my_tools", map[string]any{}) // it goes on
}

// Whoever stands before the face can still ask who is behind a request, while it is answered.
func TestTheKeyStaysWithWhoeverLookedAtIt(t *testing.T) {
	t.Parallel()
	face := mcp.New(mcp.Options{})
	t.Cleanup(face.Close)
	h := face.Handler(func(*http.Request) (tool.Principal, bool) { return principal("acme", "ann"), true })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(begin))
	r.Header.Set("Authorization", "Bearer key")
	h.ServeHTTP(httptest.NewRecorder(), r)
	if got := r.Header.Get("Authorization"); got != "Bearer key" {
		t.Errorf("it is %q", got)
	}
}
