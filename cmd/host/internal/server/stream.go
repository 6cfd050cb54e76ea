package server

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

const (
	eventType = "text/event-stream"
	heartbeat = 15 * time.Second
	// sendTime is how long an event may take to go out, after which the client is given up.
	sendTime = 10 * time.Second
)

// event is one of a stream: a line of JSON under a name.
type event struct {
	id   uint64 // 0 is none
	name string
	data any
	text []byte // instead of data: JSON that is there already
}

// stream writes server-sent events. It is for one goroutine.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// newStream begins a stream. What stands before the server must not gather it.
func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", eventType)
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &stream{w, http.NewResponseController(w)}
}

// send writes an event. JSON on one line has no line breaks, so no text within it can end the event.
func (s *stream) send(e event) error {
	if e.text == nil {
		e.text = jsonText(e.data)
	}
	var out bytes.Buffer
	if e.id > 0 {
		out.WriteString("id: " + strconv.FormatUint(e.id, 10) + "\n")
	}
	out.WriteString("event: " + e.name + "\ndata: ")
	out.Write(bytes.TrimSuffix(e.text, []byte("\n")))
	out.WriteString("\n\n")
	return s.write(out.Bytes())
}

func (e event) to(s *stream) error { return s.send(e) }

// beat writes a comment, so that what stands between does not take the connection for dead.
func (s *stream) beat() error { return s.write([]byte(": still here\n\n")) }

func (s *stream) write(text []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(sendTime)) // a recorder in a test has none
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	err := s.control.Flush()
	_ = s.control.SetWriteDeadline(time.Time{})
	return err
}
