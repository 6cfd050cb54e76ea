package hierarchy

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/toolsmith/runtime/model"
	"example.com/toolsmith/runtime/tool"
)

// A run with a specialist, as its watcher sees it.
func TestT342And348EventsTellTheRun(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(spawn("poet", "Rhyme.", "")), calls(delegates("poet", "rhyme")), model.Say("roses"))
	r := d.run(t)
	want := []EventKind{
		Begun, Turned, Used, ToolCalled, SpawnDecided, ToolReturned,
		Turned, Used, ToolCalled, Delegated, Turned, Used, DelegateEnded, ToolReturned,
		Turned, Used, Final,
	}
	if diff := cmp.Diff(want, d.kinds()); diff != "" {
		t.Fatal(diff)
	}
	for i, e := range d.events {
		if e.Seq != i+1 || e.At.IsZero() || e.Run != r.ID || e.Run == "" {
			t.Errorf("event %d is %+v", i+1, e)
		}
	}
	if e := d.events[4]; string(e.Kind) != "emergent-forge" || e.Agent != ManagerName || e.Spawn.AgentName != "poet" { // T-348
		t.Errorf("%+v", e)
	}
	if e := d.events[9]; e.Agent != "poet" || e.Depth != 1 || e.Text != "rhyme" {
		t.Errorf("%+v", e)
	}
	if e := d.events[12]; e.Agent != "poet" || e.Text != "Done by a specialist." || e.Usage.TotalTokens != 15 {
		t.Errorf("%+v", e)
	}
	if e := d.events[13]; e.Agent != ManagerName || e.Tool != "delegate_to_poet" || e.CallID == "" || e.Depth != 0 || e.Turn != 2 {
		t.Errorf("%+v", e)
	}
	if e := d.events[11]; e.Usage.TotalTokens != 15 || e.Total.TotalTokens != 45 {
		t.Errorf("%+v", e)
	}
	if e := d.events[16]; e.Text != r.Output || e.Reason != Done || *e.Usage != r.Usage { // T-342
		t.Errorf("%+v", e)
	}
}

// A watcher that hangs does not hold up a run, and hears no more once that has ended.
func TestSlowWatchersDoNotHoldUpARun(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	free, ended := make(chan struct{}), make(chan struct{})
	var told atomic.Int32
	go func() {
		defer close(ended)
		_, err := d.made(t).Run(t.Context(), boss, "x", func(Event) {
			told.Add(1)
			<-free
		})
		if err != nil {
			t.Error(err)
		}
	}()
	soon(t, "the run", ended)
	close(free)
	time.Sleep(10 * time.Millisecond) // in which nothing is to happen
	if n := told.Load(); n > 1 {
		t.Errorf("told %d times, at last after the run", n)
	}
}

func TestWatchersMissWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	var seen []Event
	s := newStream(func(e Event) {
		<-free
		seen = append(seen, e)
	}, time.Now)
	for range 2 * maxPending {
		s.emit(Event{Kind: Turned, Text: strings.Repeat("é", maxEventText)})
	}
	close(free)
	s.end(Event{Kind: Final})
	if n := len(seen); n < maxPending || n > maxPending+2 || seen[n-1].Kind != Final || seen[n-1].Seq != 2*maxPending+1 {
		t.Errorf("%d events, the last %+v", n, seen[n-1])
	}
	if len(seen[0].Text) > maxEventText+100 {
		t.Errorf("a text of %d bytes", len(seen[0].Text))
	}
}

func TestTranscriptIsReadable(t *testing.T) {
	t.Parallel()
	d := newDesk(calls(delegates("researcher", "look it up"), call("nothing", `x`)), model.Say("42"))
	r := d.run(t)
	var lines []string
	for _, turn := range r.Transcript {
		line := turn.Agent + ": " + turn.Text
		for _, c := range turn.Calls {
			line += " [" + c.Tool + " " + string(c.Arguments) + " " + c.Result[:min(len(c.Result), 9)] + "]"
			if c.Failed {
				line += "!"
			}
		}
		lines = append(lines, line)
	}
	want := []string{
		"user: What is it?",
		`manager:  [delegate_to_researcher {"task":"look it up"} {"output"] [nothing "x" {"error":]!`,
		"researcher: It is 42.",
		"manager: 42",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	t.Parallel()
	record := transcript{now: time.Now}
	text := strings.Repeat("x", maxTurnText)
	for range 500 {
		at := record.add(Turn{Agent: "a", Text: text + text})
		record.finish(at, []Call{{Tool: "t", Result: text[:maxCallText]}, {Tool: "u", Failed: true}})
	}
	record.finish(0, []Call{{Tool: "late", Result: "x"}})
	turns, size := record.turns(), 0
	for _, turn := range turns {
		size += turn.size()
	}
	if size > maxTranscript+len(turns)*len(omitted) || size < maxTranscript/2 || len(turns) != 500 {
		t.Errorf("%d turns of %d bytes", len(turns), size)
	}
	if turns[0].Text != omitted || turns[0].Calls[0].Tool != "late" || turns[0].Calls[0].Result != "" || turns[1].Calls[1].Tool != "u" || !turns[1].Calls[1].Failed {
		t.Errorf("%+v", turns[0])
	}
}

func TestRunsAreRepeatable(t *testing.T) {
	t.Parallel()
	var texts []string
	for range 2 {
		d := newDesk(calls(spawn("poet", "Rhyme.", "")), calls(delegates("poet", "rhyme")), model.Say("roses"))
		clock := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		d.opt.Now, d.opt.Random = func() time.Time { return clock }, strings.NewReader(strings.Repeat("0123456789abcdef", 10))
		r := d.run(t)
		texts = append(texts, string(encode(r))+string(encode(d.events)))
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Error(diff)
	}
	contains(t, texts[0], `"id":"30313233-3435-4637-b839-616263646566"`, `"startedAt":"2026-03-01T09:00:00.000Z"`)
}

func TestNoIDIsAFailure(t *testing.T) {
	t.Parallel()
	d := newDesk(model.Say("42"))
	d.opt.Random = strings.NewReader("")
	if r, err := d.made(t).Run(t.Context(), boss, "x", nil); tool.AsError(err).Code != tool.Internal || r.Reason != Failed {
		t.Errorf("%v %+v", err, r)
	}
}

func TestCutText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "abc… [cut: 3 of 4 bytes are shown]"}, {"aéé", 2, "a… [cut: 1 of 5 bytes are shown]"}} {
		if got := cutText(c.text, c.most); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := string(cutJSON(json.RawMessage(`{"a":"<b>"}`), 5)); got != `"{\"a\":… [cut: 5 of 11 bytes are shown]"` {
		t.Error(got)
	}
	if got := []string{oneLine("a\n- b\t\r c", 100)}; !slices.Equal(got, []string{"a - b c"}) {
		t.Errorf("%q", got)
	}
}
