package hostapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/hostapi"
	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/wasmjs"
)

// splitWorld resolves names with an "i" to an inside address, others to a public one, and answers every connection with
// an echo of nothing.
type splitWorld struct{ dialled []string }

func (*splitWorld) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if strings.Contains(host, "i") {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("5.6.7.8")}, nil
}

func (w *splitWorld) dial(_ context.Context, _, address string) (net.Conn, error) {
	w.dialled = append(w.dialled, address)
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		if req, err := http.ReadRequest(bufio.NewReader(there)); err == nil && !slices.Contains([]string{"GET", "HEAD"}, req.Method) {
			panic("sent with method " + req.Method)
		}
		_, _ = there.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	}()
	return here, nil
}

// FuzzFetchOperation is a guest that has broken out of its glue: it sends the host whatever it likes.
func FuzzFetchOperation(f *testing.F) {
	for _, text := range []string{
		`{"id":1,"url":"http://a.test/","method":"GET","headers":[["x-a","1"]],"redirect":"follow"}`, `{"url":"http://inside.test/","method":"GET"}`,
		`{"url":"http://a.test/","method":"POST"}`, `{"url":"http://a.test/","method":"GET /\r\nX: y"}`, `{"url":"http://a.test/","method":"GET","headers":[["a\r\nb","c"],["host","x"],["a","b\r\nc"]]}`,
		`{"url":"http://a.test/","method":"GET","headers":[["a"],["a","b","c"],[]]}`, `{"id":-1}`, `[]`, `null`, `{"url":7}`, `{"url":"http://127.0.0.1/","method":"HEAD"}`,
	} {
		f.Add([]byte(text), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, value, body []byte) {
		w := new(splitWorld)
		session := hostapi.New(hostapi.Options{Resolver: w, Dial: w.dial}).Begin(&policy.Policy{Network: []policy.Network{{Host: "*"}}}, 0)
		defer session.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		reply, err := session.Funcs()["fetch"](ctx, wasmjs.Request{Value: value, Bytes: body})
		if err == nil && !json.Valid(reply.Value) {
			t.Errorf("the reply is not JSON: %s", reply.Value)
		}
		for _, address := range w.dialled {
			at := netip.MustParseAddrPort(address)
			if at.Addr().IsPrivate() || !at.Addr().IsGlobalUnicast() || at.Port() != 80 && at.Port() != 443 {
				t.Errorf("connected to %s", address)
			}
		}
	})
}
