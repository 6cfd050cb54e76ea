package hierarchy

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// Turn is one entry of a transcript: what an agent said, and what it called. The first is the user's prompt.
type Turn struct {
	At    tool.Time `json:"at"`
	Agent string    `json:"agent"` // "user" for the prompt
	Depth int       `json:"depth"` // of delegation; 0 is the manager
	Turn  int       `json:"turn,omitempty"`
	Text  string    `json:"text,omitempty"`
	Calls []Call    `json:"calls,omitempty"`
	Usage Usage     `json:"usage,omitzero"`
}

// Call is one call of a tool.
type Call struct {
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments,omitempty"` // a text, when they are cut or no JSON
	Result     string          `json:"result,omitempty"`
	Failed     bool            `json:"failed,omitempty"`
	DurationMs float64         `json:"durationMs"`
}

const (
	maxTurnText   = 16 << 10
	maxCallText   = 4 << 10 // of arguments, and of a result
	maxTranscript = 1 << 20 // of all texts
)

const omitted = "[left out: the transcript is too long]"

// transcript gathers the turns of all agents. When there is too much text, the oldest is left out.
type transcript struct {
	now func() time.Time

	mu    sync.Mutex
	list  []Turn
	bytes int
	first int // the texts of those before it are left out
}

// add puts a turn at the end, and returns where it stands.
func (t *transcript) add(turn Turn) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn.At, turn.Text = tool.At(t.now()), cutText(turn.Text, maxTurnText)
	t.list = append(t.list, turn)
	t.bytes += turn.size()
	t.shrink()
	return len(t.list) - 1
}

// finish puts the calls of a turn where it stands.
func (t *transcript) finish(at int, calls []Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn := &t.list[at]
	turn.Calls = calls
	if at < t.first {
		turn.leaveOut()
		return
	}
	t.bytes += turn.size() - len(turn.Text)
	t.shrink()
}

func (t *transcript) shrink() {
	for ; t.bytes > maxTranscript && t.first < len(t.list); t.first++ {
		turn := &t.list[t.first]
		t.bytes -= turn.size()
		turn.leaveOut()
	}
}

func (t Turn) size() int {
	n := len(t.Text)
	for _, c := range t.Calls {
		n += len(c.Arguments) + len(c.Result)
	}
	return n
}

func (t *Turn) leaveOut() {
	t.Text, t.Calls = omitted, withoutTexts(t.Calls)
}

// withoutTexts is what stands in records of calls: names and outcomes.
func withoutTexts(calls []Call) []Call {
	short := make([]Call, len(calls))
	for i, c := range calls {
		short[i] = Call{Tool: c.Tool, Failed: c.Failed, DurationMs: c.DurationMs}
	}
	return short
}

func (t *transcript) turns() []Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.list)
}
