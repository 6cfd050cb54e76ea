package mcp

import (
	"bufio"
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLinger is how long answers to what was asked are waited for after the end of the input: the longest that a tool may run.
const maxLinger = time.Minute

// lines is a transport of messages in lines, read within bounds. It serves one connection.
type lines struct {
	in    io.Reader
	out   io.Writer
	flood *bucket       // of notifications
	skip  time.Duration // for the end of a line that is too large, and for what is written when the connection ends

	linger time.Duration // for what was asked to be answered and taken, after the end of the input
	ended  func()        // called at the end of the input
}

var _ sdk.Transport = (*lines)(nil)

// Connect implements the transport.
func (l *lines) Connect(ctx context.Context) (sdk.Connection, error) {
	c := &connection{
		out: l.out, flood: l.flood, pending: newPending(),
		in: &input{from: bufio.NewReaderSize(l.in, 64<<10), skip: l.skip, read: make(chan incoming), gone: make(chan struct{})},
	}
	c.ended = sync.OnceFunc(func() { l.ended(); time.AfterFunc(l.linger, c.in.close) })
	go func() { c.in.readLines(); c.ended() }()
	context.AfterFunc(ctx, c.expire)
	return c, nil
}

// connection is one client that speaks in lines.
type connection struct {
	*pending
	in    *input
	flood *bucket
	over  bool   // nothing more is read; of Read alone
	ended func() // called when nothing more is read

	writing sync.Mutex
	out     io.Writer
}

var errGone = &fault{code: jsonrpc.CodeInternalError, message: "the client is gone"}

// Read returns the next message that is sound; whoever sent another is told.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for !c.over {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.in.gone:
			return nil, io.EOF
		case line, ok := <-c.in.read:
			if c.over = !ok || line.last; !ok {
				break
			}
			m, err := c.take(line)
			if m != nil || err != nil {
				return m, err
			}
		}
	}
	return c.end(ctx)
}

// end waits, after the end of the input, until what the client asked before is answered; its subscriptions end now. What it was
// asked itself nobody answers any more, and is answered in its place.
func (c *connection) end(ctx context.Context) (jsonrpc.Message, error) {
	c.ended()
	for c.waiting() {
		if id, ok := c.unanswered(); ok {
			return &jsonrpc.Response{ID: id, Error: errGone.wire()}, nil
		}
		select {
		case <-c.news:
			continue
		case <-c.in.gone:
		case <-ctx.Done():
		}
		break
	}
	c.expire()
	return nil, io.EOF
}

// expire gives the client a while to take what is being written.
func (c *connection) expire() { time.AfterFunc(c.in.skip, c.in.close) }

// take reads one line. Without a message it is answered, or nothing to answer.
func (c *connection) take(line incoming) (jsonrpc.Message, error) {
	if line.wrong != nil {
		return c.refuse(line.wrong, line.of)
	}
	f, wrong := readFrame(line.text)
	if wrong == nil {
		wrong = c.admit(f)
	}
	if wrong != nil {
		return c.refuse(wrong, f)
	}
	if f.isNotification() && !c.flood.take() {
		return nil, nil //nolint:nilnil // dropped: nobody waits for an answer
	}
	m, err := jsonrpc.DecodeMessage(line.text)
	switch {
	case err != nil:
		f = glimpse(line.text)
		c.settle(idKey(f.id))
		return c.refuse(invalid("the message cannot be read"), f)
	case f.method == "":
		c.answered(idKey(f.id))
	}
	c.cancel(f.cancels())
	return m, nil
}

// refuse tells the client what is wrong with a message. What that was to answer ends with an error, which takes its place.
func (c *connection) refuse(wrong *fault, f frame) (jsonrpc.Message, error) {
	if err := c.write(wrong.answer(f.id)); err != nil {
		return nil, err
	}
	if id, ok := c.answered(idKey(f.asked)); ok {
		return &jsonrpc.Response{ID: id, Error: errUnread.wire()}, nil
	}
	return nil, nil //nolint:nilnil // nobody here waits for it
}

// Write sends a message.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Request:
		c.ask(m)
	case *jsonrpc.Response:
		key := rawKey(m.ID)
		defer c.settle(key) // once it is written
		if c.canceled(key) {
			return nil
		}
		if m.Error != nil {
			m.Error = coded(m.Error)
		}
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.write(text)
}

func (c *connection) write(text []byte) error {
	wrote := make(chan error, 1)
	go func() {
		c.writing.Lock()
		defer c.writing.Unlock()
		_, err := c.out.Write(append(text, '\n'))
		wrote <- err
	}()
	select {
	case err := <-wrote:
		if err != nil {
			_ = c.Close() // nobody is there any more
		}
		return err
	case <-c.in.gone:
		return io.ErrClosedPipe // a client that takes nothing
	}
}

// Close ends reading.
func (c *connection) Close() error {
	c.in.close()
	return nil
}

// SessionID is empty: there is one session per connection.
func (c *connection) SessionID() string { return "" }
