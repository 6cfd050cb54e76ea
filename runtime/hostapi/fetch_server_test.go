package hostapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serverSpec says how a fixture server behaves.
type serverSpec struct {
	Behaviour  string
	Body       string
	BodyBase64 []byte
	KeepAlive  *bool // every server closes after one answer, so this changes nothing
	Bytes      int
	Count      int
	DelayMs    int
	EveryMs    int
	Status     int
	To         string
}

// server is a fixture server on loopback. It records the requests that it gets, head and body, as they came.
type server struct {
	spec     serverSpec
	listener net.Listener
	ctx      context.Context //nolint:containedctx // ends with the test
	serving  sync.WaitGroup

	mu   sync.Mutex
	seen []string
}

func startServer(t *testing.T, spec serverSpec) *server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{spec: spec, listener: listener, ctx: ctx}
	s.serving.Go(s.accept)
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		s.serving.Wait()
	})
	return s
}

func (s *server) address() string { return s.listener.Addr().String() }

func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func (s *server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.serving.Go(func() {
			stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
			defer stop()
			defer conn.Close()
			s.serve(conn)
		})
	}
}

func (s *server) serve(conn net.Conn) {
	if s.spec.Behaviour == "never" {
		_, _ = io.Copy(io.Discard, conn) // until the other side gives up
		return
	}
	var raw bytes.Buffer
	req, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &raw)))
	if err == nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	s.mu.Lock()
	s.seen = append(s.seen, raw.String())
	s.mu.Unlock()
	answer := behaviours[s.spec.Behaviour]
	if answer == nil {
		panic("no behaviour " + s.spec.Behaviour)
	}
	w := bufio.NewWriterSize(conn, 64<<10)
	answer(s, w, raw.String())
	_ = w.Flush()
	if s.spec.Behaviour == "status-101" {
		_, _ = io.Copy(io.Discard, conn)
	}
}

// sleep waits, or returns false when the test is over.
func (s *server) sleep(ms int) bool {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	case <-s.ctx.Done():
		return false
	}
}

const okHead = "HTTP/1.1 200 OK\r\nConnection: close\r\n"

// behaviours write an answer. A write that fails ends the endless ones.
var behaviours = map[string]func(s *server, w *bufio.Writer, request string){
	"ok": func(s *server, w *bufio.Writer, _ string) {
		body := s.spec.Body + string(s.spec.BodyBase64)
		_, _ = fmt.Fprintf(w, okHead+"Content-Length: %d\r\n\r\n%s", len(body), body)
	},
	"slow-ok": func(s *server, w *bufio.Writer, _ string) {
		if s.sleep(s.spec.DelayMs) {
			_, _ = fmt.Fprint(w, okHead+"Content-Length: 2\r\n\r\nok")
		}
	},
	"redirect": func(s *server, w *bufio.Writer, _ string) {
		if s.sleep(s.spec.DelayMs) {
			_, _ = fmt.Fprintf(w, "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", s.spec.Status, s.spec.To)
		}
	},
	"stream-bytes": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprintf(w, okHead+"Content-Length: %d\r\n\r\n", s.spec.Bytes)
		_, _ = io.CopyN(w, zeroes{}, int64(s.spec.Bytes))
	},
	"infinite-chunks": func(_ *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"Transfer-Encoding: chunked\r\n\r\n")
		for err := error(nil); err == nil; {
			_, err = fmt.Fprint(w, "10\r\n0123456789abcdef\r\n")
		}
	},
	"gzip-zeros": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"Content-Encoding: gzip\r\n\r\n")
		writeBomb(w, s.spec.Bytes)
	},
	"gzip-gzip-zeros": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"Content-Encoding: gzip\r\n\r\n")
		outer := gzip.NewWriter(w)
		writeBomb(outer, s.spec.Bytes)
		_ = outer.Close()
	},
	"gzip-nothing": func(_ *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
		for err := error(nil); err == nil; {
			_, err = w.WriteString("\x00\x00\x00\xff\xff") // a stored block of no bytes
		}
	},
	"dribble-headers": func(s *server, w *bufio.Writer, _ string) {
		dribble(s, w, "HTTP/1.1 200 OK\r\nX-Slow: ")
	},
	"dribble-body": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"\r\n")
		_ = w.Flush()
		dribble(s, w, "")
	},
	"huge-headers": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"X-Huge: ")
		_, _ = io.CopyN(w, letters{}, int64(s.spec.Bytes))
		_, _ = fmt.Fprint(w, "\r\n\r\n")
	},
	"many-headers": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead)
		for i := range s.spec.Count {
			_, _ = fmt.Fprintf(w, "X%d: a\r\n", i)
		}
		_, _ = fmt.Fprint(w, "Content-Length: 0\r\n\r\n")
	},
	"many-1xx": func(_ *server, w *bufio.Writer, _ string) {
		for err := error(nil); err == nil; {
			_, err = fmt.Fprint(w, "HTTP/1.1 103 Early Hints\r\n\r\n")
		}
	},
	"length-short": func(_ *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello, HTTP/1.1 200 OK\r\n\r\n")
	},
	"length-long": func(_ *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, okHead+"Content-Length: 100\r\n\r\nhello")
	},
	"status-101": func(_ *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprint(w, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: raw\r\nConnection: Upgrade\r\n\r\n")
	},
	"echo-headers": func(_ *server, w *bufio.Writer, request string) {
		_, _ = fmt.Fprintf(w, okHead+"Content-Length: %d\r\n\r\n%s", len(request), request)
	},
	"set-cookie": func(s *server, w *bufio.Writer, _ string) {
		_, _ = fmt.Fprintf(w, okHead+"Set-Cookie: session=1; Path=/\r\nContent-Length: %d\r\n\r\n%s", len(s.spec.Body), s.spec.Body)
	},
	"raw":       func(s *server, w *bufio.Writer, _ string) { _, _ = w.WriteString(s.spec.Body) },
	"refuse":    nil, // there is nobody to answer
	"blackhole": nil,
}

// writeBomb writes n bytes of nothing, compressed, as members of a mebibyte each.
func writeBomb(w io.Writer, n int) {
	const size = 1 << 20
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	_, _ = io.CopyN(z, zeroes{}, size)
	_ = z.Close()
	for err := error(nil); err == nil && n > 0; n -= size {
		_, err = w.Write(member.Bytes())
	}
}

func dribble(s *server, w *bufio.Writer, first string) {
	for i := 0; s.sleep(s.spec.EveryMs); i++ {
		c := byte('a')
		if i < len(first) {
			c = first[i]
		}
		if w.WriteByte(c) != nil || w.Flush() != nil {
			return
		}
	}
}

type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type letters struct{}

func (letters) Read(p []byte) (int, error) { return copy(p, strings.Repeat("a", len(p))), nil }

// dialled makes connections to fixture servers in place of the addresses that a host dials.
type dialled struct {
	routes map[string]*server // by address and port

	mu         sync.Mutex
	asked      []string // addresses that were dialled, whether or not there is a route
	open, most int      // connections
}

func (d *dialled) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := d.note(ctx, address); err != nil {
		return nil, err
	}
	s := d.routes[address]
	if s == nil || s.spec.Behaviour == "refuse" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	if s.spec.Behaviour == "blackhole" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address())
	if err != nil {
		return nil, err
	}
	d.count(1)
	return &counted{Conn: conn, closed: sync.OnceFunc(func() { d.count(-1) })}, nil
}

// note records an address, unless ctx has ended: then a real dialer would do nothing.
func (d *dialled) note(ctx context.Context, address string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	d.asked = append(d.asked, address)
	return nil
}

func (d *dialled) count(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open += n
	d.most = max(d.most, d.open)
}

// counted tells when it is closed.
type counted struct {
	net.Conn
	closed func()
}

func (c *counted) Close() error {
	c.closed()
	return c.Conn.Close()
}

func (d *dialled) addresses() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked)
}
