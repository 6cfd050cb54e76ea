package mcp

import (
	"context"
	"errors"
	"io"
	"syscall"

	"example.com/toolsmith/runtime/tool"
)

// Local is who is served over standard input and output.
type Local struct {
	Principal tool.Principal
	Session   string // "" is one of the connection's own, which ends with it
}

// ServeStdio serves one client over lines of input and output, until the input or the context ends. Nothing but the protocol
// is written to out. It returns when what was running has ended, and waits for no person whom the client was to ask, and for no
// subscription; the error is nil when the client left.
func (f *Face) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, who Local) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer context.AfterFunc(f.life, leave)() //nolint:contextcheck // what ends the face ends the connection, too
	s := f.newSeat(who.Principal)
	hears, deaf := context.WithCancel(ctx)
	defer deaf()
	s.fixed, s.life, s.hears = who.Session, ctx, hears
	minted := who.Session == ""
	if minted {
		name := f.mint()
		if name == "" {
			return errNoName.wire()
		}
		s.fixed = "mcp-" + name
	}
	f.mu.Lock()
	f.seats["\x00"+s.fixed] = s // no credential is spelled so
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.seats, "\x00"+s.fixed)
		f.mu.Unlock()
		f.parked.close(s)
		if minted {
			s.end(context.WithoutCancel(ctx), s.fixed)
		}
	}()
	err := s.server.Run(ctx, &lines{in: in, out: out, flood: s.flood, skip: f.opt.BodyTime, linger: maxLinger, ended: deaf})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) || ctx.Err() != nil {
		return nil // the client left, or the process was asked to end
	}
	return err
}
