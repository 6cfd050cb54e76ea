package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/toolsmith/runtime/tool"
)

// writeWhole writes a file whole or not at all, for the user alone, and returns how long it is. A file that is there is
// replaced only if force says so; what is no file never is.
func writeWhole(name string, force bool, write func(io.Writer) error) (n int64, err error) {
	if err := mayWrite(name, force); err != nil {
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // 0600
	if err != nil {
		return 0, unwritable(name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	counted := &countedWriter{to: temp}
	out := bufio.NewWriter(counted)
	err = write(out)
	if err == nil {
		err = unwritable(name, errors.Join(out.Flush(), temp.Sync()))
	}
	if err = errors.Join(err, unwritable(name, temp.Close())); err != nil {
		return 0, err
	}
	return counted.n, unwritable(name, os.Rename(temp.Name(), name))
}

func mayWrite(name string, force bool) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unwritable(name, err)
	case !info.Mode().IsRegular():
		return &tool.Error{Code: tool.InvalidRequest, Message: name + " is no regular file", Hint: "give a file, or - for standard output"}
	case !force:
		return &tool.Error{Code: tool.Collision, Message: "there is a file " + name + " already", Hint: "give another name, or --force to replace it"}
	}
	return nil
}

// unwritable words an error of the file system; nil is none.
func unwritable(name string, err error) error {
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &tool.Error{
		Code: tool.Unavailable, Message: fmt.Sprintf("cannot write %s: %v", name, err), Hint: "give a file in a folder of your own that has room", Cause: err,
	}
}

// countedWriter counts what is written.
type countedWriter struct {
	to io.Writer
	n  int64
}

// Write writes, and counts.
func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
