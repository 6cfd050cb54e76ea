package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
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
