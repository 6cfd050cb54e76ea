package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/toolsmith/runtime/tool"
)

func TestWriteWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	write := func(text string) func(io.Writer) error {
		return func(to io.Writer) error { _, err := io.WriteString(to, text); return err }
	}
	content := func(want string) {
		t.Helper()
		got, err := os.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("it holds %q, %v; want %q", got, err, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%d files are left, %v", len(left), err)
		}
	}
	if n, err := writeWhole(name, false, write("one")); n != 3 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	content("one")
	if _, err := writeWhole(name, false, write("two")); !errors.Is(err, tool.Collision) {
		t.Errorf("a file was replaced unasked: %v", err)
	}
	content("one")
	failed := errors.New("half way")
	if _, err := writeWhole(name, true, func(to io.Writer) error { return errors.Join(write("half")(to), failed) }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	content("one")
	if _, err := writeWhole(name, true, write("two")); err != nil {
		t.Error(err)
	}
	content("two")
	if info, err := os.Stat(name); err != nil || hasModes && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := writeWhole(dir, true, write("x")); !errors.Is(err, tool.InvalidRequest) {
		t.Errorf("a folder was replaced: %v", err)
	}
	if _, err := writeWhole(filepath.Join(dir, "no", "file"), true, write("x")); !errors.Is(err, tool.Unavailable) {
		t.Errorf("got %v", err)
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]error{
		"yes\n": nil, "Y\n": nil, "yes": nil, "no\n": done(1), "yesterday\n": done(1), "": errUnasked, "\n": errUnasked,
		strings.Repeat("y", 5000): done(1),
	} {
		var asked bytes.Buffer
		f := newFace("host", strings.NewReader(said), io.Discard, &asked)
		if err := f.confirm(t.Context(), "Remove a\x1b?"); err != want { //nolint:errorlint // these very values
			t.Errorf("%.10q: got %v, want %v", said, err, want)
		}
		if !strings.HasPrefix(asked.String(), `Remove a\x1b? yes or no: `) {
			t.Errorf("asked %q", asked.String())
		}
	}
	silent, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newFace("host", silent, io.Discard, io.Discard).confirm(ctx, "?"); !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A pipe that nobody writes to does not outlive an interrupt, and leaves the directory empty.
func TestRestoreEndsWithContext(t *testing.T) {
	t.Parallel()
	silent, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	f := newFace("host", silent, io.Discard, io.Discard)
	ended := make(chan error)
	go func() { ended <- f.restore(ctx, dataFlags{data: dir}, stdin) }()
	cancel()
	if err := <-ended; !errors.Is(err, tool.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestProgressOfBytes(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	p := &progress{w: &screen}
	p.showBytes(1<<20, 4<<20)
	p.showBytes(2<<20, 0)
	p.clear()
	if want := "1 MiB of 4 MiB\r\x1b[K2 MiB\r\x1b[K"; screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}
