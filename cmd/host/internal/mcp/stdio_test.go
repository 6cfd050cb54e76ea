package mcp_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/toolsmith/cmd/host/internal/mcp"
	"example.com/toolsmith/runtime/tool"
)

// large is a call with so many bytes of arguments, whose id comes first or last, as clients write it.
func large(id int, bytes int, last bool) string {
	method := `"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"` + strings.Repeat("x", bytes) + `"}}`
	if last {
		return fmt.Sprintf(`{%s,"jsonrpc":"2.0","id":%d}`, method, id)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, method)
}

// Whoever sent what is refused is told so by the id of its call, and the connection goes on.
func TestRefusalsHaveTheIDOfTheCall(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	p := w.overStdio("2025-11-25", mcp.Local{}, nil)
	handle := forgeOK(t, p, nil)
	for name, text := range map[string]string{
		"a key that is given twice": `{"jsonrpc":"2.0","id":700,"method":"tools/call","params":{"name":"call_tool","arguments":{"tool":"x","tool":"y"}}}`,
		"one that nests too deep":   `{"jsonrpc":"2.0","id":700,"method":"tools/call","params":` + strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300) + "}",
		"5 MB, and the id first":    large(700, 5<<20, false),
		"5 MB, and the id last":     large(700, 5<<20, true),
		"barely too much":           large(700, 4<<20+1-len(large(700, 0, true)), true),
	} {
		p.raw(text)
		if m, err := p.next(); err != nil || fmt.Sprint(m.ID) != "700" || m.Error == nil || m.Error.Code != -32600 || !strings.Contains(string(m.Error.Data), "hint") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	p.raw(large(700, 4<<20-len(large(700, 0, true)), true))
	if m, err := p.next(); err != nil || fmt.Sprint(m.ID) != "700" || m.Error != nil {
		t.Errorf("as much as there may be: %+v, %v", m, err)
	}
	if r := use(t, p, "call_tool", map[string]any{"tool": handle, "input": map[string]int{"a": 1, "b": 2}}); r.IsError {
		t.Errorf("afterwards: %+v", r)
	}
}

// A line without an end closes the connection: after a time, or after too many bytes.
func TestALineWithoutAnEndClosesTheConnection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes int
		wait  time.Duration
	}{"in time": {5 << 20, time.Millisecond}, "in bytes": {65 << 20, time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, setting{face: func(o *mcp.Options) { o.BodyTime = c.wait }})
			p := w.overStdio(current, mcp.Local{}, nil)
			go func() { _, _ = io.WriteString(p.in, strings.TrimSuffix(large(7, c.bytes, false), "}")) }()
			if m, err := p.next(); err != nil || fmt.Sprint(m.ID) != "7" || m.Error == nil || !strings.Contains(m.Error.Message, "nothing more is read") {
				t.Errorf("%+v, %v", m, err)
			}
			if m, err := p.next(); err == nil {
				t.Errorf("it goes on: %+v", m)
			}
			_ = p.in.CloseWithError(io.ErrClosedPipe)
		})
	}
}

// The end of the input ends what waits for a person, before the question or while it is open; an answer that came before counts.
func TestAClientThatLeavesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for _, version := range []string{current, "2025-11-25", "2024-11-05"} {
		for name, when := range map[string]string{"at once": "", "while it asks": "asked", "when it has answered": "answered"} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				w := open(t, asking(t))
				p := w.overStdio(version, mcp.Local{}, says("accept", map[string]any{"approve": true}))
				p.raw(string(p.encode(700, "tools/call", map[string]any{"name": "forge_tool", "arguments": request(nil)})))
				for when != "" && version != current {
					m, err := p.next()
					if err != nil {
						t.Fatal(err)
					}
					if m.Method == "elicitation/create" {
						if when == "answered" {
							p.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"action":"accept","content":{"approve":true}}}`, m.ID))
						}
						break
					}
				}
				_ = p.in.Close()
				var last message
				for m, err := p.next(); err == nil; m, err = p.next() {
					last = m
				}
				if r := readResult(t, last); version != current && r.IsError == (when == "answered") {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// The end of the input ends a subscription, whether it has begun or not, which is answered then as what else was asked.
func TestASubscriptionEndsWithTheInput(t *testing.T) {
	t.Parallel()
	for _, publish := range []tool.Tier{tool.AgentTier, ""} {
		for _, begun := range []bool{true, false} {
			t.Run(fmt.Sprintf("publish %q, begun %t", publish, begun), func(t *testing.T) {
				t.Parallel()
				w := open(t, setting{face: func(o *mcp.Options) { o.Publish = publish }})
				p := w.overStdio(current, mcp.Local{}, nil)
				p.raw(string(p.encode(700, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}})))
				got := map[string]int{}
				take := func() error {
					m, err := p.next()
					if err == nil {
						got[fmt.Sprint(m.ID, m.Method, m.Error != nil)]++
					}
					return err
				}
				if begun {
					if err := take(); err != nil {
						t.Fatal(err)
					}
				}
				p.raw(string(p.encode(701, "tools/call", map[string]any{"name": "forge_tool", "arguments": request(nil)})))
				_ = p.in.Close()
				for take() == nil {
				}
				want := map[string]int{"<nil>notifications/subscriptions/acknowledgedfalse": 1, "700false": 1, "701false": 1}
				if !maps.Equal(got, want) {
					t.Errorf("%v, want %v", got, want)
				}
			})
		}
	}
}

// A session lasts as long as a stream of its own is open.
func TestAStreamKeepsItsSession(t *testing.T) {
	t.Parallel()
	const idle = time.Second
	w := open(t, setting{face: func(o *mcp.Options) { o.Idle, o.Beat = idle, idle/4 }})
	url := w.serve()
	p := w.overHTTP(url, "2025-06-18", "acme/ann", nil)
	named := map[string]string{"Mcp-Session-Id": p.session, "Mcp-Protocol-Version": p.version}
	s := send(t, http.MethodGet, url, "", named)
	for range 8 { // beats
		if _, err := io.ReadFull(s, make([]byte, len(": still here\n\n"))); err != nil {
			t.Fatal(err)
		}
	}
	if r := ask(t, http.MethodPost, url, text("ping", "{}"), named); r.status != http.StatusOK {
		t.Errorf("it has ended: %d %s", r.status, r.body)
	}
	_ = s.Close()
	until(t, "the end of the session", func() bool {
		time.Sleep(2 * idle) // what asks is no idleness
		return ask(t, http.MethodPost, url, text("ping", "{}"), named).status == http.StatusNotFound
	})
}

// leaving is a client that is gone: what is written to it fails.
type leaving struct{}

func (leaving) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestAClientThatIsGoneIsNoError(t *testing.T) {
	t.Parallel()
	w := open(t, setting{})
	if err := w.face.ServeStdio(t.Context(), strings.NewReader(begin+"\n"), leaving{}, mcp.Local{}); err != nil {
		t.Error(err)
	}
}

// stuck is a client that takes nothing of what is written to it, until the test ends.
type stuck struct {
	began chan struct{}
	ends  <-chan struct{}
}

func (s stuck) Write([]byte) (int, error) {
	s.began <- struct{}{}
	<-s.ends
	return 0, io.ErrClosedPipe
}

// A client that takes nothing of what is written does not hold up the end of the process.
func TestAClientThatReadsNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	w := open(t, setting{face: func(o *mcp.Options) { o.BodyTime = time.Millisecond }})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, write := io.Pipe()
	out := stuck{make(chan struct{}, 1), t.Context().Done()}
	done := make(chan error, 1)
	go func() { done <- w.face.ServeStdio(ctx, in, out, mcp.Local{}) }()
	if _, err := io.WriteString(write, begin+"\n"); err != nil {
		t.Fatal(err)
	}
	receive(t, out.began, "the answer")
	stop()
	if err := receive(t, done, "the end of the connection"); err != nil {
		t.Error(err)
	}
}
