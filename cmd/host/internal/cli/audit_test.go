package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/toolsmith/runtime/tool"
	"example.com/toolsmith/tiers"
)

// lockedBuffer is output that is read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// logIn adds entries to the log in a data directory, as a process of its own.
func logIn(t *testing.T, dir string, kinds ...tool.EventType) {
	t.Helper()
	var shelf *tiers.Shelf
	var err error
	wait(t, func() bool { // who follows has it open for a moment
		shelf, err = tiers.Open(t.Context(), dir, tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
		return err == nil
	})
	by := tool.Actor{Caller: tool.Caller{Tenant: localTenant, Persona: "ann\x1b", Session: "1"}}
	for _, kind := range kinds {
		if err := shelf.Log(t.Context(), by, "", kind, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := shelf.Close(); err != nil {
		t.Fatal(err)
	}
}

// A log that is followed shows what others add to it, once and in order, and ends with the context.
func TestTailFollows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	logIn(t, dir, tool.Exported, tool.Imported)
	var out lockedBuffer
	f := newFace("host", nil, &out, io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		ended <- f.tail(ctx, dataFlags{data: dir}, tailFlags{who: operatorOf(localTenant), lines: 1, follow: true, kind: string(tool.Exported)})
	}()
	wait(t, func() bool { return strings.Count(out.String(), "\n") == 1 })
	logIn(t, dir, tool.Exported, tool.Imported, tool.Exported)
	wait(t, func() bool { return strings.Count(out.String(), "\n") == 3 })
	cancel()
	if err := <-ended; !errors.Is(err, done(130)) {
		t.Errorf("it ended with %v", err)
	}
	var numbers string
	for line := range strings.Lines(out.String()) {
		number, _, _ := strings.Cut(line, " ")
		numbers += number + " "
	}
	if numbers != "1 3 5 " || !strings.Contains(out.String(), `ann\x1b for ann\x1b/1  -`) {
		t.Errorf("got\n%s", out.String())
	}
}

func wait(t *testing.T, until func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if until() {
			return
		}
	}
	t.Fatal("it did not come")
}

// The newest entries are found however far back they are, and no more of them than asked for.
func TestNewestOfAKind(t *testing.T) {
	t.Parallel()
	shelf, err := tiers.Open(t.Context(), "", tiers.StoreOptions{}, tiers.Options{TendEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer shelf.Close()
	by := tool.Actor{Caller: tool.Caller{Tenant: localTenant, Persona: "ann", Session: "1"}}
	for i := range 12 {
		kind := tool.Imported
		if i%4 == 0 {
			kind = tool.Exported
		}
		if err := shelf.Log(t.Context(), by, "", kind, nil); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[int][]uint64{1: {9}, 2: {5, 9}, 3: {1, 5, 9}, 20: {1, 5, 9}} {
		events, end, err := filter{kind: string(tool.Exported)}.newest(t.Context(), storedLog{shelf, localTenant}, most)
		if err != nil || end != 12 || len(events) != len(want) {
			t.Fatalf("%d: %d entries up to %d, %v", most, len(events), end, err)
		}
		for i, e := range events {
			if e.Sequence != want[i] {
				t.Errorf("%d: entry %d is number %d, want %d", most, i, e.Sequence, want[i])
			}
		}
	}
}

func TestClip(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"short":                         "short",
		strings.Repeat("a", 120):        strings.Repeat("a", 120),
		strings.Repeat("a", 121):        strings.Repeat("a", 120) + "…",
		strings.Repeat("a", 119) + "ää": strings.Repeat("a", 119) + "…",
	} {
		if got := clip(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
