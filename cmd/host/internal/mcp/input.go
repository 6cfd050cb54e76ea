package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"example.com/toolsmith/runtime/tool"
)

// Bounds of lines.
const (
	maxLine = 4 << 20  // bytes of a message that comes in
	maxSkip = 64 << 20 // bytes of a line that is too large for a message, and is read to its end
)

// input is what a client writes, read in lines within bounds on a goroutine of its own.
type input struct {
	from *bufio.Reader
	skip time.Duration // for the end of a line that is too large
	read chan incoming // closed at the end
	gone chan struct{} // closed by close

	closing sync.Once
}

// incoming is a line that was read.
type incoming struct {
	text  []byte
	wrong *fault // it is too large, and was not kept
	of    frame  // such a one, as far as it could be told
	last  bool   // nothing more is read
}

var (
	errLine    = errors.New("a line is too large for a message")
	errLarge   = &fault{jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes", maxLine), advice{tool.InvalidRequest, "send less at once"}}
	errEndless = &fault{
		jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has at most %d bytes, and the line does not end; nothing more is read", maxLine),
		advice{tool.InvalidRequest, "send less at once, and end each message with a line feed"},
	}
)

// readLines reads until the input ends, or a line does not.
func (i *input) readLines() {
	defer close(i.read)
	for {
		line, err := readLine(i.from)
		if errors.Is(err, errLine) {
			err = i.readOver(line)
		} else if len(bytes.TrimSpace(line)) > 0 && !i.put(incoming{text: line}) {
			return
		}
		if err != nil {
			return
		}
	}
}

// put hands on what was read; false when nobody takes it any more.
func (i *input) put(l incoming) bool {
	select {
	case i.read <- l:
		return true
	case <-i.gone:
		return false
	}
}

// readOver reads on to the end of a line that is too large, for its id alone, within bounds: what follows a line without an end
// cannot be told from the rest of it.
func (i *input) readOver(begun []byte) error {
	var g glance
	g.over(begun)
	endless := incoming{wrong: errEndless, of: g.frame(), last: true}
	told := make(chan struct{})
	limit := time.AfterFunc(i.skip, func() { i.put(endless); close(told) })
	part, err := begun, error(nil)
	for n := len(begun); n <= maxSkip && err == nil && !bytes.HasSuffix(part, []byte("\n")); n += len(part) {
		if part, err = i.from.ReadSlice('\n'); errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		g.over(part)
	}
	switch {
	case !limit.Stop():
		<-told
		return errLine
	case err == nil && !bytes.HasSuffix(part, []byte("\n")):
		i.put(endless)
		return errLine
	}
	i.put(incoming{wrong: errLarge, of: g.frame()})
	return err
}

// close ends reading: nobody takes what is read any more. What is read from is the process's to close.
func (i *input) close() { i.closing.Do(func() { close(i.gone) }) }

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
