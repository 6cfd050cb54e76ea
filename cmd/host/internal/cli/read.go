package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"

	"example.com/toolsmith/runtime/tool"
)

// stdin is the file name that stands for standard input.
const stdin = "-"

// read returns the whole of a file, or of standard input for "-". More than most bytes are an error of the given code before
// they are in memory. It returns when ctx ends, even from a pipe that nobody writes to.
func (f *face) read(ctx context.Context, name string, most int, tooLarge tool.Code) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := f.readAll(name, int64(most)+1)
		answers <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		e := tool.AsError(ctx.Err())
		e.Message = "the caller canceled the reading of " + called(name)
		return nil, e
	case a := <-answers:
		switch {
		case a.err != nil:
			return nil, unreadable(name, a.err)
		case len(a.text) > most:
			return nil, tool.Errorf(tooLarge, "%s is larger than the limit of %s", called(name), size(most))
		}
		return a.text, nil
	}
}

// readText is read for files that must be text, as all but sources: those have a rule of their own.
func (f *face) readText(ctx context.Context, name string, most int, tooLarge tool.Code) ([]byte, error) {
	text, err := f.read(ctx, name, most, tooLarge)
	if err == nil && !utf8.Valid(text) {
		return nil, &tool.Error{Code: tooLarge, Message: called(name) + " is not UTF-8 text", Hint: "save it as UTF-8"}
	}
	return text, err
}

func (f *face) readAll(name string, most int64) ([]byte, error) {
	in := f.in
	if name != stdin {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	return io.ReadAll(io.LimitReader(in, most))
}

// called is what errors call a file.
func called(name string) string {
	if name == stdin {
		return "standard input"
	}
	return name
}

// unreadable words an error of the file system.
func unreadable(name string, err error) error {
	cause, code := err, tool.Unavailable
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		cause = path.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = tool.NotFound
	case errors.Is(err, syscall.EISDIR):
		code = tool.InvalidInput
	}
	return tool.Errorf(code, "cannot read %s: %w", called(name), cause)
}

// size words a number of bytes.
func size[T int | int64 | uint64](n T) string {
	for _, unit := range []struct {
		name  string
		bytes T
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		switch {
		case n >= unit.bytes && n%unit.bytes == 0:
			return fmt.Sprintf("%d %s", n/unit.bytes, unit.name)
		case n >= unit.bytes:
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
