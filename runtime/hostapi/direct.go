package hostapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/wasmjs"
)

// FetchRequest is a request of a tool that is written in Go.
type FetchRequest struct {
	Method string // one of policy.Methods
	URL    string
	// Header is sent with one byte for each character, up to U+00FF; of a name given twice the values become one.
	Header http.Header
	Body   []byte
}

// FetchResponse is the answer to a FetchRequest. The caller owns it.
type FetchResponse struct {
	Status     int
	StatusText string
	URL        string // of the last request, after redirects
	Redirected bool
	Header     http.Header // one character for each byte
	Body       []byte      // decompressed
}

// Fetch is the fetch of tools that are written in Go: the same policy, guards, limits and record of uses. It follows
// redirects and returns once the whole answer is there, or soon after ctx ends. The error is a *tool.Error.
func (s *Session) Fetch(ctx context.Context, req FetchRequest) (*FetchResponse, error) {
	// The glue numbers its requests upwards.
	ask := asked{ID: ^s.fetches.Add(1), URL: req.URL, Method: req.Method, Redirect: "follow"}
	for _, name := range slices.Sorted(maps.Keys(req.Header)) {
		ask.Headers = append(ask.Headers, field{name, strings.Join(req.Header[name], ", ")})
	}
	reply, err := s.do(ctx, "fetch", ask, req.Body)
	if err != nil {
		return nil, err
	}
	var got answered
	if err := json.Unmarshal(reply.Value, &got); err != nil {
		return nil, tool.Errorf(tool.Internal, "the answer cannot be read: %w", err)
	}
	resp := &FetchResponse{
		Status: got.Status, StatusText: got.StatusText, URL: got.URL, Redirected: got.Redirected, Header: http.Header{}, Body: reply.Bytes,
	}
	for _, f := range got.Headers {
		resp.Header.Add(f.Name, f.Value)
	}
	return resp, nil
}

// ReadFile is the fs.readFile of tools that are written in Go: the same policy, guards, limits and record of uses. The
// caller owns the content. The error is a *tool.Error.
func (s *Session) ReadFile(ctx context.Context, path string) ([]byte, error) {
	reply, err := s.do(ctx, fsName, map[string]any{"path": path}, nil)
	return reply.Bytes, err
}

// do runs one of the host functions as the glue would.
func (s *Session) do(ctx context.Context, operation string, value any, bytes []byte) (wasmjs.Reply, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return wasmjs.Reply{}, tool.Errorf(tool.Internal, "the request cannot be written: %w", err)
	}
	reply, err := s.Funcs()[operation](ctx, wasmjs.Request{Value: text, Bytes: bytes})
	if err != nil {
		return wasmjs.Reply{}, tool.AsError(err)
	}
	return reply, nil
}
