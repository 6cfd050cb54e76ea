package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/toolsmith"
	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

const template = `{"template":"x","values":{}}`

// Bodies that are on their way keep nobody out: not other tenants, and of their own tenant only further bodies.
func TestHalfBodiesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	server.Bound4Test(w.server, 16) // 8 requests, 4 of a tenant, 2 bodies
	address := w.serveAtMost(100)
	const sent, held = 12, 2
	type answer struct{ from, status int }
	answers := make(chan answer, sent)
	rest := make([]io.Writer, sent)
	for i := range sent {
		conn := dial(t, address, fmt.Sprintf("POST /v1/tools/text_template/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", annKey, len(template), template[:1]))
		rest[i] = conn
		go func() {
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				answers <- answer{i, 0}
				return
			}
			_ = r.Body.Close()
			answers <- answer{i, r.StatusCode}
		}()
	}
	for range sent - held {
		a := receive(t, answers, "the refusal of one body too many")
		if rest[a.from] = nil; a.status != http.StatusServiceUnavailable {
			t.Errorf("one too many was answered %d", a.status)
		}
	}
	for _, key := range []string{otherKey, annKey} {
		if status, err := statusOf("http://"+address+"/v1/tools", key); err != nil || status != http.StatusOK {
			t.Errorf("without a body %s is answered %d %v", key, status, err)
		}
	}
	w.ok(nil, otherKey, "POST", "/v1/tools/text_template/call", template)
	p, got := w.refused(503, tool.Unavailable, bobKey, "POST", "/v1/tools/text_template/call", template)
	if !strings.Contains(p.Detail, "bodies") || got.header.Get("Retry-After") == "" {
		t.Errorf("%v %s", got.header, got.body)
	}
	for _, conn := range rest {
		if conn == nil {
			continue
		}
		if _, err := io.WriteString(conn, template[1:]); err != nil {
			t.Fatal(err)
		}
		if a := receive(t, answers, "the answer to a body that arrived"); a.status != http.StatusOK {
			t.Errorf("a body that arrived was answered %d", a.status)
		}
	}
	w.ok(nil, bobKey, "POST", "/v1/tools/text_template/call", template)
}

func statusOf(url, key string) (int, error) {
	r, err := get(url, key)
	if err != nil {
		return 0, err
	}
	return r.StatusCode, r.Body.Close()
}

// No tenant has all requests that are answered, or all streams.
func TestPlacesAreShared(t *testing.T) {
	t.Parallel()
	for method, most := range map[string]int{"POST": 4, "GET": 3} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			begun, goOn := make(chan struct{}), make(chan struct{})
			w := open(t, "", func(_ *toolsmith.Options, o *server.Options) {
				o.MCP = func(func(*http.Request) (tool.Principal, bool)) http.Handler {
					return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						if r.Header.Get("Authorization") == "Bearer "+annKey {
							begun <- struct{}{}
							hold(goOn)
						}
					})
				}
			})
			server.Bound4Test(w.server, 16)
			address := w.serveAtMost(100)
			for range most {
				dial(t, address, method+" /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+annKey+"\r\n\r\n")
				receive(t, begun, "a request")
			}
			w.refused(503, tool.Unavailable, bobKey, method, "/mcp", "")
			if got := w.ask(otherKey, method, "/mcp", ""); got.status != http.StatusOK {
				t.Errorf("another tenant is answered %d %s", got.status, got.body)
			}
			close(goOn)
		})
	}
}
