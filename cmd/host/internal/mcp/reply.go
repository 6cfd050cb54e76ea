package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"example.com/toolsmith/runtime/tool"
)

// reply is the way of an answer over HTTP. Refusals of the protocol library are held back: some are plain text, none has a code of
// ours or says how to mend it. An answer that takes long is kept open, since what stands between takes silence for death.
type reply struct {
	to   frame       // the message that is answered; empty without one
	mute atomic.Bool // the call was canceled: nobody reads the answer, which ends without one

	header http.Header // as the library sets it, on a goroutine of its own
	mu     sync.Mutex
	w      http.ResponseWriter
	began  bool
	status int // of a refusal; 0 is none so far
	text   bytes.Buffer
}

// sendTime is how long a part of an answer may take to go out, after which the client is given up.
const sendTime = 10 * time.Second

// Header implements http.ResponseWriter.
func (r *reply) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if status >= http.StatusBadRequest {
		r.status = status
		return
	}
	r.begin(status, r.header)
}

// Write implements http.ResponseWriter. What is written goes out.
func (r *reply) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.status != 0:
		return r.text.Write(p)
	case r.mute.Load():
		r.begin(http.StatusOK, r.header)
		return len(p), nil
	}
	r.begin(http.StatusOK, r.header)
	return r.send(p)
}

// FlushError serves http.ResponseController.
func (r *reply) FlushError() error { return nil }

func (r *reply) begin(status int, header http.Header) {
	if !r.began {
		r.began = true
		maps.Copy(r.w.Header(), header)
		r.w.WriteHeader(status)
	}
}

func (r *reply) send(p []byte) (int, error) {
	control := http.NewResponseController(r.w)
	_ = control.SetWriteDeadline(time.Now().Add(sendTime)) // a recorder in a test has none
	n, err := r.w.Write(p)
	if err == nil {
		_ = control.Flush() // likewise
	}
	_ = control.SetWriteDeadline(time.Time{})
	return n, err
}

// beat writes a comment into a stream of events, which it begins if need be.
func (r *reply) beat() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status == 0 {
		r.begin(http.StatusOK, http.Header{"Content-Type": {eventType}, "Cache-Control": {"no-cache, no-transform"}})
		_, _ = r.send([]byte(": still here\n\n")) // a client that is gone
	}
}

// end tells of a refusal, if there was one: as an error of the protocol if a request that could be read is answered, else as a
// problem. The status stays, unless the answer had begun.
func (r *reply) end() {
	if r.status == 0 {
		return
	}
	text, ok := r.message(bytes.TrimSpace(r.text.Bytes()))
	switch {
	case r.began:
		_, _ = r.send(fmt.Appendf(nil, "event: message\ndata: %s\n\n", text))
	case ok:
		writeMessage(r.w, r.status, text)
	default:
		code, hint := refusalOf(r.status)
		refuse(r.w, r.status, code, hint, string(text))
	}
}

// message makes a refusal a message of the protocol, for which there was one to read; without it ok is false.
func (r *reply) message(text []byte) (_ []byte, ok bool) {
	var m struct {
		Error *jsonrpc.Error `json:"error"`
	}
	switch {
	case json.Unmarshal(text, &m) == nil && m.Error != nil:
		return answer(r.to.id, coded(m.Error)), true
	case r.began || r.status == http.StatusBadRequest && r.to.method != "":
		return invalid("%s", text).answer(r.to.id), true
	}
	return text, false
}

// refusalOf is what the host says of refusals that come without more than a status.
func refusalOf(status int) (tool.Code, string) {
	switch status {
	case http.StatusForbidden:
		return tool.Denied, "a key reaches its own sessions alone"
	case http.StatusNotFound:
		return tool.NotFound, beginAgain
	case http.StatusConflict:
		return tool.Collision, "a session has one stream: end the one that is open, or read on there"
	}
	if status >= http.StatusInternalServerError {
		return tool.Internal, "the log of the host says more"
	}
	return tool.InvalidRequest, "send it as the version of the protocol says"
}

// writeMessage answers a request with a message of the protocol.
func writeMessage(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone
}
