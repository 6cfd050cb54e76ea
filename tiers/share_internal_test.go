package tiers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestSameUser(t *testing.T) {
	t.Parallel()
	if err := sameUser(501, 501); err != nil {
		t.Error(err)
	}
	for _, peer := range []int{0, 502, -1} {
		if sameUser(peer, 501) == nil {
			t.Errorf("user %d is let in by 501", peer)
		}
	}
	if sameUser(501, 0) == nil {
		t.Error("root shares a user's store")
	}
}

// frames writes frames one after another.
func frames(list ...frame) []byte {
	var all bytes.Buffer
	out := bufio.NewWriter(&all)
	for _, f := range list {
		_ = writeFrame(out, f)
	}
	_ = out.Flush()
	return all.Bytes()
}

func texts(list ...string) (all [][]byte) {
	for _, f := range list {
		all = append(all, []byte(f))
	}
	return all
}

// aGuest is the holder's side of a connection that has been greeted, and the other side.
func aGuest(store *badgerStore) (*guest, net.Conn) {
	ours, theirs := net.Pipe()
	h := &holder{store: store, log: slog.New(slog.DiscardHandler), guests: map[*guest]struct{}{}}
	g := &guest{wire: newWire(ours), holder: h, gone: make(chan struct{})}
	g.most = maxFrameBytes
	return g, theirs
}

// converse lets a guest send bytes, and returns what it is answered until it hangs up or is sent away.
func converse(store *badgerStore, asked []byte, hangUp bool) []byte {
	g, theirs := aGuest(store)
	var all sync.WaitGroup
	all.Go(func() {
		g.answerAll()
		if g.txn != nil {
			g.txn.end()
		}
		_ = g.conn.Close()
	})
	var answered bytes.Buffer
	all.Go(func() { _, _ = io.Copy(&answered, theirs) })
	_, _ = theirs.Write(asked)
	if hangUp {
		_ = theirs.Close()
	}
	all.Wait()
	return answered.Bytes()
}

func openMemory(t testing.TB) *badgerStore {
	t.Helper()
	s, err := openAlone(StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestProtocolIsKept(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	one, bad := number(1), frame{kind: '?'}
	for name, asked := range map[string][]frame{
		"reading without a transaction":  {{askGet, texts("a")}},
		"ending none":                    {{askEnd, nil}},
		"a transaction in another":       {{askView, nil}, {askView, nil}, {askGet, texts("a")}},
		"syncing within a transaction":   {{askView, nil}, {askSync, nil}},
		"a key too few":                  {{askView, nil}, {askGet, nil}},
		"a scan without a limit":         {{askView, nil}, {askScan, texts("a", "\x00", number(0))}},
		"a scan with a limit too high":   {{askView, nil}, {askScan, texts("a", "\x00", number(1<<40))}},
		"a commit without a number":      {{askUpdate, nil}, {askCommit, texts("x")}},
		"an unknown kind":                {{'?', nil}},
		"an answer":                      {{sayOK, nil}},
		"a greeting in the middle":       {{askHello, texts(greeting, one)}},
		"looking up one's own last":      {{askCommitted, texts(strings.Repeat("\x00", 16), one)}},
		"looking up what is not a lane":  {{askCommitted, texts("x", one)}},
		"following within a transaction": {{askView, nil}, {askFollow, nil}},
	} {
		if got := converse(store, frames(asked...), false); len(got) != 0 {
			t.Errorf("%s is answered with %q", name, got)
		}
	}
	got := converse(store, frames(frame{askUpdate, nil}, frame{askSet, texts("a", "1")}, frame{askCommit, texts(one)}, frame{askSync, nil}, bad), false)
	if want := frames(frame{sayOK, nil}, frame{sayOK, nil}); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = converse(store, frames(frame{askView, nil}, frame{askSet, texts("a", "1")}, frame{askGet, texts("a")}, bad), false)
	if f, err := readFrame(bytes.NewReader(got), maxFrameBytes); err != nil || f.kind != sayFailed {
		t.Errorf("a view that writes is answered with %q", got)
	}
}

func TestDamagedFramesAreRefused(t *testing.T) {
	t.Parallel()
	whole := frames(frame{askSet, texts("key", "value")})
	if f, err := readFrame(bytes.NewReader(whole), len(whole)); err != nil || f.kind != askSet || len(f.fields) != 2 || string(f.fields[1]) != "value" {
		t.Fatalf("%+v, %v", f, err)
	}
	for n := range whole {
		if f, err := readFrame(bytes.NewReader(whole[:n]), maxFrameBytes); err == nil {
			t.Errorf("cut to %d of %d bytes it reads as %+v", n, len(whole), f)
		}
	}
	for name, text := range map[string]string{
		"empty":               "\x00\x00\x00\x00x",
		"larger than allowed": "\xff\xff\xff\xffx",
		"a field too long":    "\x00\x00\x00\x06x\x00\x00\x00\x02a",
		"half a length":       "\x00\x00\x00\x03x\x00\x00",
		"too many fields":     "\x00\x00\x40\x01x" + strings.Repeat("\x00", 1<<14),
	} {
		if f, err := readFrame(strings.NewReader(text), maxFrameBytes); !errors.Is(err, errFrame) {
			t.Errorf("%s: it reads as %+v, %v", name, f, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	one := number(1)
	f.Add(frames(frame{askUpdate, nil}, frame{askSet, texts("a", "1")}, frame{askScan, texts("", "\x01", number(2), "b")}, frame{askCommit, texts(one)}))
	f.Add(frames(frame{askAlone, nil}, frame{askDelete, texts("a")}, frame{askGet, texts("a")}, frame{askEnd, nil}, frame{askSync, nil}, frame{askFollow, nil}))
	f.Add(frames(frame{sayOK, texts("x")}, frame{sayMore, texts("a", "1", "b", "2")}, frame{sayOK, texts("c", "3")}, frame{sayEntries, texts("{}")}))
	f.Add(frames(frame{sayFailed, texts(`{"code":"limit","message":"no"}`)}, frame{sayMore, nil}, frame{sayConflict, nil}))
	f.Add([]byte("\xff\xff\xff\xff"))
	store := openMemory(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		converse(store, text, true)
		readBack(t, text)
	})
}

// readBack lets a lane be answered with bytes.
func readBack(t *testing.T, text []byte) {
	t.Helper()
	for _, do := range []func(*lane) error{
		func(l *lane) error {
			return l.view(context.Background(), func(r Reader) error {
				if _, _, err := r.Get([]byte("a")); err != nil {
					return err
				}
				return r.Scan(Range{}, func([]byte, []byte) (bool, error) { return true, nil })
			})
		},
		func(l *lane) error {
			return l.update(context.Background(), updating, func(txn Txn) error { return txn.Set([]byte("a"), nil) })
		},
		func(l *lane) error { _, err := l.committed(laneID{}, 1); return err },
		func(l *lane) error { return l.greet(party{}) },
		func(l *lane) error { l.listen(context.Background(), func([]byte) {}); return errLost },
	} {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		go func() { _, _ = theirs.Write(text); _ = theirs.Close() }()
		l := &lane{wire: newWire(ours)}
		l.most = maxFrameBytes
		err := do(l)
		if err == nil && len(text) < len(frames(frame{sayOK, nil})) {
			t.Errorf("%q is an answer", text)
		}
		_ = ours.Close()
	}
}

// cutConn fails once something was written that has a byte of this kind, before or after.
type cutConn struct {
	net.Conn
	kind   byte
	before bool
}

func (c *cutConn) Write(text []byte) (int, error) {
	if len(text) < 5 || text[4] != c.kind {
		return c.Conn.Write(text)
	}
	if c.before {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Write(text)
	_, _ = io.ReadFull(c.Conn, make([]byte, 5)) // the answer, which nobody gets
	_ = c.Close()
	return n, err
}

func TestUnansweredCommitIsMadeOnce(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"it was made": false, "it did not arrive": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := StoreOptions{Dir: filepath.Join(t.TempDir(), "store")}
			first, err := OpenStore(t.Context(), opt)
			if err != nil {
				t.Fatal(err)
			}
			defer first.Close()
			opened, err := OpenStore(t.Context(), opt)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			s := opened.(*shared)
			l := s.idle[0]
			l.conn = &cutConn{Conn: l.conn, kind: askCommit, before: before}
			l.in.Reset(l.conn)
			l.out.Reset(l.conn)
			runs := 0
			err = s.Update(t.Context(), func(txn Txn) error {
				runs++
				value, _, err := txn.Get([]byte("a")) // flushes, so that the commit is written by itself
				err = errors.Join(err, txn.Set([]byte("a"), append(value, 'x')))
				if runs == 1 && err == nil {
					err = l.out.Flush()
				}
				return err
			})
			want := map[bool]int{false: 1, true: 2}[before]
			if err != nil || runs != want {
				t.Errorf("it ran %d times, not %d: %v", runs, want, err)
			}
			err = first.View(t.Context(), func(r Reader) error {
				if value, _, err := r.Get([]byte("a")); string(value) != "x" || err != nil {
					t.Errorf("got %q, %v", value, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestReplacedFolderIsNotTakenOver(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	holder, err := OpenStore(t.Context(), StoreOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	guest, err := OpenStore(t.Context(), StoreOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer guest.Close()
	if err := errors.Join(holder.Close(), os.Rename(dir, dir+"-away"), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := guest.View(t.Context(), func(r Reader) error { _, _, err := r.Get([]byte("a")); return err }); !errors.Is(err, tool.Unavailable) {
		t.Errorf("got %v", err)
	}
}
