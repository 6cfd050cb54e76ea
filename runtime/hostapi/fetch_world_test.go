package hostapi_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/wasmjs"
)

// world is a host that reaches servers on loopback by name: api.test and other.test, over HTTP and, as tls.test, over
// HTTPS, each by a private rule.
type world struct {
	plain, secure *httptest.Server
	options       hostapi.Options
	policy        *policy.Policy

	mu   sync.Mutex
	seen []*http.Request // in order; bodies are read
}

var loopback = netip.MustParsePrefix("127.0.0.0/8")

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{policy: new(policy.Policy)}
	w.plain = httptest.NewServer(w)
	w.secure = httptest.NewUnstartedServer(w)
	w.secure.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
	w.secure.StartTLS()
	t.Cleanup(w.plain.Close)
	t.Cleanup(w.secure.Close)
	for _, host := range []string{"api.test", "other.test", "example.com"} {
		w.policy.Network = append(w.policy.Network, policy.Network{
			Host: host, Methods: policy.Methods(), Ports: []int{portOf(w.plain), portOf(w.secure)}, Private: true, CIDR: loopback,
		})
	}
	w.options.Resolver = &names{sets: map[string][][]string{
		"api.test": {{"127.0.0.1"}}, "other.test": {{"127.0.0.1"}}, "example.com": {{"127.0.0.1"}},
	}}
	w.options.RootCAs = w.secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return w
}

func portOf(s *httptest.Server) int {
	u, _ := url.Parse(s.URL)
	port, _ := strconv.Atoi(u.Port())
	return port
}

// at is the address of a path on a host of the world; tls is served as example.com, which its certificate names.
func (w *world) at(host, path string) string {
	if host == "tls" {
		return fmt.Sprintf("https://example.com:%d%s", portOf(w.secure), path)
	}
	return fmt.Sprintf("http://%s:%d%s", host, portOf(w.plain), path)
}

// run runs the body of an async function that knows `api`, `other` and `tls`, the beginnings of addresses.
func (w *world) run(t testing.TB, body string) (string, error) {
	t.Helper()
	result, _, err := w.call(t, body, wasmjs.CallOptions{})
	return string(result.Output), err
}

func (w *world) call(t testing.TB, body string, opt wasmjs.CallOptions) (*wasmjs.Result, []hostapi.Use, error) {
	t.Helper()
	session := hostapi.New(w.options).Begin(w.policy, 0)
	defer session.Close()
	apis, err := hostapi.APIs([]string{"fetch"})
	if err != nil {
		t.Fatal(err)
	}
	code := "async function execute({ api, other, tls }) { " + body + "\n}"
	program, err := engine(t).Load(t.Context(), wasmjs.Source{Code: code, APIs: apis}, opt.Limits)
	if err != nil {
		t.Fatal(err)
	}
	opt.Funcs = session.Funcs()
	input, _ := json.Marshal(map[string]string{"api": w.at("api.test", ""), "other": w.at("other.test", ""), "tls": w.at("tls", "")})
	result, err := program.Call(t.Context(), input, opt)
	return result, session.Finish(), err
}

// requests are what the servers got so far.
func (w *world) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*http.Request(nil), w.seen...)
}

// ServeHTTP answers by the path.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	kept := r.Clone(context.WithoutCancel(r.Context()))
	kept.Body = io.NopCloser(bytes.NewReader(body))
	w.mu.Lock()
	w.seen = append(w.seen, kept)
	w.mu.Unlock()
	q := r.URL.Query()
	number := func(key string) int { n, _ := strconv.Atoi(q.Get(key)); return n }
	switch r.URL.Path {
	case "/echo":
		header := r.Header.Clone()
		out.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(out).Encode(map[string]any{
			"method": r.Method, "host": strings.Split(r.Host, ":")[0], "body": string(body), "header": header, "query": r.URL.RawQuery,
		})
	case "/raw":
		out.Header().Set("Content-Encoding", q.Get("encoding"))
		_, _ = out.Write(encoded(q.Get("as"), q.Get("text")))
	case "/bytes":
		_, _ = out.Write([]byte{0xef, 0xbb, 0xbf, 'a', 0xff, 0})
	case "/status":
		out.WriteHeader(number("code"))
	case "/headers":
		out.Header()["X-Twice"] = []string{"a", "b"}
		out.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		out.Header().Set("X-Latin", "caf\xe9")
	case "/many":
		for i := range number("n") {
			out.Header().Set(fmt.Sprintf("X-%d", i), "a")
		}
	case "/fat":
		out.Header().Set("X-Fat", strings.Repeat("a", number("n")))
	case "/redirect":
		out.Header()["Location"] = []string{q.Get("to")}
		out.WriteHeader(number("code"))
	case "/far":
		http.Redirect(out, r, "/"+strings.Repeat("a", number("n")), http.StatusFound)
	case "/chain":
		if n := number("n"); n > 0 {
			http.Redirect(out, r, fmt.Sprintf("/chain?n=%d", n-1), http.StatusFound)
		}
	case "/slow":
		select {
		case <-time.After(time.Duration(number("ms")) * time.Millisecond):
			_, _ = io.WriteString(out, "slow")
		case <-r.Context().Done():
		}
	case "/big":
		_, _ = io.CopyN(out, letters{}, int64(number("n")))
	case "/text":
		_, _ = io.WriteString(out, q.Get("text")) //nolint:gosec // for tools, not for browsers
	default:
		http.NotFound(out, r)
	}
}

// encoded is text compressed by the names in as, the last one outermost.
func encoded(as, text string) []byte {
	data := []byte(text)
	for name := range strings.SplitSeq(as, ",") {
		var buf bytes.Buffer
		var z io.WriteCloser
		switch name {
		case "gzip":
			z = gzip.NewWriter(&buf)
		case "zlib":
			z = zlib.NewWriter(&buf)
		case "flate":
			z, _ = flate.NewWriter(&buf, flate.DefaultCompression)
		default:
			continue
		}
		_, _ = z.Write(data)
		_ = z.Close()
		data = buf.Bytes()
	}
	return data
}
