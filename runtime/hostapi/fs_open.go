package hostapi

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"example.com/toolsmith/runtime/tool"
)

var (
	errNotRegular = errors.New("not a regular file")
	errNotText    = errors.New("not UTF-8")
)

// openRegular opens a regular file below root and returns its size. Links are followed as long as they stay below root,
// whatever happens to them meanwhile. The caller closes the file.
//
// Two looks keep everything else out: the first, at the name, so that no device or pipe is touched; the second, at what was
// opened without waiting for a peer, which decides.
func openRegular(root *os.Root, name string) (*os.File, int64, error) {
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, errNotRegular)
	}
	file, err := root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || isKernelFile(file) {
		return nil, 0, errors.Join(err, errNotRegular, file.Close())
	}
	return file, info.Size(), nil
}

// explained turns what went wrong with a file into an error for the tool, which is told no more of the host's paths than it
// wrote itself.
func explained(err error, path string) error {
	var known *tool.Error
	what := "fs.readFile(" + quoted(path) + ")"
	switch {
	case errors.As(err, &known):
		return &tool.Error{Code: known.Code, Message: what + ": " + known.Message, Cause: known.Cause}
	case errors.Is(err, errNotText):
		return &tool.Error{Code: tool.InvalidInput, Message: what + ": the file is not UTF-8 text; pass {encoding: null} for its bytes"}
	case errors.Is(err, fs.ErrNotExist):
		return &tool.Error{Code: tool.NotFound, Message: what + ": there is no such file", Cause: err}
	case errors.Is(err, fs.ErrPermission):
		return &tool.Error{Code: tool.Denied, Message: what + ": the operating system denies it", Cause: err}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, os.ErrClosed):
		return context.Canceled // the session has ended
	}
	return &tool.Error{
		Code: tool.Denied, Message: what + ": it does not lead to a regular file below a granted folder", Cause: err,
	}
}

func tooLarge(most int64) error {
	return tool.Errorf(tool.Limit, "the file has more than %d bytes (fsMaxFileBytes, or maxBytes of its rule)", most)
}
