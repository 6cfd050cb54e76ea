package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/toolsmith/runtime/cases"
	"example.com/toolsmith/runtime/tool"
)

func TestQuantity(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{
		"1": 1, "128Mi": 128 << 20, "1Gi": 1 << 30, "64Ki": 64 << 10, "50M": 50e6, "2k": 2000, "10G": 10e9,
		"18446744073709551615": 1<<64 - 1,
		"":                     0, "0": 0, "00Mi": 0, "-1": 0, "-1Mi": 0, "1.5Gi": 0, "1e9": 0, "Mi": 0, "1 Mi": 0, "1mi": 0, "1KiB": 0, "+1": 0,
		"18446744073709551616": 0, "99999999999Gi": 0,
	} {
		var q quantity
		if err := q.Set(text); uint64(q) != want || (err == nil) != (want > 0) {
			t.Errorf("%q gives %d, %v; want %d", text, q, err, want)
		}
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"500ms": 500 * time.Millisecond, "1m": time.Minute, "0s": 0, "-1s": 0, "5": 0, "": 0} {
		var p period
		if err := p.Set(text); time.Duration(p) != want || (err == nil) != (want > 0) {
			t.Errorf("%q gives %v, %v; want %v", text, time.Duration(p), err, want)
		}
	}
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain äöü 😀 \u00a0": "plain äöü 😀 \u00a0",
		"a\nb\tc\r":          `a\nb\tc\r`,
		"\x1b[2J\x00\x7f":    `\x1b[2J\x00\x7f`,
		"\u009b\u202e\u2028": `\u009b\u202e\u2028`,
		"\xff\ufffd":         "\\xff\ufffd",
		"":                   "",

		"\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e \u2764\ufe0f": "\U0001f468\u200d\U0001f469 \u0645\u06cc\u200c\u062e \u2764\ufe0f",
	} {
		if got := escape(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// An answer that goes to no terminal is what it is; control characters are spelled everywhere.
func TestPrintAnswer(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := newFace("host", nil, &out, io.Discard)
	f.printAnswer("so\u00adft \u202e\u200d\n\tx\x1b[2J\xff\u0085")
	if got, want := out.String(), "so\u00adft \u202e\u200d\n\tx\\x1b[2J\\xff\\u0085\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The null device is a character device, and no terminal.
func TestIsTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(strings.NewReader("")) {
		t.Error("there is no terminal")
	}
}

// Whatever the text, it stays one line, and escaping the JSON that carries it changes no value.
func FuzzEscape(f *testing.F) {
	f.Add("a\n\x1b[2J\u202e\U000e0001\u009b\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if line := escape(text); strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\u202e' }) {
			t.Errorf("%q became %q", text, line)
		}
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if escaped := escapeJSON(raw); !cases.Equal(raw, escaped) || bytes.ContainsFunc(escaped, func(r rune) bool { return r == 0x7f || r == 0x9b || r == '\u202e' }) {
			t.Errorf("%q became %q", raw, escaped)
		}
	})
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 20: "1 MiB", 1 << 30: "1 GiB", 5 << 29: "2.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// The mark stands under the column, whatever stands before it.
func TestShowLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text         string
		line, column int
		columns      bool
		want         string
	}{
		"plain":        {"a\nlet x = ;\nb", 2, 9, true, "  | let x = ;\n  |         ^\n"},
		"tab":          {"\tx", 1, 2, true, "  |  x\n  |  ^\n"},
		"escaped":      {"\x1bx", 1, 2, true, "  | \\x1bx\n  |     ^\n"},
		"carriage":     {"x\r\ny", 1, 1, true, "  | x\n  | ^\n"},
		"beyond":       {"x", 1, 99, true, "  | x\n  |  ^\n"},
		"no such line": {"x", 2, 1, true, ""},
		"no line":      {"x", 0, 0, true, ""},
		"typescript":   {"x: number", 1, 4, false, "  | x: number\n"},
		"long":         {strings.Repeat("a", 500) + "!" + strings.Repeat("b", 500), 1, 501, true, "  | " + strings.Repeat("a", 50) + "!" + strings.Repeat("b", 49) + "\n  | " + strings.Repeat(" ", 50) + "^\n"},
	} {
		var stderr bytes.Buffer
		f := newFace("host", nil, io.Discard, &stderr)
		f.showLine(&fileError{"f.js", c.text, c.columns, nil}, &tool.Error{Line: c.line, Column: c.column})
		if stderr.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, stderr.String(), c.want)
		}
	}
}

// A pipe that nobody writes to does not outlive an interrupt.
func TestReadEndsWithContext(t *testing.T) {
	t.Parallel()
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newFace("host", silent, io.Discard, io.Discard).read(ctx, stdin, 10, tool.InvalidInput)
	if !errors.Is(err, tool.Canceled) || tool.AsError(err).Message != "the caller canceled the reading of standard input" {
		t.Errorf("got %v", err)
	}
}

func TestReadCaps(t *testing.T) {
	t.Parallel()
	for n, ok := range map[int]bool{0: true, 10: true, 11: false, 1000: false} {
		in := strings.NewReader(strings.Repeat("x", n))
		text, err := newFace("host", in, io.Discard, io.Discard).read(t.Context(), stdin, 10, tool.InvalidInput)
		if (err == nil) != ok || (ok && len(text) != n) || (!ok && !errors.Is(err, tool.InvalidInput)) {
			t.Errorf("%d bytes: %d, %v", n, len(text), err)
		}
	}
}

// Progress is for terminals; a file or a buffer gets none.
func TestProgress(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if newProgress(file).w != nil || newProgress(&bytes.Buffer{}).w != nil {
		t.Error("progress where no terminal is")
	}
	var screen bytes.Buffer
	p := &progress{w: &screen}
	p.clear()
	p.show(tally{passed: 1, failed: 1, total: 4})
	p.clear()
	if want := "[###############               ] 2/4, 1 failed\r\x1b[K"; screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}
