package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"example.com/toolsmith/runtime/tool"

	"example.com/toolsmith/cmd/host/internal/desk"
)

var errUnasked = errors.New("nobody can be asked here: give --yes to go ahead")

// askable reports whether standard input may be a person's.
func (f *face) askable() bool { return isTerminal(f.in) }

// isTerminal reports whether a stream may have a person at its other end: it is a character device, but not the null device.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !isNull(file)
}

// isNull reports whether a file is the null device.
func isNull(file *os.File) bool {
	null, err := os.Stat(os.DevNull)
	info, failed := file.Stat()
	return err == nil && failed == nil && os.SameFile(null, info)
}

// confirm asks the person at the terminal. Whatever is no yes is a no; no answer at all is a misuse of the command line.
func (f *face) confirm(ctx context.Context, question string) error {
	if file, ok := f.in.(*os.File); ok && isNull(file) {
		return errUnasked
	}
	f.asidef("%s yes or no: ", escape(question))
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(f.in, desk.MaxReason)).ReadString('\n')
		answers <- line
	}()
	select {
	case <-ctx.Done():
		return tool.AsError(ctx.Err())
	case said := <-answers:
		switch strings.ToLower(strings.TrimSpace(said)) {
		case "yes", "y":
			return nil
		case "":
			return errUnasked
		}
		f.sayf("nothing was done")
		return done(1)
	}
}
