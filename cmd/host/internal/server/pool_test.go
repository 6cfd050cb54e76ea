package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// dial connects, and says something.
func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address) //nolint:noctx // it is the server that ends it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// serveAtMost serves a world with room for so many connections.
func (w *world) serveAtMost(most int) (address string) {
	w.t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.server.Serve(ctx, server.Pool4Test(l, most)) }()
	w.t.Cleanup(func() {
		cancel()
		if err := receive(w.t, done, "the end of the server"); err != nil {
			w.t.Error(err)
		}
	})
	return l.Addr().String()
}

// A refusal does not wait for the body that it refuses, and its connection is closed soon.
func TestRefusalsDoNotWait(t *testing.T) {
	t.Parallel()
	face := mcp.New(mcp.Options{})
	t.Cleanup(face.Close)
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.MCP, o.Metrics = face.Handler, http.NotFoundHandler()
	})
	address := w.serveAtMost(100)
	const key, lookingKey = "Authorization: Bearer " + annKey + "\r\n", "Authorization: Bearer " + lookKey + "\r\n"
	for name, c := range map[string]struct {
		request, headers string
		status           int
	}{
		"forging without a key":   {"POST /v1/forge", "", 401},
		"mcp without a key":       {"POST /mcp", "", 401},
		"metrics without a key":   {"GET /metrics", "", 401},
		"healthz":                 {"GET /healthz", "", 200},
		"a method of no use":      {"POST /healthz", "", 405},
		"a path of nothing":       {"POST /nope", "", 404},
		"a foreign origin":        {"POST /v1/forge", key + "Origin: http://evil.test\r\n", 403},
		"a content type":          {"POST /v1/forge", key + "Content-Type: text/plain\r\n", 415},
		"a body of no use":        {"GET /v1/tools", key, 413},
		"events with a body":      {"GET /v1/events", key, 413},
		"a scope that is missing": {"GET /metrics", key, 403},
		"forging without scope":   {"POST /v1/forge", lookingKey, 403},
		"importing without scope": {"POST /v1/import", lookingKey, 403},
		"promoting without scope": {"POST /v1/tools/x/promote", key, 403},
		"resuming without scope":  {"POST /v1/tools/x/resume", key, 403},
		"deciding without scope":  {"POST /v1/tools/x/suspend", lookingKey, 403},
		"a key that says nothing": {"POST /v1/forge", key + "Idempotency-Key: \r\n", 422},
	} {
		for _, length := range []string{"Content-Length: 500\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
			t.Run(name+" "+length[:7], func(t *testing.T) {
				t.Parallel()
				conn := dial(t, address, c.request+" HTTP/1.1\r\nHost: localhost\r\n"+c.headers+length)
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(answer.Body)
				_ = answer.Body.Close()
				if answer.StatusCode != c.status || !answer.Close || err != nil {
					t.Errorf("%d %v %s %v; want %d, and the connection closed", answer.StatusCode, answer.Header, text, err, c.status)
				}
				if _, err := io.ReadAll(conn); err != nil {
					t.Error("the connection stays open:", err)
				}
			})
		}
	}
}

// Those whose bodies were read go on over the same connection.
func TestConnectionsStay(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	conn := dial(t, w.serveAtMost(100), "")
	from := bufio.NewReader(conn)
	for range 3 {
		body := `{"template":"x","values":{}}`
		_, err := fmt.Fprintf(conn, "POST /v1/tools/text_template/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			annKey, len(body), body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 || answer.Close {
			t.Errorf("%d %v %s", answer.StatusCode, answer.Header, text)
		}
	}
}

// Connections that say nothing, little, or nothing more keep nobody out, however many there are.
func TestHalfOpenConnections(t *testing.T) {
	t.Parallel()
	most := 400
	if testing.Short() {
		most = 40
	}
	w := open(t, "", nil)
	address := w.serveAtMost(most)
	for name, text := range map[string]string{
		"silent":                  "",
		"half a head":             "GET /healthz HTTP/1.1\r\nHost: loc",
		"half a body, no key":     "POST /v1/forge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{",
		"idle after an answer":    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"answers that none reads": "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		for range most + 6 {
			dial(t, address, text)
		}
		r, err := get("http://"+address+"/healthz", "")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_ = r.Body.Close()
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
}

// While all connections have their requests answered, those stay and further ones are closed.
func TestConnectionsInUse(t *testing.T) {
	t.Parallel()
	const most = 4
	begun, goOn := make(chan struct{}), make(chan struct{})
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
		o.MCP = func(func(*http.Request) (tool.Principal, bool)) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; hold(goOn) })
		}
	})
	address := w.serveAtMost(most)
	var busy []net.Conn
	for range most {
		busy = append(busy, dial(t, address, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+annKey+"\r\n\r\n"))
		receive(t, begun, "a request")
	}
	if answer, err := io.ReadAll(dial(t, address, "")); len(answer) > 0 {
		t.Errorf("one too many was answered %q %v", answer, err)
	}
	close(goOn)
	for _, conn := range busy {
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || answer.StatusCode != http.StatusOK { //nolint:bodyclose // it has none
			t.Errorf("what was in flight: %v %v", answer, err)
		}
	}
	r, err := get("http://"+address+"/healthz", "") // for which one of those makes room
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
}

// oneConnection is a listener that accepts a connection.
type oneConnection struct {
	net.Listener

	conn net.Conn
}

func (l oneConnection) Accept() (net.Conn, error) { return l.conn, nil }

// A client that takes nothing is given up, even where nobody bounds what is written to it.
func TestClientsThatTakeNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		conn, err := server.Pool4Test(oneConnection{conn: near}, 1).Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if n, err := conn.Write(make([]byte, 1<<20)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes were taken, %v", n, err)
		}
	})
}
