package mcp

import (
	"bufio"
	"bytes"
	"context"
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
	maxCalls  = 64          // calls that wait for their answers at once
	maxLinger = time.Minute // after the end of the input, for the answers to what was asked before: the longest that a tool may run
)

// lines is a transport of messages in lines, read within bounds. It serves one connection.
type lines struct {
	in    io.Reader
	out   io.Writer
	flood *bucket // of notifications
}

var _ sdk.Transport = (*lines)(nil)

// Connect implements the transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	c := &connection{out: l.out, flood: l.flood, read: make(chan []byte), gone: make(chan struct{}), idle: make(chan struct{}, 1), open: map[string]bool{}}
	go c.readLines(bufio.NewReaderSize(l.in, 64<<10))
	return c, nil
}

// connection is one client that speaks in lines.
type connection struct {
	out   io.Writer
	flood *bucket
	read  chan []byte   // lines; closed at the end of the input
	gone  chan struct{} // closed by Close
	idle  chan struct{} // told when no call waits any more; has room for one

	closing sync.Once
	writing sync.Mutex
	mu      sync.Mutex
	open    map[string]bool // calls that wait for their answers, by the keys of their ids: true are those that were canceled
	ended   error           // why there are no more lines; set before read is closed
}

var errLine = errors.New("a message has more than the bytes that one may have")

// readLines reads until the input ends or a line is too long: what follows such a one cannot be told from the rest of it.
func (c *connection) readLines(in *bufio.Reader) {
	defer close(c.read)
	for {
		line, err := readLine(in)
		if len(bytes.TrimSpace(line)) > 0 && !errors.Is(err, errLine) {
			select {
			case c.read <- line:
			case <-c.gone:
				return
			}
		}
		if err != nil {
			c.ended = err
			return
		}
	}
}

// readLine returns the next line, which the caller owns.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Read returns the next message that is sound; whoever sent another is told.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.gone:
			return nil, io.EOF
		case line, ok := <-c.read:
			if !ok {
				return nil, c.end(ctx)
			}
			m, err := c.take(line)
			if m != nil || err != nil {
				return m, err
			}
		}
	}
}

// end tells the client why nothing more is read, and waits until what it asked before is answered.
func (c *connection) end(ctx context.Context) error {
	if errors.Is(c.ended, errLine) {
		f := invalid("a message has at most %d bytes; nothing more is read", maxLine)
		_ = c.write(f.answer(nil)) // the connection ends in any case
	}
	limit := time.NewTimer(maxLinger)
	defer limit.Stop()
	for c.waiting() {
		select {
		case <-c.idle:
		case <-c.gone:
			return io.EOF
		case <-ctx.Done():
			return io.EOF
		case <-limit.C:
			return io.EOF
		}
	}
	return io.EOF
}

// waiting reports whether calls wait for their answers.
func (c *connection) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

// take reads one line. Without a message it is answered, or nothing to answer.
func (c *connection) take(line []byte) (jsonrpc.Message, error) {
	f, wrong := readFrame(line)
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
	m, err := jsonrpc.DecodeMessage(line)
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
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// Write sends a message.
func (c *connection) Write(_ context.Context, m jsonrpc.Message) error {
	r, ok := m.(*jsonrpc.Response)
	if ok && r.Error != nil {
		r.Error = coded(r.Error)
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
