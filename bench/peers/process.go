package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Process is a running contender. It answers one request at a time and is not safe for concurrent use. A request
// that fails for another reason than the program it runs leaves it dead: every later one fails too.
type Process struct {
	Contender
	Version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *bytes.Buffer
}

// ErrUnavailable is within the error of a contender that needs what this machine does not have.
var ErrUnavailable = errors.New("unavailable")

// Start starts the contender's process and waits for its first word; it is killed when ctx ends. The cache is a
// folder for what is built or fetched once and kept. The error says why the contender cannot take part.
func Start(ctx context.Context, c Contender, cache string) (*Process, error) {
	cmd, err := c.command(ctx, cache)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	p := &Process{Contender: c, cmd: cmd, stderr: &bytes.Buffer{}}
	if err := p.start(); err != nil {
		return nil, err
	}
	hello, err := p.Do(ctx, Request{Do: "hello"})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Version = hello.Version
	return p, nil
}

func (p *Process) start() error {
	p.cmd.Stderr = p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p.cmd.Start()
}

// Do sends the request and waits for the answer. When ctx ends first the process is killed.
func (p *Process) Do(ctx context.Context, request Request) (*Reply, error) {
	defer context.AfterFunc(ctx, p.Kill)()
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, p.died(ctx, err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, p.died(ctx, err)
	}
	var reply Reply
	if err := json.Unmarshal(answer, &reply); err != nil {
		return nil, fmt.Errorf("%s: answered %q: %w", p.Name, answer, err)
	}
	if reply.Error != "" {
		return nil, fmt.Errorf("%s: %s", p.Name, reply.Error)
	}
	return &reply, nil
}

// died explains why the pipe to the process broke.
func (p *Process) died(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", p.Name, context.Cause(ctx))
	}
	_ = p.cmd.Wait() // so that stderr is complete
	if last := lastLine(p.stderr.String()); last != "" {
		return fmt.Errorf("%s: %s", p.Name, last)
	}
	return fmt.Errorf("%s: %w", p.Name, err)
}

// lastLine returns the last line of text that holds anything.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Kill ends the process at once. It may be called from any goroutine.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Close ends the process by ending its input, and waits for it.
func (p *Process) Close() error {
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil && p.cmd.ProcessState == nil {
		return err
	}
	return nil
}

// ResidentBytes is the memory of the process that is in RAM now. It is read from /proc and so known on Linux only.
func (p *Process) ResidentBytes() (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	var size, resident uint64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0, err
	}
	return resident * uint64(os.Getpagesize()), nil //nolint:gosec // a page has a positive size
}
