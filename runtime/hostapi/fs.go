package hostapi

import (
	"bytes"
	"context"
	_ "embed" // the glue
	"encoding/json"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"example.com/toolsmith/runtime/policy"
	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

//go:embed glue/fs.js
var fsGlue string

// fsAPI reads files below the folders that the policy grants.
type fsAPI struct{}

const fsName = "fs.readFile"

func (fsAPI) api() wasmjs.API { return wasmjs.API{Name: fsName, Glue: fsGlue} }

func (fsAPI) funcs(s *Session) map[string]wasmjs.Func {
	limits := s.policy.FSLimits.WithDefaults()
	f := &fsCall{Session: s, limits: limits, left: limits.MaxTotalBytes}
	s.atClose(f.close)
	return map[string]wasmjs.Func{fsName: s.recorded(fsName, "readFile", f.readFile)}
}

// fsCall is what one call has of files.
type fsCall struct {
	*Session
	limits policy.FSLimits

	mu     sync.Mutex
	roots  map[string]*os.Root // those that were used
	closed bool
	left   int64 // bytes that may still be read
}

func (f *fsCall) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, root := range f.roots {
		_ = root.Close() // it was only read
	}
	f.roots, f.closed = nil, true
}

func (f *fsCall) readFile(ctx context.Context, req wasmjs.Request, use *Use) (wasmjs.Reply, error) {
	var ask struct {
		Path string `json:"path"`
		Text bool   `json:"text"`
	}
	if err := json.Unmarshal(req.Value, &ask); err != nil {
		return wasmjs.Reply{}, &tool.Error{Code: tool.InvalidInput, Name: "TypeError", Message: "fs.readFile takes a path"}
	}
	use.Detail = quoted(ask.Path)
	rule, name, err := f.policy.Read(ask.Path)
	if err != nil {
		return wasmjs.Reply{}, err
	}
	use.Detail += ", by the rule for " + rule.String()
	data, err := f.read(ctx, rule, name)
	switch {
	case err != nil:
		return wasmjs.Reply{}, explained(err, ask.Path)
	case ask.Text && !utf8.Valid(data):
		return wasmjs.Reply{}, explained(errNotText, ask.Path)
	}
	use.BytesIn = int64(len(data))
	return bytesReply(data), nil
}

// read returns the content of a file, counted against the call's total.
func (f *fsCall) read(ctx context.Context, rule policy.Storage, name string) ([]byte, error) {
	select {
	case f.host.reading <- struct{}{}:
		defer func() { <-f.host.reading }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, err := f.root(rule.Root)
	if err != nil {
		return nil, err
	}
	file, size, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.readAll(file, size, f.most(rule))
}

// most is how many bytes a file may have.
func (f *fsCall) most(rule policy.Storage) int64 {
	if rule.MaxBytes > 0 {
		return rule.MaxBytes
	}
	return f.limits.MaxFileBytes
}

// readAll reads an open file of a size, which may grow meanwhile, but not beyond most bytes.
func (f *fsCall) readAll(file io.Reader, size, most int64) ([]byte, error) {
	if size > most {
		return nil, tooLarge(most)
	}
	if err := f.take(size); err != nil {
		return nil, err
	}
	content := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	n, err := content.ReadFrom(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, tooLarge(most)
	}
	return content.Bytes(), f.take(n - size)
}

// take counts bytes against the total; a negative number gives some back.
func (f *fsCall) take(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n > f.left {
		return tool.Errorf(tool.Limit, "the files of one call may have %d bytes together (fsMaxTotalBytes)", f.limits.MaxTotalBytes)
	}
	f.left -= n
	return nil
}

// root returns the handle of a granted folder, which is the same for the whole call.
func (f *fsCall) root(path string) (*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if root, ok := f.roots[path]; ok {
		return root, nil
	}
	if f.closed {
		return nil, context.Canceled
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, &tool.Error{Code: tool.Unavailable, Message: "the folder that the policy grants cannot be opened", Cause: err}
	}
	if f.roots == nil {
		f.roots = map[string]*os.Root{}
	}
	f.roots[path] = root
	return root, nil
}
