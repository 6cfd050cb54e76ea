package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// A page of another site, and a name that somebody else made lead here, get nothing.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	face := mcp.New(mcp.Options{})
	t.Cleanup(face.Close)
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Hosts, o.MCP = []string{"tools.example"}, face.Handler
	})
	own := strings.TrimPrefix(w.http.URL, "http://")
	for name, c := range map[string]struct {
		headers []string
		ok      bool
	}{
		"no origin":                     {nil, true},
		"its own origin":                {[]string{"Origin", w.http.URL}, true},
		"localhost":                     {[]string{"Host", "localhost:1"}, true},
		"loopback, version 6":           {[]string{"Host", "[::1]:7420"}, true},
		"a configured name":             {[]string{"Host", "Tools.Example:443"}, true},
		"mcp-023: foreign origin":       {[]string{"Origin", "http://evil.test"}, false},
		"mcp-024: foreign host":         {[]string{"Host", "rebind.evil.test:8080"}, false},
		"mcp-025: form of another site": {[]string{"Origin", "null", "Content-Type", "text/plain"}, false},
		"another port of this machine":  {[]string{"Origin", "http://localhost:1"}, false},
		"cross-site":                    {[]string{"Sec-Fetch-Site", "cross-site", "Origin", "http://evil.test"}, false},
		"cross-site, without an origin": {[]string{"Sec-Fetch-Site", "cross-site"}, false},
		"another port, by its browser":  {[]string{"Sec-Fetch-Site", "same-site"}, false},
		"a page of its own":             {[]string{"Sec-Fetch-Site", "same-origin"}, true},
		"typed by its user":             {[]string{"Sec-Fetch-Site", "none"}, true},
		"an origin that begins alike":   {[]string{"Origin", w.http.URL + ".evil.test"}, false},
		"an origin with a user":         {[]string{"Origin", "http://" + own + "@evil.test"}, false},
		"a rebound pair":                {[]string{"Host", "evil.test", "Origin", "http://evil.test"}, false},
		"a name of nothing":             {[]string{"Host", "."}, false},
		"a name with a dot at its end":  {[]string{"Host", "tools.example."}, true},
		"all interfaces":                {[]string{"Host", "0.0.0.0"}, false},
	} {
		for _, request := range [][2]string{{"GET", "/v1/tools"}, {"POST", "/v1/tools/nothing/call"}, {"GET", "/docs"}, {"GET", "/healthz"}, {"PUT", "/mcp"}, {"POST", "/mcp"}} {
			got := w.ask(annKey, request[0], request[1], "", c.headers...)
			if (got.status == http.StatusForbidden) == c.ok {
				t.Errorf("%s: %s %s: %d %s", name, request[0], request[1], got.status, got.body)
			}
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	const call = "/v1/tools/add_numbers/call"
	for _, c := range []struct {
		name, path, body, kind string
		status                 int
	}{
		{"mcp-025: a form", call, `{"a":1}`, "text/plain", 415},
		{"a form", call, `a=1`, "application/x-www-form-urlencoded", 415},
		{"no type that is one", call, `{"a":1}`, ";;", 415},
		{"mcp-002: huge", call, strings.Repeat("x", 1<<20+1), "application/json", 413},
		{"a huge request", "/v1/forge", strings.Repeat(" ", 2<<20), "application/json", 413},
		{"a huge reason", "/v1/tools/add_numbers/suspend", `{"reason":"` + strings.Repeat("x", 10_000) + `"}`, "application/json", 413},
		{"mcp-003: deep", call, `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "application/json", 422},
		{"mcp-006: not UTF-8", call, "{\"a\":1,\"b\":2,\"\xff\":3}", "application/json", 422},
		{"mcp-007: a key twice", call, `{"a":1,"a":2,"b":2}`, "application/json", 422},
		{"mcp-015: a list", call, `[1,2]`, "application/json", 422},
		{"mcp-017: a number that breaks validators", call, `{"a":1e10000000,"b":2}`, "application/json", 422},
		{"a decision with a key twice", "/v1/tools/add_numbers/suspend", `{"reason":"a","reason":"b"}`, "application/json", 422},
		{"a decision with an unknown key", "/v1/tools/add_numbers/suspend", `{"Reason":"a"}`, "application/json", 422},
		{"not JSON", "/v1/forge", `{`, "application/json", 422},
		{"with parameters", call, `{"a":1,"b":2}`, "application/json; charset=utf-8", 200},
		{"mcp-016: a prototype", call, `{"a":1,"b":2,"__proto__":{"sum":9}}`, "application/json", 200},
	} {
		got := w.ask(annKey, "POST", c.path, c.body, "Content-Type", c.kind)
		if got.status != c.status || c.status == 200 && !strings.Contains(string(got.body), `"output":{"sum":3}`) {
			t.Errorf("%s: %d %.300s", c.name, got.status, got.body)
		}
		if c.status != 200 && len(got.body) > 4<<10 {
			t.Errorf("%s: the problem has %d bytes", c.name, len(got.body))
		}
	}
}

func TestPathsThatAreNotThere(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.refused(404, tool.NotFound, annKey, "GET", "/v2/tools", "")
	w.refused(404, tool.NotFound, annKey, "GET", "/metrics", "")
	w.refused(404, tool.NotFound, annKey, "POST", "/mcp", "{}")
	for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE"} {
		if _, got := w.refused(405, tool.InvalidRequest, annKey, method, "/v1/tools/x", ""); got.header.Get("Allow") != "GET, DELETE" {
			t.Errorf("Allow is %q", got.header.Get("Allow"))
		}
	}
	for _, path := range []string{"/v1//tools", "/v1/../healthz", "/./healthz", "//healthz", "/v1/tools/.."} { // nothing leads on
		w.refused(404, tool.NotFound, annKey, "GET", path, "")
		w.refused(404, tool.NotFound, annKey, "PUT", path, "")
	}
}

// A fault of the host is told without its text, and the process goes on.
func TestFaults(t *testing.T) {
	t.Parallel()
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.Metrics = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret of the host") })
		o.Authenticate = func(ctx context.Context, key string) (tool.Principal, error) {
			switch key {
			case "broken":
				return tool.Principal{}, tool.Errorf(tool.Unavailable, "reading /secret/path: %w", io.ErrUnexpectedEOF)
			case "faulty":
				return tool.Principal{}, io.ErrUnexpectedEOF
			}
			return authenticate(ctx, key)
		}
	})
	for key, status := range map[string]int{"broken": 503, "faulty": 500} {
		got := w.ask(key, "GET", "/v1/tools", "")
		if got.status != status || strings.Contains(string(got.body), "secret") || strings.Contains(string(got.body), "EOF") {
			t.Errorf("%s: %d %s", key, got.status, got.body)
		}
		if (got.header.Get("Retry-After") != "") != (status == 503) {
			t.Errorf("%s: Retry-After is %q", key, got.header.Get("Retry-After"))
		}
	}
	p, got := w.refused(500, tool.Internal, rootKey, "GET", "/metrics", "")
	if strings.Contains(string(got.body), "secret") || p.Detail == "" {
		t.Errorf("got %s", got.body)
	}
	w.refused(403, tool.Denied, annKey, "GET", "/metrics", "")
	w.refused(403, tool.Denied, graceKey, "GET", "/metrics", "") // an administrator, of one tenant among others
	w.ok(nil, annKey, "GET", "/v1/tools", "")
}

// serve serves a world on a listener of its own until the function is called, which returns what Serve did.
func (w *world) serve(keyed bool) (address string, stop func() error) {
	w.t.Helper()
	l, err := server.Listen(w.t.Context(), "127.0.0.1:0", keyed, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.Serve(ctx, l) }()
	return l.Addr().String(), func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			return fmt.Errorf("the server did not end within %s", patience)
		}
	}
}

// mcp-027: a header block without end is given up, and so is whoever sends nothing.
func TestDrips(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for time to pass")
	}
	w := open(t, "", nil)
	address, stop := w.serve(true)
	for name, c := range map[string]struct{ text, answer string }{
		"mcp-027: a header without end": {"GET /v1/tools HTTP/1.1\r\nHost: localhost\r\nX: ", ""},
		"mcp-028: a body in drips": {
			"POST /v1/tools/x/suspend HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + annKey + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 408 ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", address) //nolint:noctx // it is the server that ends it
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.text); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			answer, err := io.ReadAll(conn)
			if err != nil || !strings.HasPrefix(string(answer), c.answer) {
				t.Errorf("got %q %v", answer, err)
			}
		})
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestListen(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"} {
		if _, err := server.Listen(t.Context(), address, false, nil); tool.AsError(err) == nil || tool.AsError(err).Code != tool.Denied {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := server.Listen(t.Context(), address, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Listen(t.Context(), l.Addr().String(), false, nil); tool.AsError(err) == nil || tool.AsError(err).Code != tool.Unavailable {
			t.Errorf("an address that is taken: %v", err)
		}
		_ = l.Close()
	}
}

// A server that ends answers what is in flight, and refuses what is new.
func TestEndsInOrder(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.MCP = func(func(*http.Request) (tool.Principal, bool)) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				close(begun)
				hold(goOn)
				_, _ = io.WriteString(w, "done")
			})
		}
	})
	address, stop := w.serve(true)
	followed, err := get("http://"+address+"/v1/events", graceKey)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan string, 1)
	go func() {
		r, err := get("http://"+address+"/mcp", annKey)
		if err != nil {
			answered <- err.Error()
			return
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		answered <- fmt.Sprint(string(text), err)
	}()
	receive(t, begun, "the request that is in flight")
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for until := time.Now().Add(patience); ; { // it has begun to end
		recorder := httptest.NewRecorder()
		w.server.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/readyz", nil))
		if recorder.Code == http.StatusServiceUnavailable {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("the server did not begin to end within %s", patience)
		}
		time.Sleep(time.Millisecond)
	}
	recorder := httptest.NewRecorder()
	w.server.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/v1/tools", nil))
	if recorder.Code != http.StatusServiceUnavailable || recorder.Header().Get("Retry-After") == "" {
		t.Errorf("what is new is answered %d", recorder.Code)
	}
	close(goOn)
	if got := receive(t, answered, "the answer to what was in flight"); got != "done<nil>" {
		t.Errorf("what was in flight was answered %s", got)
	}
	if err := receive(t, ended, "the end of the server"); err != nil {
		t.Error(err)
	}
	text, _ := io.ReadAll(followed.Body)
	_ = followed.Body.Close()
	if !strings.Contains(string(text), "event: end\ndata: {\"reason\":\"the server ends\"}\n\n") {
		t.Errorf("the stream ends with %q", text)
	}
}

// get sends a request that the caller reads and closes.
func get(url, key string, headers ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return patient.Do(r)
}

// lines reads a stream by lines.
func lines(body io.Reader) *bufio.Reader { return bufio.NewReader(body) }

// The page that shows the document is small, and its browser may ask nobody else.
func TestPage(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for path, kind := range map[string]string{"/docs": "text/html", "/docs/docs.js": "text/javascript", "/docs/docs.css": "text/css"} {
		got := w.ask("", "GET", path, "")
		policy := got.header.Get("Content-Security-Policy")
		if got.status != http.StatusOK || len(got.body) > 10<<10 || !strings.HasPrefix(got.header.Get("Content-Type"), kind) ||
			!strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d, %d bytes of %s under %s", path, got.status, len(got.body), got.header.Get("Content-Type"), policy)
		}
		if strings.Contains(string(got.body), "://") {
			t.Errorf("%s names another site", path)
		}
	}
}
