package cli

import (
	"fmt"
	"io"
	"strings"
)

// progress is a line at the bottom of a terminal. Elsewhere it shows nothing.
type progress struct {
	w     io.Writer
	shown bool
}

// newProgress shows progress on w if that is a terminal.
func newProgress(w io.Writer) *progress {
	if isTerminal(w) {
		return &progress{w: w}
	}
	return &progress{}
}

const barWidth = 30

func (p *progress) show(t tally) {
	if p.w == nil {
		return
	}
	filled := strings.Repeat("#", barWidth*t.done()/max(t.total, 1))
	_, _ = fmt.Fprintf(p.w, "[%-*s] %d/%d, %d failed", barWidth, filled, t.done(), t.total, t.failed)
	p.shown = true
}

// showBytes shows how much of a file was read; a total of 0 is not known.
func (p *progress) showBytes(n, total int64) {
	if p.w == nil {
		return
	}
	p.clear()
	_, _ = fmt.Fprint(p.w, size(n))
	if total > 0 {
		_, _ = fmt.Fprintf(p.w, " of %s", size(total))
	}
	p.shown = true
}

// clear makes room for other lines.
func (p *progress) clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
