package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"example.com/toolsmith/cmd/host/internal/server"
	"example.com/toolsmith/runtime/tool"
)

// A link leads to what documents the API, and to nothing else.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := open(t, "", withoutKeys)
	for path, status := range map[string]int{"/docs": 200, "/openapi.json": 200, "/docs/docs.js": 403, "/v1/tools": 403, "/healthz": 403} {
		got := w.ask("", "GET", path, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
		if got.status != status {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := w.ask("", "GET", "/openapi.json", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors"); got.status != 403 {
		t.Errorf("a script got %d", got.status)
	}
}

// Of two headers nobody knows which is meant.
func TestDoubledHeaders(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, name := range []string{
		"Authorization", "Content-Type", "Content-Encoding", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Toolsmith-Session",
	} {
		conn := dial(t, strings.TrimPrefix(w.http.URL, "http://"), fmt.Sprintf(
			"POST /v1/tools/text_template/call HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s: a\r\n%s: b\r\nContent-Length: 0\r\n\r\n", annKey, name, strings.ToLower(name)))
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 422 || !strings.Contains(string(text), "more than once") || !strings.Contains(string(text), `"path":"/header/`) {
			t.Errorf("%s: %d %s", name, answer.StatusCode, text)
		}
	}
}

// What cannot be read of a query is not left out of it.
func TestMalformedQueries(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, query := range []string{"?;a=b", "?limit=1%zz", "?limit=1;all=true", "?limit=%", "?a=%u1234"} {
		w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/catalog"+query, "")
	}
	p, _ := w.refused(422, tool.InvalidRequest, annKey, "GET", "/v1/catalog?limit=1000", "")
	if p.Path != "/query/limit" || len(p.Errors) != 1 || p.Errors[0].Location != "query.limit" {
		t.Errorf("the place is %q, the mistakes are %v", p.Path, p.Errors)
	}
	w.ok(nil, annKey, "GET", "/v1/catalog?limit=1", "")
}

// All that is wrong with the query and the headers of a request is told at once, and where.
func TestAllMistakes(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	long := strings.Repeat("k", 300)
	for _, c := range []struct {
		method, path string
		headers      []string
		want         []string // locations
	}{
		{"GET", "/v1/tools?limit=abc&foo=1", nil, []string{"query.foo", "query.limit"}},
		{"GET", "/v1/tools?limit=abc&limit=2&foo=1&tier=none&cursor=zzz", nil, []string{"query.cursor", "query.foo", "query.limit", "query.limit", "query.tier"}},
		{"GET", "/v1/tools?foo=1", nil, []string{"query.foo"}},
		{"GET", "/v1/tools?limit=1&limit=1", nil, []string{"query.limit"}},
		{"POST", "/v1/import?trust=zz&foo=1&requireSignature=2", []string{"Idempotency-Key", long}, []string{"header.Idempotency-Key", "query.foo", "query.requireSignature", "query.trust"}},
		{"GET", "/v1/caller", []string{server.SessionHeader, long}, []string{"header." + server.SessionHeader}},
		{"GET", "/healthz?a/b=1", nil, []string{"query.a/b"}},
	} {
		p, _ := w.refused(422, tool.InvalidRequest, annKey, c.method, c.path, "", c.headers...)
		var got []string
		for _, m := range p.Errors {
			got = append(got, m.Location)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) || p.Hint == "" || !strings.HasPrefix(p.Detail, p.Errors[0].Location) {
			t.Errorf("%s: got %q, want %q in %+v", c.path, got, c.want, p)
		}
	}
	if p, _ := w.refused(422, tool.InvalidRequest, annKey, "GET", "/healthz?a/b=1", ""); p.Path != "/query/a~1b" {
		t.Errorf("the place is %s", p.Path)
	}
}

// The place of a mistake is one of the body that was sent.
func TestPlacesInBodies(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	id := w.forge(graceKey, "add_numbers")
	w.ok(nil, graceKey, "POST", "/v1/tools/"+id+"/promote", `{"to":"agent"}`)
	for _, c := range []struct{ what, body, path string }{
		{"promote", `{"to":"agent"}`, "/to"},
		{"promote", `{"to":"session"}`, "/to"},
		{"promote", `{"to":"shared","approvedBy":"eve"}`, "/approvedBy"},
		{"demote", `{}`, "/reason"},
		{"suspend", `{"reason":"` + strings.Repeat("x", 1001) + `"}`, "/reason"},
		{"revert", `{}`, "/version"},
		{"revert", `{"version":1}`, "/version"},
		{"call", `{}`, "/a"},
		{"call", `{"a":1}`, "/b"},
		{"call", `{"a":1,"b":"x"}`, "/b"},
	} {
		got := w.ask(graceKey, "POST", "/v1/tools/"+id+"/"+c.what, c.body)
		var p server.Problem
		if err := json.Unmarshal(got.body, &p); err != nil || got.status/100 != 4 || p.Path != c.path || p.Hint == "" {
			t.Errorf("%s %s: got %d %s; want the place %s and a hint", c.what, c.body, got.status, got.body, c.path)
		}
	}
}

// A key that says nothing would let the same request be done twice.
func TestEmptyIdempotencyKeys(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const path, body = "/v1/tools/text_template/call", `{"template":"x","values":{}}`
	for _, key := range []string{"", " "} {
		p, _ := w.refused(422, tool.InvalidRequest, annKey, "POST", path, body, "Idempotency-Key", key)
		if p.Path != "/header/Idempotency-Key" || len(p.Errors) != 1 || p.Hint == "" {
			t.Errorf("%q: %+v", key, p)
		}
	}
}

// Who asks as of old, without saying whom, is told so.
func TestNoHost(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	for _, head := range []string{"GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"} {
		answer, err := http.ReadResponse(bufio.NewReader(dial(t, strings.TrimPrefix(w.http.URL, "http://"), head)), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 403 || !strings.Contains(string(text), "no Host header") || strings.Contains(string(text), "server.hosts") {
			t.Errorf("%q: %d %s", head, answer.StatusCode, text)
		}
	}
}

func TestEncodedBodies(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	const path, body = "/v1/tools/text_template/call", `{"template":"x","values":{}}`
	if _, got := w.refused(415, tool.InvalidRequest, annKey, "POST", path, body, "Content-Encoding", "gzip"); got.header.Get("Accept-Encoding") != "identity" {
		t.Errorf("got %v", got.header)
	}
	w.ok(nil, annKey, "POST", path, body, "Content-Encoding", "identity")
}

// Headers have as many bytes as is said, and no more.
func TestLongHeaders(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	address := w.serveAtMost(10)
	for size, want := range map[int]int{30_000: 200, 33_000: 431} {
		conn := dial(t, address, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", size)+"\r\n\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%d bytes: %d", size, answer.StatusCode)
		}
	}
}

// The scheme of a key may be in any case. One that was mistyped is told from one that does not work.
func TestKeysAsTheyAreSent(t *testing.T) {
	t.Parallel()
	h := openHouse(t, "", nil)
	key := h.key(holder{"acme", "ann", "", "call"})
	for _, scheme := range []string{"bearer ", "BEARER ", "Bearer  "} {
		h.ok(nil, "", "GET", "/v1/tools", "", "Authorization", scheme+key)
	}
	for _, wrong := range []string{"Basic " + key, "Bearer", "Bearer ", key, "Bearer\t" + key} {
		h.refused(401, tool.Denied, "", "GET", "/v1/tools", "", "Authorization", wrong)
	}
	p, got := h.refused(401, tool.Denied, key[:len(key)-1]+"0", "GET", "/v1/tools", "")
	if !strings.Contains(p.Detail, "not a key") || strings.Contains(string(got.body), key[10:20]) || got.header.Get("WWW-Authenticate") == "" {
		t.Errorf("a mistyped key: %v %s", got.header, got.body)
	}
	if err := h.shelf().RevokeKey(t.Context(), operator, "acme", strings.Split(key, "_")[1]); err != nil {
		t.Fatal(err)
	}
	if p, _ := h.refused(401, tool.Denied, key, "GET", "/v1/tools", ""); strings.Contains(p.Detail, "not a key") {
		t.Errorf("a key that was revoked: %s", p.Detail)
	}
}

// What a decision lacks is said with its place, and why a tag does not do.
func TestDecisionsThatLackSomething(t *testing.T) {
	t.Parallel()
	w := open(t, "", nil)
	w.forge(annKey, "add_numbers")
	if p, _ := w.refused(422, tool.InvalidRequest, annKey, "POST", "/v1/tools/add_numbers/revert", ""); p.Path != "/version" {
		t.Errorf("the place is %q", p.Path)
	}
	tag := w.ok(nil, annKey, "GET", "/v1/tools/add_numbers", "").header.Get("ETag")
	const path = "/v1/tools/add_numbers/suspend"
	if p, _ := w.refused(412, tool.Collision, annKey, "POST", path, `{"reason":"x"}`, "If-Match", "W/"+tag); !strings.Contains(p.Detail, "strong") {
		t.Errorf("of a weak tag: %s", p.Detail)
	}
	if p, _ := w.refused(412, tool.Collision, annKey, "POST", path, `{"reason":"x"}`, "If-Match", `"other"`); strings.Contains(p.Detail, "strong") {
		t.Errorf("of another tag: %s", p.Detail)
	}
	w.ok(nil, annKey, "POST", path, `{"reason":"x"}`, "If-Match", tag)
}
