package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// A body is in UTF-8.
func TestCharacterSets(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	for kind, status := range map[string]int{
		"application/json; charset=utf-16": 415, "application/json; charset=": 415, "application/json;charset=latin1": 415,
		"application/json; charset=UTF-8": 200, `application/json; charset="utf-8"; q=1`: 200, "application/json": 200,
	} {
		if got := w.ask(annKey, "POST", "/v1/tools/add_numbers/call", `{"a":1,"b":2}`, "Content-Type", kind); got.status != status {
			t.Errorf("%s: %d %s", kind, got.status, got.body)
		}
	}
}

// A body that is malformed is told at once from one that is slow.
func TestChunks(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	const head = "POST /v1/tools/add_numbers/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + annKey + "\r\nContent-Type: application/json\r\n"
	const chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
	for name, c := range map[string]struct {
		text   string
		half   bool // the client sends no more
		status int
	}{
		"whole":                    {chunked + "d\r\n{\"a\":1,\"b\":2}\r\n0\r\n\r\n", false, 200},
		"a size that is no number": {chunked + "zz\r\n{}\r\n0\r\n\r\n", false, 400},
		"a chunk that is longer":   {chunked + "1\r\n{}\r\n0\r\n\r\n", false, 400},
		"a chunk that is cut off":  {chunked + "ff\r\n{}", true, 400},
		"a length that is not met": {head + "Content-Length: 9\r\n\r\n{}", true, 400},
		"two lengths":              {head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", false, 400},
		"an unknown encoding":      {head + "Transfer-Encoding: gzip\r\n\r\n{}", false, 501},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.http.URL, "http://")) //nolint:noctx // it is the server that ends it
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.text); err != nil {
				t.Fatal(err)
			}
			if tcp, ok := conn.(*net.TCPConn); c.half && (!ok || tcp.CloseWrite() != nil) {
				t.Fatal("half of the connection cannot be closed")
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if text, _ := io.ReadAll(answer.Body); answer.StatusCode != c.status {
				t.Errorf("%d %s", answer.StatusCode, text)
			}
		})
	}
}

// Where nothing is taken, that is said.
func TestBodiesOfNoUse(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, method := range []string{"GET", "DELETE"} {
		p, _ := w.refused(413, tool.InvalidRequest, annKey, method, "/v1/tools/x", "hello")
		if p.Detail != "this takes no body" || p.Hint == "" {
			t.Errorf("%s: %s (%s)", method, p.Detail, p.Hint)
		}
	}
}

// What nobody may send is not asked for.
func TestNothingIsAskedForThatIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for key, want := range map[string]int{lookKey: 403, annKey: 100} {
		conn := dial(t, strings.TrimPrefix(w.http.URL, "http://"), "POST /v1/forge HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+key+
			"\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", key, answer.StatusCode, want)
		}
	}
}

// After chunks, beside which there may have been a length, a connection is not used again.
func TestChunksEndTheirConnection(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, length := range []string{"", "Content-Length: 5\r\n"} {
		const body = `{"template":"x","values":{}}`
		conn := dial(t, strings.TrimPrefix(w.http.URL, "http://"), fmt.Sprintf("POST /v1/tools/text_template/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\n%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", annKey, length, len(body), body))
		from := bufio.NewReader(conn)
		answer, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 200 || !answer.Close {
			t.Errorf("%q: %d, closed %v: %s", length, answer.StatusCode, answer.Close, text)
		}
		if more, _ := io.ReadAll(from); len(more) > 0 {
			t.Errorf("%q: a second request was answered %s", length, more)
		}
	}
}

// deadlines is an answer that notes how long its request may take to arrive.
type deadlines struct {
	http.ResponseWriter

	most time.Duration
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	if !at.IsZero() {
		d.most = max(d.most, time.Until(at))
	}
	return nil
}

// A body has the time that its length asks for, and not what the longest would need.
func TestTimeForBodies(t *testing.T) {
	t.Parallel()
	w := open(t, "", func(_ *toolsmith.Options, o *server.Options) { o.InputBytes = 16 << 20 })
	for _, c := range []struct {
		name        string
		length      int64
		least, most time.Duration
	}{
		{"small", 1000, 0, 11 * time.Second},
		{"large", 10 << 20, 100 * time.Second, 171 * time.Second},
		{"in chunks", -1, 200 * time.Second, 267 * time.Second},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/v1/tools/text_template/call", strings.NewReader(`{}`))
		r.Header.Set("Authorization", "Bearer "+annKey)
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = c.length
		d := &deadlines{ResponseWriter: httptest.NewRecorder()}
		w.server.Handler().ServeHTTP(d, r)
		if d.most < c.least || d.most > c.most {
			t.Errorf("%s: it has %s, want %s to %s", c.name, d.most, c.least, c.most)
		}
	}
}
