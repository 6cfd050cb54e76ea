package server

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/runtime/wire"
)

// A body has bodyTime to arrive, and a second more for each bodyRate bytes of it. What nobody wanted has lingerTime after the answer,
// so that a client that sends all before it reads gets the answer.
const (
	bodyTime   = 10 * time.Second
	bodyRate   = 64 << 10
	lingerTime = time.Second
)

// timeFor is how long the body of a request may take to arrive: as its length asks for, and that of chunks as so many bytes, which are
// the most in any case.
func timeFor(r *http.Request, most int64) time.Duration {
	if r.ContentLength >= 0 {
		most = min(most, r.ContentLength)
	}
	return bodyTime + time.Duration(most/bodyRate)*time.Second
}

// arriving is the body of a request that has not ended yet.
type arriving struct {
	io.ReadCloser

	control *http.ResponseController
	header  http.Header // of the answer
	ended   bool
	again   bool   // whether its connection may be used again, once it has ended
	arrived func() // when it has; nil does nothing
}

// arrive gives the body of a request its time, whether anybody reads it or not, until the function that it returns is called. As
// long as it has not ended, its connection is to be closed with the answer, which then does not wait for the rest. One that came in
// chunks is closed in any case: of a length beside them, over which others may have cut the requests differently, nothing is left here.
func arrive(w http.ResponseWriter, r *http.Request) (done func()) {
	if r.ContentLength == 0 {
		return func() {}
	}
	b := &arriving{ReadCloser: r.Body, control: http.NewResponseController(w), header: w.Header(), again: len(r.TransferEncoding) == 0}
	b.header.Set("Connection", "close")
	b.wait(timeFor(r, wire.MaxJSONBytes))
	r.Body = b
	return func() {
		r.Body = b.ReadCloser // which the server knows how to close
		if !b.ended {
			b.wait(lingerTime)
		}
	}
}

// wait gives what has not arrived so much time.
func (b *arriving) wait(most time.Duration) { _ = b.control.SetReadDeadline(time.Now().Add(most)) } // a recorder in a test has none

// Read is that of an io.Reader.
func (b *arriving) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.ended && errors.Is(err, io.EOF) {
		b.ended = true
		if b.again {
			b.header.Del("Connection")
		}
		if b.arrived != nil {
			b.arrived()
		}
		_ = b.control.SetReadDeadline(time.Time{}) // it would end the request
	}
	return n, err
}

// takes reports whether an operation takes bodies of a content type, whose only character set is UTF-8.
func takes(op *huma.Operation, contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset, named := params["charset"]
	return err == nil && slices.Contains(bodyTypes(op), kind) && (!named || strings.EqualFold(charset, "utf-8"))
}

// unread says why a body could not be read to its end.
func unread(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, tool.InvalidRequest, "send it faster, or less", "the body did not arrive in time")
	}
	return refuse(http.StatusBadRequest, tool.InvalidRequest, "send it in chunks that are whole, or with its length", "the body is cut off, or its chunks are malformed")
}
