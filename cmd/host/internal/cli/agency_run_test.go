package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/toolsmith/hierarchy"
	"example.com/toolsmith/runtime/tool"
)

// held is a terminal that nobody writes to who does not have it for themselves.
type held struct {
	t    *testing.T
	text bytes.Buffer
	face *face
}

func (h *held) Write(p []byte) (int, error) {
	if h.face.asking.TryLock() {
		h.face.asking.Unlock()
		h.t.Errorf("%q may be written into a question", p)
	}
	return h.text.Write(p)
}

// What is told of a run waits for the end of a question to a person.
func TestProgressWaitsForQuestions(t *testing.T) {
	t.Parallel()
	out := &held{t: t}
	f := newFace("host", strings.NewReader("no\nnot now\n"), &bytes.Buffer{}, out)
	out.face = f
	person, err := f.person("")
	if err != nil {
		t.Fatal(err)
	}
	if v := person.ReviewTask(t.Context(), tool.Actor{Name: "manager"}, "writer", "Write."); v.Approved || !strings.HasSuffix(v.Reason, ": not now") {
		t.Errorf("%+v", v)
	}
	watch := f.watcher("")
	for _, e := range []hierarchy.Event{
		{Kind: hierarchy.Begun, Run: "1"},
		{Kind: hierarchy.Noted, Text: "no tool nope"},
		{Kind: hierarchy.Delegated, Agent: "writer", Text: "Write."},
		{Kind: hierarchy.DelegateEnded, Agent: "writer", Error: tool.AsError(errors.New("broken"))},
		{Kind: hierarchy.SpawnDecided, Spawn: &hierarchy.Spawn{AgentName: "reader", Reason: "too vague"}},
	} {
		watch(e)
	}
	for _, want := range []string{"why: ", "run 1 begins", "no tool nope", "works on: Write.", "has failed", "was refused: too vague"} {
		if !strings.Contains(out.text.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
}
