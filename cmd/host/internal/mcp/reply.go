package mcp

import (
	"bytes"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"example.com/toolsmith/runtime/tool"
)

// reply is the way of an answer over HTTP. Refusals of the protocol library are held back: some are plain text, none has a code of
// ours or says how to mend it.
type reply struct {
	http.ResponseWriter
	to     frame // the message that is answered; empty without one
	status int   // of a refusal; 0 is none so far
	text   bytes.Buffer
	mute   atomic.Bool // the call was canceled: nobody reads the answer, which ends without one
}

// Unwrap serves http.ResponseController.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		r.status = status
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *reply) Write(p []byte) (int, error) {
	if r.status != 0 {
		return r.text.Write(p)
	}
	if r.mute.Load() {
		return len(p), nil
	}
	return r.ResponseWriter.Write(p)
}

// end tells of a refusal, if there was one: as an error of the protocol if a request that could be read is answered, else as a
// problem. The status stays.
func (r *reply) end() {
	if r.status == 0 {
		return
	}
	text := bytes.TrimSpace(r.text.Bytes())
	if m, err := jsonrpc.DecodeMessage(text); err == nil {
		if m, ok := m.(*jsonrpc.Response); ok && m.Error != nil {
			m.Error = coded(m.Error)
			if whole, err := jsonrpc.EncodeMessage(m); err == nil {
				text = whole
			}
		}
		writeMessage(r.ResponseWriter, r.status, text)
		return
	}
	if r.status == http.StatusBadRequest && r.to.isCall() {
		writeMessage(r.ResponseWriter, r.status, invalid("%s", text).answer(r.to.id))
		return
	}
	code, hint := refusalOf(r.status)
	refuse(r.ResponseWriter, r.status, code, hint, string(text))
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
