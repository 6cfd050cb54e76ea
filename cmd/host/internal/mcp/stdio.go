package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of a connection over standard input and output.
const (
	maxLine   = 4 << 20     // bytes of a message that comes in
	maxSkip   = 64 << 20    // bytes of a line that is too large for a message, and is read to its end
	maxCalls  = 64          // calls that wait for their answers at once
	maxLinger = time.Minute // after the end of the input, for the answers to what was asked before: the longest that a tool may run
)

// lines is a transport of messages in lines, read within bounds. It serves one connection.
type lines struct {
	in    io.Reader
	out   io.Writer
	flood *bucket       // of notifications
	skip  time.Duration // for the end of a line that is too large
}

var _ sdk.Transport = (*lines)(nil)

// Connect implements the transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	c := &connection{
		out: l.out, flood: l.flood, skip: l.skip, read: make(chan incoming), gone: make(chan struct{}), news: make(chan struct{}, 1),
		open: map[string]bool{}, asked: map[string]jsonrpc.ID{},
	}
	go c.readLines(bufio.NewReaderSize(l.in, 64<<10))
	return c, nil
}

// incoming is a line that was read.
type incoming struct {
	text  []byte
	wrong *fault          // it is too large, and was not kept
	id    json.RawMessage // of such a one, if it could be read
	last  bool            // nothing more is read
}

// connection is one client that speaks in lines.
type connection struct {
	out   io.Writer
	flood *bucket
	skip  time.Duration
	read  chan incoming    // closed at the end of the input
	gone  chan struct{}    // closed by Close
	news  chan struct{}    // told when no call waits any more, and when the client is asked something; has room for one
	over  bool             // nothing more is read; of Read alone
	limit <-chan time.Time // of the time after the end of the input; of Read alone

	closing sync.Once
	writing sync.Mutex
	mu      sync.Mutex
	open    map[string]bool       // calls that wait for their answers, by the keys of their ids: true are those that were canceled
	asked   map[string]jsonrpc.ID // what the client was asked and has not answered, likewise
}

var (
	errLine    = errors.New("a line is too large for a message")
	errLarge   = &fault{jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxLine), advice{tool.InvalidRequest, "send less at once"}}
	errEndless = &fault{
		jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes, and the line does not end; nothing more is read", maxLine),
		advice{tool.InvalidRequest, "send less at once, and end each message with a line feed"},
	}
	errGone = &fault{code: jsonrpc.CodeInternalError, message: "the client is gone"}
)

// readLines reads until the input ends, or a line does not.
func (c *connection) readLines(in *bufio.Reader) {
	defer close(c.read)
	for {
		line, err := readLine(in)
		if errors.Is(err, errLine) {
			err = c.readOver(in, line)
		} else if len(bytes.TrimSpace(line)) > 0 && !c.put(incoming{text: line}) {
			return
		}
		if err != nil {
			return
		}
	}
}

// put hands on what was read; false when nobody takes it any more.
func (c *connection) put(l incoming) bool {
	select {
	case c.read <- l:
		return true
	case <-c.gone:
		return false
	}
}

// readOver reads on to the end of a line that is too large, for its id alone, within bounds: what follows a line without an end
// cannot be told from the rest of it.
func (c *connection) readOver(in *bufio.Reader, begun []byte) error {
	var g glance
	g.over(begun)
	endless := incoming{wrong: errEndless, id: g.id(), last: true}
	told := make(chan struct{})
	limit := time.AfterFunc(c.skip, func() { c.put(endless); close(told) })
	part, err := begun, error(nil)
	for n := len(begun); n <= maxSkip && err == nil && !bytes.HasSuffix(part, []byte("\n")); n += len(part) {
		if part, err = in.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		g.over(part)
	}
	switch {
	case !limit.Stop():
		<-told
		return errLine
	case err == nil && !bytes.HasSuffix(part, []byte("\n")):
		c.put(endless)
		return errLine
	}
	c.put(incoming{wrong: errLarge, id: g.id()})
	return err
}

// readLine returns the next line, which the caller owns; with errLine the beginning of one that is too large.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(withoutEnd(line)) > maxLine {
			return line, errLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// withoutEnd is what a line holds.
func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// Read returns the next message that is sound; whoever sent another is told.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for !c.over {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.gone:
			return nil, io.EOF
		case line, ok := <-c.read:
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

// end waits, after the end of the input, until what the client asked before is answered. What it was asked itself nobody answers
// any more, and is answered in its place.
func (c *connection) end(ctx context.Context) (jsonrpc.Message, error) {
	if c.limit == nil {
		c.limit = time.After(maxLinger)
	}
	for c.waiting() {
		if id, ok := c.unanswered(); ok {
			return &jsonrpc.Response{ID: id, Error: errGone.wire()}, nil
		}
		select {
		case <-c.news:
		case <-c.gone:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, io.EOF
		case <-c.limit:
			return nil, io.EOF
		}
	}
	return nil, io.EOF
}

// unanswered is the id of something that the client was asked, which waits no more.
func (c *connection) unanswered() (id jsonrpc.ID, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, id := range c.asked {
		delete(c.asked, key)
		return id, true
	}
	return id, false
}

// answered takes note that the client was asked something and waits no more.
func (c *connection) answered(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.asked, key)
}

// waiting reports whether calls wait for their answers.
func (c *connection) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

// take reads one line. Without a message it is answered, or nothing to answer.
func (c *connection) take(line incoming) (jsonrpc.Message, error) {
	if line.wrong != nil {
		return nil, c.write(line.wrong.answer(line.id))
	}
	f, wrong := readFrame(line.text)
	if wrong == nil {
		wrong = c.admit(f)
	}
	if wrong != nil {
		return nil, c.write(wrong.answer(f.id))
	}
	if f.isNotification() && !c.flood.take() {
		return nil, nil //nolint:nilnil // dropped: nobody waits for an answer
	}
	c.cancel(f.cancels())
	if f.method == "" {
		c.answered(idKey(f.id))
	}
	m, err := jsonrpc.DecodeMessage(line.text)
	if err != nil {
		c.settle(idKey(f.id))
		return nil, c.write(invalid("the message cannot be read").answer(f.id))
	}
	return m, nil
}

// admit takes note of a call.
func (c *connection) admit(f frame) *fault {
	if !f.isCall() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := idKey(f.id)
	if _, ok := c.open[key]; ok {
		return invalid("the id is that of a call that is still running")
	}
	if len(c.open) == maxCalls {
		return &fault{
			jsonrpc.CodeInternalError, fmt.Sprintf("%d calls wait for their answers", maxCalls), advice{tool.OverQuota, "wait for one of them, or cancel it"},
		}
	}
	c.open[key] = false
	return nil
}

// cancel takes note that a call is canceled, if it waits: nobody reads its answer.
func (c *connection) cancel(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.open[key]; ok {
		c.open[key] = true
	}
}

// canceled reports whether a call was canceled.
func (c *connection) canceled(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[key]
}

// settle takes note of an answer.
func (c *connection) settle(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, key)
	if len(c.open) == 0 {
		c.tell()
	}
}

// tell has end look again.
func (c *connection) tell() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// ask takes note of what the client is asked, and of what it need not answer any more.
func (c *connection) ask(r *jsonrpc.Request) {
	if !r.IsCall() {
		c.answered(frame{method: r.Method, params: r.Params}.cancels())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[rawKey(r.ID)] = r.ID
	c.tell()
}

// Write sends a message.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if ok && r.Error != nil {
		r.Error = coded(r.Error)
	}
	if asks, is := m.(*jsonrpc.Request); is {
		c.ask(asks)
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if ok {
		key := rawKey(r.ID)
		defer c.settle(key) // once it is written
		if c.canceled(key) {
			return nil
		}
	}
	return c.write(text)
}

func (c *connection) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	if err != nil {
		_ = c.Close() // nobody is there any more
	}
	return err
}

// Close ends reading. The input itself is the process's.
func (c *connection) Close() error {
	c.closing.Do(func() { close(c.gone) })
	return nil
}

// SessionID is empty: there is one session per connection.
func (c *connection) SessionID() string { return "" }
