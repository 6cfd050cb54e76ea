package hierarchy

import (
	"encoding/json"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// EventKind says what an event tells. The text is stable.
type EventKind string

// The kinds, in the order in which they come in a turn.
const (
	Begun         EventKind = "begin"          // the first: the run has an id
	Noted         EventKind = "note"           // Text says what the operator should know of an agent
	Turned        EventKind = "turn"           // a model replied: Text
	Used          EventKind = "usage"          // what the reply used, and Total of the run so far
	ToolCalled    EventKind = "tool-call"      // Tool, CallID, Input
	Delegated     EventKind = "delegate"       // a member got a task: Agent is the member, Text the task
	DelegateEnded EventKind = "delegate-end"   // what came of it: Text or Error, Usage, DurationMs
	SpawnDecided  EventKind = "emergent-forge" // Spawn, approved or not
	ToolReturned  EventKind = "tool-result"    // Tool, CallID, Text or Error, DurationMs
	Final         EventKind = "final"          // the last: Text is the output, Reason, Error, Usage of the run
)

// Event tells what happens in a run. Texts are cut to 4 KiB, except that of Final.
type Event struct {
	Seq        int             `json:"seq"` // from 1; without gaps, except where events were missed
	Run        string          `json:"run"` // id of the run; "" when it did not begin
	At         tool.Time       `json:"at"`
	Kind       EventKind       `json:"kind"`
	Agent      string          `json:"agent"`
	Depth      int             `json:"depth"`          // of delegation; 0 is the manager
	Turn       int             `json:"turn,omitempty"` // of the agent, from 1
	Tool       string          `json:"tool,omitempty"`
	CallID     string          `json:"callId,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"` // a text, when it is too long to be shown whole
	Text       string          `json:"text,omitempty"`
	Spawn      *Spawn          `json:"spawn,omitempty"`
	Usage      *Usage          `json:"usage,omitempty"`
	Total      *Usage          `json:"total,omitempty"`
	Reason     Reason          `json:"reason,omitempty"`
	Error      *tool.Error     `json:"error,omitempty"`
	DurationMs float64         `json:"durationMs,omitempty"`
}

const (
	maxEventText = 4 << 10
	maxPending   = 1024        // events that a watcher may be behind
	grace        = time.Second // for a watcher to catch up when the run has ended
)

// stream hands events to a watcher, who does not hold up those that they come from.
type stream struct {
	watch func(Event)
	now   func() time.Time
	run   string        // set before the first event
	wake  chan struct{} // something is there, or the end
	done  chan struct{} // the watcher has seen all, or is given up

	mu      sync.Mutex
	seq     int
	pending []Event
	ended   bool
	left    bool // the watcher is given up
}

func newStream(watch func(Event), now func() time.Time) *stream {
	s := &stream{watch: watch, now: now, wake: make(chan struct{}, 1), done: make(chan struct{})}
	if watch != nil {
		go s.deliver()
	}
	return s
}

// emit puts an event at the end.
func (s *stream) emit(e Event) {
	e.Text = cutText(e.Text, maxEventText)
	s.put(e)
}

func (s *stream) put(e Event) {
	if s.watch == nil {
		return
	}
	s.mu.Lock()
	s.seq++
	e.Seq, e.Run, e.At = s.seq, s.run, tool.At(s.now())
	if len(s.pending) < maxPending || e.Kind == Final {
		s.pending = append(s.pending, e)
	}
	s.ended = s.ended || e.Kind == Final
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// end puts the last event, and waits a little for the watcher.
func (s *stream) end(final Event) {
	if s.watch == nil {
		return
	}
	s.put(final)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
		s.mu.Lock()
		s.left = true
		s.mu.Unlock()
	}
}

// deliver calls the watcher until it has seen the last event.
func (s *stream) deliver() {
	defer close(s.done)
	for {
		e, there, over := s.next()
		switch {
		case there:
			s.watch(e)
		case over:
			return
		default:
			<-s.wake
		}
	}
}

// next takes the first event that is pending.
func (s *stream) next() (e Event, there, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left || len(s.pending) == 0 {
		return Event{}, false, s.left || s.ended
	}
	e = s.pending[0]
	s.pending = s.pending[1:]
	return e, true, false
}
